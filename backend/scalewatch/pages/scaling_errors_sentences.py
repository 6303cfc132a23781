"""What scaling errors mean, in sentences."""

from itertools import takewhile
from typing import Final

from markupsafe import Markup

from scalewatch.modelling import Origin, ScalingKind
from scalewatch.pages.wording.formats import SPACE, count, named, plural, significant
from scalewatch.pages.wording.mathematics import big_o
from scalewatch.services.scaling_errors.design import Evidence
from scalewatch.services.scaling_errors.region import RegionScaling
from scalewatch.services.scaling_errors.scan import CodeScaling, RowPoint

LETTERS: Final = {ScalingKind.STRONG: "α", ScalingKind.WEAK: "β"}

FASTER: Final = Markup(
    "On {machine}, {n2} processes do {region}{of_size} {ratio} "
    "times as fast as {n1}, of {factor} times that would be ideal: {letter} = {error}, "
    "a parallel efficiency of {efficiency}{origin}."
)

SLOWER: Final = Markup(
    "On {machine}, {n2} processes take {longer} times as long for "
    "{region}{of_size} as {n1} do, instead of 1/{factor} of the time: "
    "{letter} = {error}, a parallel efficiency of {efficiency}{origin}."
)

LONGER: Final = Markup(
    "On {machine}, {n2} processes take {longer} times as long for {factor} "
    "times the {region}{of_size} as {n1} do for one: {letter} = {error}, a "
    "parallel efficiency of {efficiency}{origin}."
)

AS_LONG: Final = Markup(
    "On {machine}, {n2} processes take {longer} times as long for "
    "{region}{of_size} as {n1} do, all with the same work: {letter} = "
    "{error}, a parallel efficiency of {efficiency}{origin}."
)

EVIDENCE: Final = {
    Evidence.SIZES_GROW: Markup("their problem size n grows with p"),
    Evidence.SIZES_HOLD: Markup("their problem size n stays the same while p grows"),
    Evidence.PROMISE_FALLS: Markup("{promise} is promised, which falls with p"),
    Evidence.PROMISE_HOLDS: Markup("{promise} is promised, which does not fall with p"),
    Evidence.MESSAGES_HOLD: Markup("messages have the same size at any p"),
    Evidence.TIMES_FALL: Markup(
        "none names a problem size n, and their times fall with p"
    ),
    Evidence.TIMES_HOLD: Markup(
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


def scaling_sentence(shown: RegionScaling, scaling: CodeScaling) -> Markup | None:
    """Tell how far the largest scale is from the ideal; None where nothing is known."""
    sped = scaling.speed_up
    point = farthest(scaling)
    if sped is None or point is None:
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
        n2=count(point.n2),
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


def loss_sentence(scaling: CodeScaling) -> str | None:
    """Tell from where on most of the efficiency is lost; None where that stays."""
    if scaling.speed_up is None:
        return None
    base = scaling.speed_up.base
    beyond = [point for point in scaling.row if point.n2 > base]
    lost = list(takewhile(lambda point: point.efficiency < HALF, reversed(beyond)))
    if not lost:
        return None
    first = lost[-1]
    return (
        f"From p = {count(first.n2)} on, less than half of the efficiency is left: "
        f"{share(first.efficiency)} there."
    )


def design_sentence(scaling: CodeScaling) -> Markup:
    """Tell what kind of scaling the runs are made for, and by what that is told."""
    design = scaling.design
    if design is None:
        return Markup()
    because = EVIDENCE[design.evidence].format(promise=big_o(design.promise))
    assumed = "; the work per process is taken as constant"
    return Markup("The runs are made for {kind} scaling: {because}{assumed}.").format(
        kind=design.kind,
        because=because,
        assumed=assumed if design.is_work_assumed else "",
    )


def is_work_assumed(shown: RegionScaling, scaling: CodeScaling) -> bool:
    """Tell whether what is shown takes the work per process as constant."""
    design = scaling.design
    is_weak = shown.kind is ScalingKind.WEAK
    return is_weak and design is not None and design.is_work_assumed


def farthest(scaling: CodeScaling) -> RowPoint | None:
    """Return the largest scale of a row beyond its base."""
    if scaling.speed_up is None:
        return None
    base = scaling.speed_up.base
    beyond = [point for point in scaling.row if point.n2 > base and point.speed_up > 0]
    return beyond[-1] if beyond else None


def share(value: float) -> str:
    """Write a share that may exceed 1: `104 %`, `0.25 %`."""
    return f"{significant(value * 100, 2 if abs(value) < 0.1 else 3)}{SPACE}%"


def serial_fraction(value: float | None) -> str:
    """Write a serial fraction, which is none where more processes take longer."""
    return f">{SPACE}1" if value is not None and value > 1 else significant(value)


def gaps_sentence(scaling: CodeScaling) -> str:
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
