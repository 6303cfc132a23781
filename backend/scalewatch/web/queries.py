"""Query models: the parameters of an address, read as the question to a service.

An empty parameter is not stated: a form sends the fields that are left empty.
Validators raise errors of the product, which pydantic passes on because they are no
`ValueError`: the answer is the same problem document as for any other error.
"""

import re
from collections.abc import Sequence
from enum import StrEnum
from math import isfinite
from typing import Annotated, Final

from fastapi import Depends, Query
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Field,
    WithJsonSchema,
)

from scalewatch.errors import BadScale, NotFound, UnknownChoice
from scalewatch.modelling import Against, Correction, ScalingKind
from scalewatch.services import configurations
from scalewatch.services.hotspots import HotspotQuestion
from scalewatch.services.regions.efficiency import EfficiencyQuestion
from scalewatch.services.regressions.inbox import InboxQuestion, Period
from scalewatch.services.regressions.regressions import RegressionKind, RegressionState
from scalewatch.services.scaling_errors.scan import ScalingQuestion, TimesSource
from scalewatch.services.selection.view import View
from scalewatch.services.traces.scans import Repeat, TracesQuestion
from scalewatch.texts.scales import RESOURCES


async def view(
    project: str,
    commit: Annotated[
        str | None, Query(description="Hash, its beginning, or tag; else the newest.")
    ] = None,
    metric: Annotated[str | None, Query(description="Time unless given.")] = None,
    machine: Annotated[str | None, Query(description="All unless given.")] = None,
    configuration: Annotated[
        list[str] | None, Query(examples=[["message_bytes=256"]])
    ] = None,
) -> View:
    """Read which measurements are looked at."""
    return View.stated(project, commit, metric, machine, configuration or [])


ViewDep = Annotated[View, Depends(view)]


NULL: Final = {"type": "null"}

LARGEST_ID: Final = 2**31
"""Bound of ids: the tighter of the two databases holds no larger one."""


def choice(option: str, known: type[StrEnum]) -> BeforeValidator:
    """Read one of several choices; another text is an `UnknownChoice`."""

    def read(text: str) -> str | None:
        if text and text not in list(known):
            raise UnknownChoice(option, text, [str(each) for each in known])
        return text or None

    return BeforeValidator(read)


def positive(what: str) -> BeforeValidator:
    """Read a positive number; another text is a `BadScale`."""

    def read(text: str) -> float | None:
        if not text:
            return None
        try:
            number = float(text)
        except ValueError:
            raise BadScale(what, text) from None
        if not (isfinite(number) and number > 0):
            raise BadScale(what, text)
        return number

    return BeforeValidator(read)


def identity(kind: str) -> AfterValidator:
    """Read the number of something; beyond what a column holds there is `NotFound`."""

    def read(number: int) -> int:
        if not 0 < number < LARGEST_ID:
            raise NotFound(kind, number)
        return number

    return AfterValidator(read)


ConfirmationId = Annotated[int, identity("confirmation")]
JobId = Annotated[int, identity("job")]
RegressionId = Annotated[int, identity("regression")]
CursorQuery = Annotated[str | None, Query(description="The `next` of the page before.")]

WebhookId = Annotated[int, identity("webhook")]

_COUNT: Final = r"([^,=\x00]*=)?[0-9]*[1-9][0-9]*(\.[0-9]*)?"
_STATED: Final = BeforeValidator(lambda text: text or None)
Text = Annotated[str | None, _STATED]
Positive = Annotated[
    float | None,
    WithJsonSchema({"anyOf": [{"type": "number", "exclusiveMinimum": 0}, NULL]}),
]
Levels = Annotated[
    str, WithJsonSchema({"type": "string", "pattern": "^([^=\\x00]+=[^\\x00]+)?$"})
]
Counts = Annotated[
    str | None,
    WithJsonSchema(
        {"anyOf": [{"type": "string", "pattern": f"^({_COUNT}(,{_COUNT})*)?$"}, NULL]}
    ),
]
_PERCENT: Final = r"(100|0*[1-9][0-9]?(\.[0-9]*)?)"
_LIMIT: Final = re.compile(_PERCENT)
Limits = Annotated[
    str | None,
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "pattern": f"^({_PERCENT}(,{_PERCENT})*)?$"},
                NULL,
            ]
        }
    ),
]
Kind = Annotated[ScalingKind | None, choice("scaling", ScalingKind)]
Scale = Annotated[Positive, positive("scale")]
Size = Annotated[Positive, positive("problem size")]


def _counts_checked(text: str | None) -> str | None:
    for count in text.split(",") if text else ():
        number = count.rpartition("=")[2]
        if not number.strip().replace(".", "", 1).isdecimal() or not float(number):
            raise BadScale("number on a node", number)  # noqa: TRY003 - a subject
    return text or None


def _limits_checked(text: str | None) -> str | None:
    for limit in text.split(",") if text else ():
        if not _LIMIT.fullmatch(limit):
            raise BadScale("limit in per cent", limit)  # noqa: TRY003 - a subject
    return text or None


def _known_scale(name: str | None) -> str | None:
    if name is not None and name not in RESOURCES:
        raise UnknownChoice("scale", name, RESOURCES)
    return name


Resource = Annotated[
    str | None,
    WithJsonSchema({"anyOf": [{"enum": ["", *RESOURCES]}, NULL]}),
    _STATED,
    AfterValidator(_known_scale),
]


class ScalingQuery(BaseModel):
    """?kind=weak&size=1000&base=2&source=model&to=1024&vs=commit=v5.0.8."""

    kind: Kind = Field(
        None,
        description="`strong` or `weak`; what the runs are made for unless given.",
    )
    size: Size = Field(None, description="Problem size at p₁; the best unless given.")
    base: Scale = Field(None, description="p₁ of the row; the smallest unless given.")
    source: Annotated[TimesSource | None, choice("source", TimesSource)] = Field(
        None, description="`measured` unless given, or `model`."
    )
    reach: Scale = Field(
        None, alias="to", description="Largest scale of a model's errors."
    )
    vs: Text = Field(
        None, description="What to compare with.", examples=["commit=v5.0.8"]
    )
    scale: Resource = Field(
        None, description="Axis: p, nodes, gpus or threads.", examples=["nodes"]
    )


class EfficiencyQuery(BaseModel):
    """?kind=weak&scale=nodes&base=8&limit=80,50&runs=64&length=25&at=32."""

    kind: Kind = Field(
        None, description="`strong` or `weak`; what the measurements say unless given."
    )
    scale: Resource = Field(
        None, description="Axis: p, nodes, gpus or threads.", examples=["nodes"]
    )
    base: Scale = Field(None, description="Size of reference; the smallest if none.")
    limit: Annotated[Limits, AfterValidator(_limits_checked)] = Field(
        None,
        description="Efficiencies in per cent that are asked about, the first for the "
        "next run; `70,50` unless given.",
        examples=["80,50"],
    )
    held: Text = Field(None, description="Setting of a further parameter: `n=1000`.")
    per_node: Annotated[Counts, AfterValidator(_counts_checked)] = Field(
        None,
        description="How many of the scale a node has, `128`; or `cores=128,gpus=4`.",
    )
    steps: Annotated[Positive, positive("number of steps")] = Field(
        None, description="Steps of a run, where times are those of one."
    )
    runs: Annotated[Positive, positive("number of runs")] = Field(
        None, description="Runs of a job plan."
    )
    length: Annotated[Positive, positive("length")] = Field(
        None, description="How many times as long each of them is."
    )
    at: Scale = Field(None, description="Size at which they run.")


class HotspotQuery(BaseModel):
    """?over=n&held=threads=2&against=first&unit=0.001&at=11&vs=commit=v1."""

    over: Text = Field(None, description="Parameter of the scan, such as `p`.")
    held: Text = Field(None, description="Which scan, by what it holds fixed.")
    against: Annotated[Against | None, choice("against", Against)] = Field(
        None, description="`previous` unless given, or `first`."
    )
    correction: Annotated[Correction | None, choice("correction", Correction)] = Field(
        None, description="`holm` unless given, or `benjamini-hochberg`."
    )
    unit: Annotated[Positive, positive("unit of time")] = Field(
        None, description="Seconds that count as one in χ².", examples=[1]
    )
    at: Text = Field(None, description="Setting whose profile is shown in full.")
    vs: Text = Field(
        None, description="What to compare with.", examples=["commit=v1.2"]
    )


class ConfigurationQuery(BaseModel):
    """?objective=time&target=64&where=threads=1|2&declare=threads=1|2|4."""

    objective: Annotated[
        configurations.Objective | None, choice("objective", configurations.Objective)
    ] = Field(
        None, description="`area` unless given, `growth`, `correlation` or `time`."
    )
    kind: Kind = Field(None, description="`strong` unless given, or `weak`.")
    target: Scale = Field(None, description="p at which the time counts.")
    size: Size = Field(None, description="Problem size.")
    where: list[Levels] | None = Field(
        None, description="Levels that a setting may have.", examples=[["threads=1|2"]]
    )
    declare: list[Levels] | None = Field(
        None,
        description="Levels that belong to the space, run or not.",
        examples=[["threads=1|2|4|8"]],
    )


class TracesQuery(BaseModel):
    """?location=receive › MPI_Recv&target=p=1024&repeat=median&vs=commit=v1."""

    location: Text = Field(None, description="Region whose table is shown.")
    target: Annotated[
        Positive,
        positive("number of processes"),
        BeforeValidator(lambda text: (text or "").removeprefix("p=")),
    ] = Field(
        None,
        description="Processes for which locations are ranked, `1024` or `p=1024`.",
    )
    repeat: Annotated[Repeat | None, choice("repeat", Repeat)] = Field(
        None, description="`best` trace at each p unless given, or `median`."
    )
    vs: Text = Field(
        None, description="What to compare with.", examples=["commit=v1.2"]
    )


class InboxQuery(BaseModel):
    """?period=6m&project=mpich&machine=jureca&owner=ada&size=1.1&state=open&kind=growth."""

    period: Annotated[Period | None, choice("period", Period)] = Field(
        None, description="Half a year, `6m`, unless given."
    )
    project: Text = Field(None, description="All unless given.")
    machine: Text = Field(None, description="All unless given.")
    owner: Text = Field(None, description="Name, or `nobody`; all unless given.")
    size: Annotated[Positive, positive("factor")] = Field(
        None, description="Least factor by which something became worse."
    )
    state: Annotated[RegressionState | None, choice("state", RegressionState)] = Field(
        None, description="`open` unless given."
    )
    kind: Annotated[RegressionKind | None, choice("kind", RegressionKind)] = Field(
        None, description="All unless given."
    )


async def inbox_question(query: Annotated[InboxQuery, Query()]) -> InboxQuestion:
    """Read what an address asks the inbox."""
    return InboxQuestion(**query.model_dump(exclude_none=True))


InboxQuestionDep = Annotated[InboxQuestion, Depends(inbox_question)]


async def scaling_question(query: Annotated[ScalingQuery, Query()]) -> ScalingQuestion:
    """Read which scaling errors an address asks for."""
    return ScalingQuestion(**query.model_dump(exclude_none=True))


async def efficiency_question(
    query: Annotated[EfficiencyQuery, Query()],
) -> EfficiencyQuestion:
    """Read which efficiency an address asks for."""
    return EfficiencyQuestion(**query.model_dump(exclude_none=True))


async def hotspot_question(query: Annotated[HotspotQuery, Query()]) -> HotspotQuestion:
    """Read which profiles an address asks to be compared."""
    return HotspotQuestion(**query.model_dump(exclude_none=True))


async def traces_question(query: Annotated[TracesQuery, Query()]) -> TracesQuestion:
    """Read what an address asks about traces."""
    return TracesQuestion(**query.model_dump(exclude_none=True))


async def configuration_question(
    query: Annotated[ConfigurationQuery, Query()],
) -> configurations.ConfigurationQuestion:
    """Read which configuration an address looks for."""
    return configurations.ConfigurationQuestion(
        **query.model_dump(exclude_none=True, exclude={"where", "declare"}),
        constraints=_levels("where", query.where or []),
        declared=_levels("declare", query.declare or []),
    )


ScalingQuestionDep = Annotated[ScalingQuestion, Depends(scaling_question)]
EfficiencyQuestionDep = Annotated[EfficiencyQuestion, Depends(efficiency_question)]
HotspotQuestionDep = Annotated[HotspotQuestion, Depends(hotspot_question)]
TracesQuestionDep = Annotated[TracesQuestion, Depends(traces_question)]
ConfigurationQuestionDep = Annotated[
    configurations.ConfigurationQuestion, Depends(configuration_question)
]


def _levels(option: str, stated: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Read `threads=1|2` as the levels of a setting."""
    levels = {}
    for text in filter(None, stated):
        name, is_there, values = text.partition("=")
        if not (name and is_there and values):
            raise UnknownChoice(option, text, ["setting=level|level"])
        levels[name] = tuple(dict.fromkeys(values.split("|")))
    return levels
