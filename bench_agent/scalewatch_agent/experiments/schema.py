"""Keys of an experiment file, their types and meaning."""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    field_validator,
    model_validator,
)

from scalewatch.errors import BadPattern
from scalewatch.texts.patterns import line_pattern_of
from scalewatch.wire import UNITS, Commit, Name, kept_unit, wrong
from scalewatch.wire.fields import Direction
from scalewatch_agent.experiments import documents
from scalewatch_agent.experiments.expressions import parse_expression
from scalewatch_agent.experiments.launchers import LAUNCHERS, Launcher, LocalSection
from scalewatch_agent.experiments.launchers.section import choice
from scalewatch_agent.experiments.parameters import RESERVED, BadParameters, spaced
from scalewatch_agent.programs import MOST_SECONDS


class Range(documents.FileSection):
    """Numbers at equal distances (`step`) or ratios (`factor`), both ends included."""

    start: int | float = Field(alias="from")
    end: int | float = Field(alias="to")
    step: int | float | None = None
    factor: int | float | None = None

    @model_validator(mode="after")
    def _leads_to_its_end(self) -> Self:
        if (self.step is None) == (self.factor is None):
            raise wrong("a range has either a step or a factor")
        try:
            self.values()
        except BadParameters as error:
            raise wrong(str(error)) from error
        return self

    def values(self) -> tuple[documents.Value, ...]:
        """Return the numbers."""
        return spaced(self.start, self.end, self.step, self.factor)


class Derived(documents.FileSection):
    """A parameter that follows from others."""

    expression: documents.Formula


def _kind(value: object) -> str:
    if isinstance(value, Mapping):
        return "derived" if "expression" in value else "range"
    return "list" if isinstance(value, list | tuple) else "value"


def _distinct(values: list[documents.Value]) -> list[documents.Value]:
    if not values:
        raise wrong("the list is empty")
    return values


Parameter = Annotated[
    Annotated[Range, Tag("range")]
    | Annotated[Derived, Tag("derived")]
    | Annotated[list[documents.Value], AfterValidator(_distinct), Tag("list")]
    | Annotated[documents.Value, Tag("value")],
    Discriminator(_kind),
]


def _step(value: object) -> object:
    return {"run": value} if isinstance(value, str | list) else value


class ShellStep(documents.FileSection):
    """Commands for the shell, each of which has to succeed."""

    run: documents.Command
    time_limit: float = Field(default=3600.0, gt=0, le=MOST_SECONDS)


def _starter(name: str) -> str:
    starters = {section.starter for section in LAUNCHERS.values()}
    known = [*sorted(filter(None, starters)), "none"]
    if name not in known:
        raise wrong(choice(known))
    return name


class Execute(documents.FileSection):
    """The program that is measured; it is not run by a shell."""

    run: documents.Command
    processes: documents.Formula | None = None
    threads: documents.Formula = parse_expression("1")
    nodes: documents.Formula | None = None
    tasks_per_node: documents.Formula | None = None
    time_limit: documents.Formula = parse_expression("600")
    estimate: documents.Formula | None = None
    environment: dict[str, str] = Field({})
    starter: Annotated[str, AfterValidator(_starter)] | None = None
    trace: bool = False


class ResultRule(documents.FileSection):
    """Where results stand in what the program writes.

    One of `line`, `pattern`, `json` and `json_lines`. What a rule names holds where
    the file does not name it itself. Of the values of each region the first `skip` are
    warm-ups, and `take` says which of the others are repetitions: all of them, or the
    last one, as of a time that a program prints again at each step.
    """

    line: str | None = None
    pattern: str | None = None
    file: documents.Output = "stdout"
    document: documents.Output | None = Field(default=None, alias="json")
    json_lines: documents.Output | None = None
    region: Name | None = None
    metric: Name = "time"
    unit: str | None = None
    better: Direction | None = None
    skip: int = Field(default=0, ge=0, le=1_000_000)
    take: Literal["all", "last"] = "all"

    @property
    def identity(self) -> dict[str, Any]:
        """The rule, as far as it tells jobs apart.

        Keys that came later and are not stated leave out themselves, so that jobs of
        earlier sweeps still count.
        """
        later = {"line", "skip", "take"} - self.model_fields_set
        return self.model_dump(exclude=later)

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        sources = (self.line, self.pattern, self.document, self.json_lines)
        if sum(source is not None for source in sources) != 1:
            raise wrong("a result has one of line, pattern, json and json_lines")
        units, unit = UNITS.get(self.metric), self.unit
        if units and unit is not None and kept_unit(self.metric, unit)[0] not in units:
            known = ", ".join(units)
            message = f"{self.unit!r} is no unit of {self.metric!r}; known are {known}"
            raise wrong(message, field="unit")
        return self

    @model_validator(mode="after")
    def _is_a_line_with_a_value(self) -> Self:
        if self.line is None:
            return self
        try:
            holes = line_pattern_of(self.line).holes
        except BadPattern as error:
            raise wrong(str(error), field="line") from error
        values = [hole for hole in holes.values() if hole.kind == "value"]
        if len(values) != 1:
            raise wrong("a line has one value, such as {time}", field="line")
        if values[0].taken != "each":
            raise wrong("write `take: last` beside the line", field="line")
        if any(hole.kind == "setting" for hole in holes.values()):
            raise wrong(
                "the settings of a job are its parameters: write {*} for them",
                field="line",
            )
        if self.region is None and "region" not in holes:
            raise wrong("name the region here, or by {region} in the line")
        return self

    @model_validator(mode="after")
    def _finds_what_it_needs(self) -> Self:
        if self.pattern is None:
            return self
        try:
            pattern = re.compile(self.pattern)
        except (re.error, RecursionError, OverflowError) as error:
            raise wrong(f"no regular expression: {error}", field="pattern") from error
        named = pattern.groupindex
        if pattern.groups == 0:
            raise wrong("put the number in parentheses", field="pattern")
        if "value" not in named and pattern.groups > len(named) + 1:
            raise wrong("call the group of the number (?P<value>…)", field="pattern")
        if self.region is None and "region" not in named:
            raise wrong("name the region here, or by a group (?P<region>…)")
        if self.unit is None and "unit" not in named:
            raise wrong("name the unit here, or by a group (?P<unit>…)")
        return self


class ProfileRule(documents.FileSection):
    """Where the profile of a run stands: a JSON list of regions and their seconds."""

    document: documents.Output = Field(alias="json")


def _commit(value: object) -> object:
    """Return a commit as the wire format wants it; YAML knows lists and texts only."""
    if isinstance(value, str):
        return {"sha": value}
    if not isinstance(value, dict):
        return value
    commit = dict(value)
    if isinstance(commit.get("parents"), list):
        commit["parents"] = tuple(commit["parents"])
    if isinstance(moment := commit.get("committed_at"), str):
        with suppress(ValueError):
            time = datetime.fromisoformat(moment)
            commit["committed_at"] = time if time.tzinfo else time.replace(tzinfo=UTC)
    return commit


class Experiment(documents.FileSection):
    """A whole file."""

    name: Name
    project: Name
    suite: Name | None = None
    machine: Name | None = None
    source: str = "."
    commit: Annotated[Commit, BeforeValidator(_commit)] | None = None
    parameters: dict[documents.Identifier, Parameter] = Field(
        min_length=1, max_length=100
    )
    zipped: list[list[documents.Identifier]] = Field([])
    where: documents.Formula | None = None
    coordinate: list[documents.Identifier] | None = None
    configuration: list[documents.Identifier] | None = None
    repeats: int = Field(default=10, ge=1, le=10_000)
    prepare: Annotated[ShellStep, BeforeValidator(_step)] | None = None
    compile: Annotated[ShellStep, BeforeValidator(_step)] | None = None
    execute: Annotated[Execute, BeforeValidator(_step)]
    analyse: Annotated[ShellStep, BeforeValidator(_step)] | None = None
    results: Annotated[list[ResultRule], Field(min_length=1)] = Field([])
    profile: ProfileRule | None = None
    launcher: Launcher = LocalSection()

    @field_validator("parameters")
    @classmethod
    def _leaves_reserved_names(cls, parameters: dict[str, Any]) -> dict[str, Any]:
        for name in parameters:
            if name in RESERVED:
                known = ", ".join(RESERVED)
                raise wrong(f"these names have a meaning already: {known}", field=name)
        return parameters


COUNTED: Final = ("p", "n", "threads", "nodes", "gpus")
"""Parameters that are coordinates unless the file says otherwise."""
