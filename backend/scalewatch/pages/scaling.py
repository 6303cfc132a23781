"""Pages of how a region scales: efficiency, serial fraction, and scaling errors.

They are tabs of one entry: a sentence, figures and a table of one region on a machine.
"""

import re
from collections.abc import Mapping
from functools import partial
from itertools import takewhile
from math import inf
from typing import Annotated, Any, Final

from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from scalewatch.errors import NoTimes
from scalewatch.exporters.listing import Columns, Listing
from scalewatch.modelling import DivergenceMetric, Origin, ScalingErrors, ScalingKind
from scalewatch.modelling.efficiencies import SizeRow
from scalewatch.modelling.scaling_errors.errors import ScalingError
from scalewatch.pages.moved import moved_to
from scalewatch.pages.rendering import addresses, navigation, plots, templates
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.rendering.errors import show_untimed
from scalewatch.pages.wording.formats import (
    assignments,
    count,
    named,
    plural,
    share,
)
from scalewatch.pages.wording.mathematics import big_o
from scalewatch.services.efficiencies import wording
from scalewatch.services.efficiencies.table import table_of
from scalewatch.services.regions import efficiency
from scalewatch.services.regions.efficiency import RegionEfficiency, efficiency_at
from scalewatch.services.scaling_errors import region as errors
from scalewatch.services.scaling_errors import scan
from scalewatch.services.scaling_errors.region import RegionScaling, scaling_errors_at
from scalewatch.texts.numbers import SPACE, significant
from scalewatch.texts.scales import RESOURCES
from scalewatch.web.queries import (
    EfficiencyQuestionDep,
    ScalingQuestionDep,
    ViewDep,
    choice,
)
from scalewatch.web.sessions import ReadingDep

LIMITS: Final = {"90,50": "90 %", "80,50": "80 %", "60,50": "60 %"}
"""Efficiencies in per cent that a choice offers, beside the usual one."""

EXAMPLE_SIZE: Final = 1000
"""Work per process of a weak scaling study that is proposed."""

EXAMPLE_SCALES: Final = (2.0, 4.0, 8.0, 16.0, 32.0)

OF_CONTOURS: Final = frozenset({"quantity", "size", "source", "to", "vs"})
"""Names that only the address of the contours has, which was this one before."""

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


@router.get("/p/{project}/scaling", name="scaling")  # noqa: FAST003, the view
@router.get("/p/{project}/scaling/serial", name="serial-fraction")
def show_scaling(  # noqa: PLR0913, PLR0917 - parts of the address
    request: Request,
    session: ReadingDep,
    view: ViewDep,
    question: EfficiencyQuestionDep,
    region: str | None = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show how much faster a region gets on more nodes, GPUs or processes."""
    if OF_CONTOURS & request.query_params.keys():
        return moved_to(request, "scaling-errors", project=view.project)
    route = str(request.scope["route"].name)
    try:
        shown = efficiency_at(session, view, region or None, question)
    except NoTimes as error:
        if wanted is not Format.HTML:
            raise
        return show_untimed(request, view, route, error)
    if wanted is not Format.HTML:
        name = f"{shown.region}-{shown.commit.label}-efficiency"
        return download(wanted, name, shown, numbers, cells)
    scaled = shown.chosen
    query = {
        "region": shown.region,
        **addresses.stated_view(view),
        **addresses.stated_question(question),
    }
    return templates.render(
        request,
        "scaling/efficiency.html",
        route=route,
        shown=shown,
        scaled=scaled,
        query=query,
        limits=LIMITS.items(),
        scales=[(name, RESOURCES[name].many) for name in shown.scales],
        table=table_of(scaled) if scaled else None,
        lead=wording.speed_sentence(scaled, shown.region) if scaled else "",
        kind=_in_address(wording.kind_words(scaled)) if scaled else "",
        limit=wording.limits_sentence(scaled) if scaled else "",
        following=wording.next_sentence(scaled) if scaled else "",
        remarks=[*map(_in_address, wording.remarks(scaled))] if scaled else [],
        questions=[*map(_in_address, wording.questions(scaled))] if scaled else [],
        hours=significant(shown.plan.hours) if shown.plan else None,
        plots=plots.plots_of(
            request,
            "efficiency-figure",
            efficiency.FIGURES,
            shown,
            {"project": shown.project, **query},
        ),
    )


@router.get("/p/{project}/scaling/contours", name="scaling-errors")  # noqa: FAST003
def show_scaling_errors(  # noqa: PLR0913, PLR0917 - parts of the address
    request: Request,
    session: ReadingDep,
    view: ViewDep,
    question: ScalingQuestionDep,
    region: str | None = None,
    quantity: Annotated[scan.Quantity | None, choice("quantity", scan.Quantity)] = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show how far a region is from ideal scaling, between all pairs of scales."""
    try:
        shown = scaling_errors_at(session, view, region or None, question)
    except NoTimes as error:
        if wanted is not Format.HTML:
            raise
        return show_untimed(request, view, "scaling-errors", error)
    if wanted is not Format.HTML:
        name = f"{shown.region}-{shown.commit.label}-{shown.kind}-scaling"
        return download(wanted, name, shown, pairs, rows)
    kind = shown.kind
    drawn = quantity or scan.Quantity.EFFICIENCY
    state = {
        "region": shown.region,
        **addresses.stated_view(view),
        **addresses.stated_question(question, reach="to"),
    }
    query = {
        **state,
        "quantity": drawn if drawn is not scan.Quantity.EFFICIENCY else None,
    }
    return templates.render(
        request,
        "scaling/contours.html",
        route="scaling-errors",
        shown=shown,
        kind=kind,
        query=query,
        quantity=drawn,
        plots=plots.plots_of(
            request,
            "scaling-error-figure",
            errors.FIGURES,
            shown,
            {"project": shown.project, **state},
        ),
        ranked=ranked(shown.scalings),
        telling_of=partial(telling, shown),
        letter=LETTERS[kind],
        lead=scaling_sentence(shown, shown.chosen),
        design_sentence=design_sentence(shown.chosen),
        loss_sentence=loss_sentence(shown.chosen),
        gaps_sentence=gaps_sentence(shown.chosen),
        metrics=MEANINGS,
        serial_fraction=serial_fraction,
        proposed=[
            (scale, EXAMPLE_SIZE * scale)
            for scale in shown.chosen.scales or EXAMPLE_SCALES
        ],
    )


def _in_address(sentence: str) -> str:
    """Return a sentence with the choices of an address for the options of a command."""
    for option, stated in OPTIONS.items():
        sentence = option.sub(stated, sentence)
    return sentence


OPTIONS: Final = {
    re.compile("--scaling says"): "?kind=strong or ?kind=weak says",
    re.compile(r"--scaling (\w+)"): r"?kind=\1",
    re.compile(r"--per-node \w+=N"): "?per_node=N",
    re.compile("--steps N"): "?steps=N",
    re.compile(r"--scale (\w+)"): r"?scale=\1",
    re.compile(r"--base (\S+)"): r"?base=\1",
}
"""Options of `scalewatch model`, and the same choices in an address."""


def numbers(shown: RegionEfficiency) -> Listing:
    """Return one line per size with all digits, for programs."""
    scaled = shown.chosen
    rows = () if scaled is None or scaled.scaling is None else scaled.scaling.rows
    forecasts = () if scaled is None else scaled.forecasts
    return Columns[SizeRow](
        {
            "machine": lambda _: shown.machine,
            "size": lambda row: row.size,
            "runs": lambda row: row.runs,
            "value": lambda row: row.value.value,
            "low": lambda row: row.value.low,
            "high": lambda row: row.value.high,
            "speed_up": lambda row: row.speed_up,
            "efficiency": lambda row: row.efficiency.value,
            "efficiency_low": lambda row: row.efficiency.low,
            "efficiency_high": lambda row: row.efficiency.high,
            "hours": lambda row: scaled and scaled.hours_of(row),
        }
    ).listing((row,) for row in (*rows, *forecasts))


def cells(shown: RegionEfficiency) -> Listing:
    """Return the table that is shown, for people."""
    if shown.chosen is None:
        return Listing((), iter(()))
    table = table_of(shown.chosen)
    rows = ((shown.machine, *row.cells) for row in table.rows)
    return Listing(("Machine", *table.headings), rows)


def ranked(scalings: tuple[scan.CodeScaling, ...]) -> list[scan.CodeScaling]:
    """Return scalings by the share that they lose, most first, unknown ones last."""

    def loss(scaling: scan.CodeScaling) -> float:
        values = {each.metric: each.value for each in scaling.divergences}
        value = values.get(DivergenceMetric.AREA)
        return inf if value is None else -value

    return sorted(scalings, key=loss)


def telling(shown: RegionScaling, scaling: scan.CodeScaling) -> dict[str, Any]:
    """Return the settings that tell a scaling from the others."""
    return {
        name: value
        for name, value in scaling.configuration.items()
        if name in shown.choices
    }


def pairs(shown: RegionScaling) -> Listing:
    """Return one line per machine, configuration and pair of scales."""
    return Columns[scan.CodeScaling, ScalingErrors, ScalingError](
        {
            "machine": lambda scaling, _, __: scaling.machine,
            "configuration": lambda scaling, _, __: assignments(scaling.configuration),
            "kind": lambda _, errors, __: errors.kind,
            "size": lambda scaling, _, __: scaling.size,
            "n1": lambda _, __, pair: pair.n1,
            "n2": lambda _, __, pair: pair.n2,
            "error": lambda _, __, pair: pair.error,
            "origin": lambda _, __, pair: pair.origin,
        }
    ).listing(
        (scaling, scaling.errors, pair)
        for scaling in shown.scalings
        if scaling.errors is not None
        for pair in scaling.errors
    )


def rows(shown: RegionScaling) -> Listing:
    """Return one line per machine, configuration and scale of the row."""
    return Columns[scan.CodeScaling, scan.RowPoint](
        {
            "Machine": lambda scaling, _: scaling.machine,
            "Configuration": lambda scaling, _: assignments(scaling.configuration),
            shown.scale.end("₂"): lambda _, point: point.n2,
            LETTERS[shown.kind]: lambda _, point: point.error,
            "Efficiency": lambda _, point: point.efficiency,
            "Speed-up": lambda _, point: point.speed_up,
            "Karp–Flatt": lambda _, point: point.serial_fraction,
            "Origin": lambda _, point: point.origin,
        }
    ).listing((scaling, point) for scaling in shown.scalings for point in scaling.row)


MEANINGS: Final[Mapping[DivergenceMetric, str]] = {
    DivergenceMetric.AREA: (
        "the average efficiency loss per doubling: 0 is ideal, 1 means that all is "
        "lost, and a code faster than ideal is below 0"
    ),
    DivergenceMetric.GROWTH: (
        "the exponent by which the slowdown against the ideal grows at the largest "
        "scale: 0 if the loss no longer grows, 1 if more of it does not help at all"
    ),
    DivergenceMetric.CORRELATION: (
        "whether the loss rises steadily with the scale, whatever its size: +1 if it "
        "does, 0 without a trend, −1 if it falls steadily"
    ),
}
"""Meaning of each divergence metric; of all of them, larger is worse."""

LETTERS: Final = {ScalingKind.STRONG: "α", ScalingKind.WEAK: "β"}

FASTER: Final = Markup(
    "On {machine}, {region}{of_size} runs {ratio}× faster on {n2} than on {n1} "
    "(ideal {factor}×): parallel efficiency {efficiency}, {letter} = {error}{origin}."
)

SLOWER: Final = Markup(
    "On {machine}, {n2} take {longer} times as long for "
    "{region}{of_size} as {n1} do, instead of 1/{factor} of the time: "
    "{letter} = {error}, parallel efficiency {efficiency}{origin}."
)

LONGER: Final = Markup(
    "On {machine}, {n2} take {longer} times as long for {factor} "
    "times the {region}{of_size} as {n1} do for one: {letter} = {error}, "
    "parallel efficiency {efficiency}{origin}."
)

AS_LONG: Final = Markup(
    "On {machine}, {n2} take {longer} times as long for "
    "{region}{of_size} as {n1} do, all with the same work: {letter} = "
    "{error}, parallel efficiency {efficiency}{origin}."
)

EVIDENCE: Final = {
    scan.Evidence.SIZES_GROW: Markup("their problem size n grows with {scale}"),
    scan.Evidence.SIZES_HOLD: Markup(
        "their problem size n stays the same while {scale} grows"
    ),
    scan.Evidence.PROMISE_FALLS: Markup(
        "{expected} is expected, which falls with {scale}"
    ),
    scan.Evidence.PROMISE_HOLDS: Markup(
        "{expected} is expected, which does not fall with {scale}"
    ),
    scan.Evidence.MESSAGES_HOLD: Markup("messages have the same size at any {scale}"),
    scan.Evidence.TIMES_FALL: Markup(
        "none names a problem size n, and their times fall with {scale}"
    ),
    scan.Evidence.TIMES_HOLD: Markup(
        "none names a problem size n, and their times do not fall"
    ),
}

HALF: Final = 0.495
"""Efficiency that is written as less than half, however it is rounded."""

ORIGINS: Final = {
    Origin.MEASURED: "",
    Origin.MODELLED: ", by the model",
    Origin.EXTRAPOLATED: ", as the model extrapolates",
}


def scaling_sentence(shown: RegionScaling, scaling: scan.CodeScaling) -> Markup | None:
    """Tell how far the largest scale is from the ideal; None where nothing is known."""
    sped = scaling.speed_up
    point = farthest(scaling)
    if sped is None or point is None or scaling.scale is None:
        return None
    factor = point.n2 / sped.base
    kind = shown.kind
    said = FASTER if point.speed_up >= 1 else SLOWER
    if kind is ScalingKind.WEAK:
        said = AS_LONG if is_work_assumed(shown, scaling) else LONGER
    size = "" if scaling.size is None else f" (n{SPACE}={SPACE}{count(scaling.size)})"
    return said.format(
        machine=named(scaling.machine),
        region=named(shown.region),
        n1=count(sped.base),
        n2=scaling.scale.counted(point.n2),
        of_size=size,
        ratio=significant(point.speed_up),
        longer=significant(factor / point.speed_up)
        if kind is ScalingKind.WEAK
        else significant(1 / point.speed_up),
        factor=f"{factor:,.3g}",
        letter=LETTERS[kind],
        error=significant(point.error),
        efficiency=share(point.efficiency),
        origin=ORIGINS[point.origin],
    )


def loss_sentence(scaling: scan.CodeScaling) -> str | None:
    """Tell from where on most of the efficiency is lost; None where that stays."""
    if scaling.speed_up is None or scaling.scale is None:
        return None
    base = scaling.speed_up.base
    beyond = [point for point in scaling.row if point.n2 > base]
    lost = list(takewhile(lambda point: point.efficiency < HALF, reversed(beyond)))
    if not lost:
        return None
    first = lost[-1]
    return (
        f"From {scaling.scale.counted(first.n2)} on, less than half of the efficiency "
        f"is left: {share(first.efficiency)} there."
    )


def design_sentence(scaling: scan.CodeScaling) -> Markup:
    """Tell what kind of scaling the runs are made for, and by what that is told."""
    design = scaling.design
    if design is None or scaling.scale is None:
        return Markup()
    because = EVIDENCE[design.evidence].format(
        expected=big_o(design.promise), scale=scaling.scale.name
    )
    assumed = f"; the work per {scaling.scale.singular} is taken as constant"
    return Markup("The runs are made for {kind} scaling: {because}{assumed}.").format(
        kind=design.kind,
        because=because,
        assumed=assumed if design.is_work_assumed else "",
    )


def is_work_assumed(shown: RegionScaling, scaling: scan.CodeScaling) -> bool:
    """Tell whether what is shown takes the work per process as constant."""
    design = scaling.design
    is_weak = shown.kind is ScalingKind.WEAK
    return is_weak and design is not None and design.is_work_assumed


def farthest(scaling: scan.CodeScaling) -> scan.RowPoint | None:
    """Return the largest scale of a row beyond its base."""
    if scaling.speed_up is None:
        return None
    base = scaling.speed_up.base
    beyond = [point for point in scaling.row if point.n2 > base and point.speed_up > 0]
    return beyond[-1] if beyond else None


def serial_fraction(value: float | None) -> str:
    """Write a serial fraction, which is none where more processes take longer."""
    return f">{SPACE}1" if value is not None and value > 1 else significant(value)


def gaps_sentence(scaling: scan.CodeScaling) -> str:
    """Tell how many pairs weak scaling lacks, and why."""
    gaps = scaling.gaps
    if gaps is None or not (gaps.missing or gaps.indivisible):
        return ""
    parts = []
    if gaps.missing:
        runs = plural(len(gaps.runs), "run")
        parts.append(f"{plural(len(gaps.missing), 'pair')} would be filled by {runs}.")
    if gaps.indivisible:
        listed = ", ".join(f"{n1:g}→{n2:g}" for n1, n2 in gaps.indivisible[:6])
        more = ", …" if len(gaps.indivisible) > 6 else ""
        parts.append(
            f"No run can fill {listed}{more}: the problem size does not divide by "
            "their ratio."
        )
    return " ".join(parts)
