"""Scaling errors of a scan: the kind of scaling of its runs, and how far it is from it.

Strong scaling asks a meaningless question about runs whose processes have the same
work at every scale: nobody expects a broadcast on 64 times the processes to take 1/64
of the time. So the evidence of the kind comes first.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median
from typing import Any, Final

import numpy as np

from scalewatch.errors import ModellingError, NotModelled, TooFar
from scalewatch.modelling import (
    DivergenceMetric,
    ErrorDivergence,
    Factor,
    Growth,
    Origin,
    ScalingErrors,
    ScalingKind,
    SpeedUp,
    Times,
    WeakGaps,
    error_divergences,
    modelled_scaling_errors,
    speed_up,
    strong_scaling_errors,
    weak_gaps,
    weak_scaling_errors,
    with_constant_work,
)
from scalewatch.services.series.scans import Measurement, Scan
from scalewatch.texts.scales import RESOURCES, Scale, goes_with, varied_scale

SIZE: Final = "n"


def planes_of(
    measurements: Sequence[Measurement], scale: str
) -> dict[tuple[tuple[str, Any], ...], list[Measurement]]:
    """Return measurements that differ in scale and size only, by their other settings.

    Those with the most measurements come first. Other scales that follow from this
    one, as nodes do from processes, are no other settings.
    """
    scaled = [taken for taken in measurements if taken.count]
    scaled = [taken for taken in scaled if scale in taken.coordinate]
    along = {scale, SIZE} | {
        name
        for name in RESOURCES
        if all(name in taken.coordinate for taken in scaled)
        and goes_with(
            name, ((each.coordinate[scale], each.coordinate[name]) for each in scaled)
        )
    }
    planes: dict[tuple[tuple[str, Any], ...], list[Measurement]] = defaultdict(list)
    for taken in scaled:
        rest = {
            name: value
            for name, value in sorted(taken.coordinate.items())
            if name not in along
        }
        planes[tuple(rest.items())].append(taken)
    return dict(sorted(planes.items(), key=lambda plane: -len(plane[1])))


def pooled(
    taken: Sequence[Measurement], scale: str
) -> dict[tuple[float, float | None], float]:
    """Return the time at each scale and size; of several runs, their median."""
    seconds: dict[tuple[float, float | None], list[float]] = defaultdict(list)
    for measurement in taken:
        if measurement.middle is not None:
            coordinate = measurement.coordinate
            size = coordinate.get(SIZE)
            at = (float(coordinate[scale]), None if size is None else float(size))
            seconds[at].append(measurement.middle)
    return {at: median(values) for at, values in seconds.items()}


MESSAGE: Final = "message_bytes"
"""Configuration of an operation whose processes exchange messages of one size."""

FALLS: Final = 0.75
"""Times that are nowhere below this share of the first one do not fall."""


class Evidence(StrEnum):
    """The evidence of a kind of scaling."""

    SIZES_GROW = "sizes grow"
    SIZES_HOLD = "sizes hold"
    PROMISE_FALLS = "promise falls"
    PROMISE_HOLDS = "promise holds"
    MESSAGES_HOLD = "messages hold"
    TIMES_FALL = "times fall"
    TIMES_HOLD = "times hold"


@dataclass(frozen=True, slots=True)
class Design:
    """The kind of scaling that runs are made for.

    Parameters
    ----------
    promise
        The expected growth that it follows from, if it does.
    is_work_assumed
        Whether the work per process is taken to be the same at all scales, because no
        pair of problem sizes says so.
    """

    kind: ScalingKind
    evidence: Evidence
    promise: Growth | None = None
    is_work_assumed: bool = False


def design_of(scan: Scan, times: Times, scale: str) -> Design:
    """Return the kind of scaling by problem sizes, the expectation, then the times."""
    strong, weak = _pairs(times)
    is_varied = times.sizes is not None and times.sizes.size > 1
    if times.sizes is not None and (weak > strong or (is_varied and strong == 0)):
        return Design(ScalingKind.WEAK, Evidence.SIZES_GROW)
    if scan.expectation is not None:
        growth = scan.expectation.growth
        named = (scale, *(name for name in growth.parameters if name in RESOURCES))
        along = next((name for name in named if name in growth.parameters), scale)
        if growth.factor(along).order < Factor(along).order:
            return Design(ScalingKind.STRONG, Evidence.PROMISE_FALLS, growth)
        return Design(
            ScalingKind.WEAK, Evidence.PROMISE_HOLDS, growth, is_work_assumed=not weak
        )
    if times.sizes is not None:
        return Design(ScalingKind.STRONG, Evidence.SIZES_HOLD)
    seconds = times.at(None)
    if seconds.min() < FALLS * seconds[0]:
        return Design(ScalingKind.STRONG, Evidence.TIMES_FALL)
    is_message = MESSAGE in scan.configuration
    evidence = Evidence.MESSAGES_HOLD if is_message else Evidence.TIMES_HOLD
    return Design(ScalingKind.WEAK, evidence, is_work_assumed=True)


def _pairs(times: Times) -> tuple[int, int]:
    """Return how many pairs of scales the best problem size has, strong and weak."""
    scales = np.isfinite(times.seconds).sum(axis=1)
    strong = int((scales * (scales - 1) // 2).max())
    if times.sizes is None or times.scales.size < 2:
        return strong, 0
    errors = [weak_scaling_errors(times, size).errors for size in times.sizes.tolist()]
    beyond = ~np.tri(times.scales.size, dtype=bool)  # n₂ > n₁
    return strong, max(int(np.isfinite(each[beyond]).sum()) for each in errors)


class TimesSource(StrEnum):
    """Where the times come from."""

    MEASURED = "measured"
    MODEL = "model"


class Quantity(StrEnum):
    """The quantity that is drawn over pairs of scales."""

    EFFICIENCY = "efficiency"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class ScalingQuestion:
    """The scaling errors that are asked for.

    Parameters
    ----------
    kind
        Strong or weak; as the runs are made for unless given.
    size
        k, the problem size at n₁; the best measured one unless given.
    base
        n₁ of the row; the smallest scale unless given.
    source
        Whether times are measured, or those of the model.
    reach
        Largest scale shown of a model; four times the largest measured unless given.
    vs
        The other side: `commit=v1`, `machine=jureca` or
        `configuration=threads=4`.
    scale
        The parameter that is scaled; what varies unless given, p before others.
    """

    kind: ScalingKind | None = None
    size: float | None = None
    base: float | None = None
    source: TimesSource = TimesSource.MEASURED
    reach: float | None = None
    vs: str | None = None
    scale: str | None = None


NO_PAIR: Final = "no two scales have problem sizes in proportion to each other"

MOST_DOUBLINGS: Final = 24
"""Scales are at most this many doublings beyond the measured ones."""

USUAL_REACH: Final = 4.0
"""A model is shown up to this multiple of the largest scale measured."""


@dataclass(frozen=True, slots=True)
class RowPoint:
    """A scale of a row: everything about n₁ → n₂."""

    n2: float
    error: float
    speed_up: float
    efficiency: float
    serial_fraction: float | None
    origin: Origin


@dataclass(frozen=True, slots=True)
class CodeScaling:
    """Scaling errors on one machine in one configuration, or why there are none.

    Parameters
    ----------
    slot
        Position of the machine among the project's.
    held
        Settings of the coordinate other than scale and size.
    scale
        The parameter that is scaled; None where the runs name none.
    size, sizes
        k, and the problem sizes that it can be.
    scales
        Where it was measured.
    errors, speed_up, row
        None, or empty, where they cannot be computed.
    divergences
        One per metric.
    gaps
        Measurements that weak scaling lacks.
    reason
        Why there are no errors, in words.
    design
        The kind of scaling of the runs; None where nothing was measured.
    """

    machine: str
    slot: int
    configuration: Mapping[str, Any]
    held: Mapping[str, int | float]
    scale: Scale | None = None
    size: float | None = None
    sizes: tuple[float, ...] = ()
    scales: tuple[float, ...] = ()
    errors: ScalingErrors | None = None
    speed_up: SpeedUp | None = None
    row: tuple[RowPoint, ...] = ()
    divergences: tuple[ErrorDivergence, ...] = ()
    gaps: WeakGaps | None = None
    reason: str | None = None
    design: Design | None = None


def code_scaling(scan: Scan, question: ScalingQuestion) -> CodeScaling:
    """Return the scaling errors of a scan, or why there are none.

    Where other coordinates than scale and size were varied, at those settings of them
    that have the most measurements.
    """
    return side_by_side([scan], question)[0]


def measured_scaling(scan: Scan, question: ScalingQuestion) -> CodeScaling:
    """Return the scaling errors of a scan without the divergences of others."""
    return _of_planes(scan, question)[0]


def settled(scan: Scan, question: ScalingQuestion) -> ScalingQuestion:
    """Return a question with kind, n₁ and scale of a scan where none is named."""
    scaling = measured_scaling(scan, question)
    design, sped = scaling.design, scaling.speed_up
    usual = ScalingKind.STRONG if design is None else design.kind
    base = None if sped is None else sped.base
    return replace(
        question,
        kind=question.kind or usual,
        base=base if question.base is None else question.base,
        scale=scaling.scale.name if scaling.scale else question.scale,
    )


def side_by_side(
    scans: Sequence[Scan], question: ScalingQuestion
) -> tuple[CodeScaling, ...]:
    """Return the same for several scans."""
    return _diverging([_of_planes(scan, question)[0] for scan in scans])


def code_scalings(scan: Scan, question: ScalingQuestion) -> tuple[CodeScaling, ...]:
    """Return the same for all settings of other coordinates than scale and size."""
    return _diverging(_of_planes(scan, question))


def _of_planes(scan: Scan, question: ScalingQuestion) -> list[CodeScaling]:
    coordinates = [taken.coordinate for taken in scan.measurements if taken.count]
    scale = varied_scale(coordinates, question.scale)
    if scale is None:
        return [_unscaled(scan)]
    return [
        _code_scaling(scan, question, scale, dict(held), taken)
        for held, taken in planes_of(scan.measurements, scale.name).items()
    ]


def _unscaled(scan: Scan) -> CodeScaling:
    reason = "no run of it succeeded"
    if any(each.count for each in scan.measurements):
        kinds = " or ".join(scale.many for scale in RESOURCES.values())
        reason = f"no run that succeeded names its number of {kinds}"
    return CodeScaling(scan.machine, scan.slot, scan.configuration, {}, reason=reason)


def _diverging(scalings: Sequence[CodeScaling]) -> tuple[CodeScaling, ...]:
    """Return scalings with their divergences, those of one base measured at once."""
    alike: dict[tuple[float, str], list[int]] = defaultdict(list)
    for place, scaling in enumerate(scalings):
        if scaling.speed_up is not None and scaling.scale is not None:
            alike[scaling.speed_up.base, scaling.scale.name].append(place)
    measured = list(scalings)
    for (base, scale), places in alike.items():
        errors = [known for i in places if (known := scalings[i].errors) is not None]
        by_metric = [
            error_divergences(errors, metric, base, scale)
            for metric in DivergenceMetric
        ]
        for place, divergences in zip(
            places, zip(*by_metric, strict=True), strict=True
        ):
            measured[place] = replace(scalings[place], divergences=divergences)
    return tuple(measured)


def _code_scaling(
    scan: Scan,
    question: ScalingQuestion,
    scale: Scale,
    held: Mapping[str, int | float],
    taken: Sequence[Measurement],
) -> CodeScaling:
    place = (scan.machine, scan.slot, scan.configuration, held, scale)
    if scan.unit != "s":
        return CodeScaling(
            *place,
            reason=f"scaling errors compare times; {scan.metric} is in {scan.unit}",
        )
    design = None
    try:
        times = Times.of(pooled(taken, scale.name))
        design = design_of(scan, times, scale.name)
        settled_question = replace(question, kind=question.kind or design.kind)
        answer = _answered(place, scan, times, settled_question, design)
        return replace(answer, design=design)
    except ModellingError as why:
        known = {each.coordinate[scale.name] for each in taken}
        scales = tuple(sorted(map(float, known)))
        return CodeScaling(*place, scales=scales, reason=str(why), design=design)


def _answered(
    place: tuple[str, int, Mapping[str, Any], Mapping[str, Any], Scale],
    scan: Scan,
    times: Times,
    question: ScalingQuestion,
    design: Design,
) -> CodeScaling:
    is_assumed = question.kind is ScalingKind.WEAK and design.is_work_assumed
    if is_assumed:
        question = replace(question, kind=ScalingKind.STRONG)
    size = _size(times, question)
    errors = _errors(scan, times, question, size, place[-1].name)
    if is_assumed:
        errors = with_constant_work(errors)
    sped = speed_up(errors, question.base)
    is_weak = question.kind is ScalingKind.WEAK and size is not None
    known = CodeScaling(
        *place,
        size=size,
        sizes=() if times.sizes is None else tuple(times.sizes.tolist()),
        scales=tuple(times.scales.tolist()),
        gaps=weak_gaps(times, size, sped.base) if is_weak and size else None,
    )
    if np.isfinite(errors.errors).sum() <= np.isfinite(np.diag(errors.errors)).sum():
        return replace(known, reason=NO_PAIR)
    return replace(
        known,
        errors=errors,
        speed_up=sped,
        row=_row(errors, sped),
    )


def _errors(
    scan: Scan,
    times: Times,
    question: ScalingQuestion,
    size: float | None,
    scale: str,
) -> ScalingErrors:
    if question.source is TimesSource.MODEL:
        model = scan.standing.explaining
        if model is None:
            raise NotModelled(scan.standing.reason)
        largest = float(times.scales.max())
        end = USUAL_REACH * largest if question.reach is None else question.reach
        limit = largest * 2.0**MOST_DOUBLINGS
        if end > limit:
            raise TooFar(end, limit)
        beyond = largest * 2.0 ** np.arange(1, MOST_DOUBLINGS + 1)
        farther = [] if end <= largest else [end]
        scales = np.unique(
            np.concatenate([times.scales, beyond[beyond < end], farther])
        )
        kind = question.kind or ScalingKind.STRONG
        return modelled_scaling_errors(
            kind, model, scales, times, size, scale_name=scale
        )
    if question.kind is ScalingKind.WEAK:
        return weak_scaling_errors(times, size or 0.0)
    return strong_scaling_errors(times, size)


def _size(times: Times, question: ScalingQuestion) -> float | None:
    """Return k: the size asked for, else the one with most known scales."""
    if times.sizes is None or question.size is not None:
        return question.size if times.sizes is not None else None
    is_weak = question.kind is ScalingKind.WEAK and times.scales.size > 1
    known = []
    for size in times.sizes.tolist():
        values = (
            weak_scaling_errors(times, size).errors[0] if is_weak else times.at(size)
        )
        known.append((int(np.isfinite(values).sum()), size))
    _, best = max(known)
    return float(best)


def _row(errors: ScalingErrors, sped: SpeedUp) -> tuple[RowPoint, ...]:
    row = int(np.flatnonzero(errors.scales == sped.base)[0])
    fractions = sped.serial_fraction
    return tuple(
        RowPoint(
            n2=float(errors.scales[j]),
            error=float(errors.errors[row, j]),
            speed_up=float(sped.speed_up[j]),
            efficiency=float(sped.efficiency[j]),
            serial_fraction=None if np.isnan(fractions[j]) else float(fractions[j]),
            origin=errors.origin(row, j),
        )
        for j in np.flatnonzero(np.isfinite(errors.errors[row])).tolist()
    )
