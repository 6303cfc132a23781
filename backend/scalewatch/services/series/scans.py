"""Scans: the measurements of one series at one commit, what they mean, and as drawn."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from scalewatch.errors import IncompleteCoordinates, ModellingError
from scalewatch.figures.curves import Scaling
from scalewatch.figures.notation import held_text
from scalewatch.modelling import ExpectedLevel, Model, break_even
from scalewatch.modelling.growths.verdict import nearest_models
from scalewatch.services.analysis.levels import TakenLevel
from scalewatch.services.analysis.pools import modelled_parameters
from scalewatch.services.expectations.in_force import ComposedExpectation, Expectation
from scalewatch.services.series.standing import Standing
from scalewatch.services.shared_cores import LeftOut
from scalewatch.storage.runs.measurements import RunCoordinate, Summary
from scalewatch.storage.runs.points import Flag, flags_in
from scalewatch.storage.tables import Point


@dataclass(frozen=True, slots=True)
class Measurement:
    """The repetitions of a series in one run, summarised.

    Parameters
    ----------
    x
        The parameter of the scan, at this coordinate.
    low, middle, high
        Quartiles over the repetitions; None where all of them failed.
    late
        Repetitions discarded because a process started late, where known.
    is_left_out
        Whether it is a time that is no evidence, see `shared_cores`.
    """

    run: UUID
    coordinate: Mapping[str, Any]
    x: float
    count: int
    minimum: float | None
    low: float | None
    middle: float | None
    high: float | None
    q95: float | None
    mean: float | None
    late: int | None
    flags: tuple[Flag, ...]
    is_left_out: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class Scan:
    """A series at a commit.

    Parameters
    ----------
    slot
        Position of the machine among the project's: it fixes the machine's colour.
    measurements
        By x.
    taken_level
        How much is expected: the same at all commits. None where only the growth is.
    """

    region: str
    metric: str
    unit: str
    better: str
    machine: str
    slot: int
    configuration: Mapping[str, Any]
    parameter: str
    measurements: tuple[Measurement, ...]
    expectation: Expectation | None
    composition: ComposedExpectation | None
    standing: Standing
    taken_level: TakenLevel | None = None

    @property
    def parameters(self) -> tuple[str, ...]:
        """Parameters that vary along the scan, the one it is drawn over first."""
        coordinates = [taken.coordinate for taken in self.measurements]
        others = sorted(set().union(*coordinates) - {self.parameter})
        varied = (
            name for name in others if len({at.get(name) for at in coordinates}) > 1
        )
        return self.parameter, *varied

    @property
    def evidence(self) -> tuple[Measurement, ...]:
        """Measurements that model and verdict rest on: successful and not left out."""
        return tuple(
            each for each in self.measurements if each.count and not each.is_left_out
        )

    @property
    def level(self) -> float | None:
        """The median at the only setting that was measured; None of several."""
        at = [each.middle for each in self.evidence]
        is_alone = len({each.x for each in self.measurements}) == 1
        return at[0] if is_alone and len(at) == 1 else None

    @property
    def flags(self) -> Mapping[Flag, tuple[float, ...]]:
        """Where each flag was raised, as settings of the parameter."""
        raised: dict[Flag, list[float]] = defaultdict(list)
        for measurement in self.measurements:
            for flag in measurement.flags:
                if measurement.x not in raised[flag]:
                    raised[flag].append(measurement.x)
        return {flag: tuple(at) for flag, at in raised.items()}

    @property
    def failures(self) -> Mapping[str, tuple[float, ...]]:
        """Settings at which no run succeeded where others did, by the reason told."""
        measured = {each.x for each in self.measurements if each.middle is not None}
        failed: dict[str, list[float]] = defaultdict(list)
        for measurement in self.measurements:
            reason = measurement.reason or ""
            if measured and measurement.x not in measured | {*failed[reason]}:
                failed[reason].append(measurement.x)
        return {reason: tuple(at) for reason, at in failed.items() if at}


def measurements_of(
    points: Sequence[Summary],
    runs: Mapping[int, RunCoordinate],
    parameter: str,
    late: Mapping[int, int | None],
    left_out: LeftOut,
) -> tuple[Measurement, ...]:
    """Return the measurements of a scan over a parameter, by x.

    Parameters
    ----------
    points
        Of one series.
    runs
        Where each run measured, by its id.
    late
        Repetitions discarded because a process started late, by run.
    left_out
        Points that are no evidence, see `shared_cores`.
    """
    measurements = []
    for point in points:
        run = runs[point.run_id]
        low, high = quartiles_of(point)
        measurements.append(
            Measurement(
                run=run.uuid,
                coordinate=run.coordinate,
                x=float(run.coordinate.get(parameter, 1)),
                count=point.count,
                minimum=point.minimum,
                low=low,
                middle=point.q50,
                high=high,
                q95=point.q95,
                mean=point.mean,
                late=late.get(point.run_id),
                flags=flags_in(point.flags),
                is_left_out=point in left_out,
                reason=point.reason,
            )
        )
    return tuple(sorted(measurements, key=lambda measurement: measurement.x))


def quartiles_of(point: Summary | Point) -> tuple[float | None, float | None]:
    """Return the quartiles of a point; they are stored as they lie about its median."""
    if point.q50 is None or point.below is None or point.above is None:
        return None, None
    return point.q50 - point.below, point.q50 + point.above


def flags_of(procedure: Mapping[str, Any]) -> tuple[Flag, ...]:
    """Return the flags of measurements that were taken by a procedure."""
    return _flags(
        bool(procedure.get("oversubscribed")),
        procedure.get("synchronisation"),
        tuple(procedure.get("caveats") or ()),
        bool(procedure.get("disturbed")),
    )


@cache
def _flags(
    is_oversubscribed: bool,  # noqa: FBT001 - a key of the cache
    synchronisation: str | None,
    caveats: tuple[str, ...],
    is_disturbed: bool,  # noqa: FBT001 - as above
) -> tuple[Flag, ...]:
    """Return flags, decoded once: most measurements are taken alike."""
    raised = {
        Flag.OVERSUBSCRIBED: is_oversubscribed,
        Flag.BARRIER: synchronisation == "barrier",
        Flag.CLOCK: "clock" in caveats,
        Flag.INTERPRETED: "interpreted" in caveats,
        Flag.DISTURBED: is_disturbed,
    }
    return tuple(flag for flag, is_raised in raised.items() if is_raised)


MOST_CANDIDATES: Final = 3
LEAST_SHARE: Final = 0.05
"""Probability of a growth that is drawn as a candidate."""

MOST_SLICES: Final = 6
"""Slices of one scan that share a figure; of more, evenly spread ones do."""


def scaling_of(
    scan: Scan,
    repetitions: Mapping[UUID, NDArray[np.float64]] | None = None,
    *,
    distinction: Mapping[str, Any] | None = None,
    held: Mapping[str, float] | None = None,
    position: int = 0,
) -> Scaling:
    """Return a scan as it is drawn; coordinates where all failed are left out.

    A scan over several parameters is drawn over the first, at those settings of the
    others where it was measured most.

    Parameters
    ----------
    distinction, position
        Settings that tell it from other scans of its machine, and its place there.
    held
        Where the other parameters are, if it is a slice of a scan.
    """
    most_measured, taken = _row(scan)
    held = most_measured if held is None else held
    expectation = scan.expectation
    return Scaling(
        name=" · ".join(
            [
                scan.machine,
                *(
                    f"{name} = {held_text(value, name)}"
                    for name, value in {**(distinction or {}), **held}.items()
                ),
            ]
        ),
        slot=scan.slot,
        position=position,
        parameter=scan.parameter,
        metric=scan.metric,
        unit=scan.unit,
        x=_numbers(taken, "x"),
        low=_numbers(taken, "low"),
        middle=_numbers(taken, "middle"),
        high=_numbers(taken, "high"),
        repetitions=tuple(repetitions[each.run] for each in taken)
        if repetitions
        else (),
        model=scan.standing.model,
        is_open=scan.standing.is_open,
        candidates=_candidates(scan, taken),
        held=held,
        expectation=None if expectation is None else expectation.growth,
        deviation_limit=None if expectation is None else expectation.deviation_limit,
        level=scan.taken_level,
        is_left_out=np.array([each.is_left_out for each in taken], dtype=bool),
    )


def leaves_tolerance(scan: Scan) -> float | None:
    """Return from which setting a model is above its deviation limit, as it is drawn.

    None if it is already at the largest setting measured, or if nothing tells.
    """
    model, expectation = scan.standing.model, scan.expectation
    limit = scan.standing.deviation_limit
    if model is None or expectation is None or limit is None:
        return None
    allowed = expectation.growth * limit
    named = {*model.growth.parameters, *allowed.parameters}
    if named != {scan.parameter} or not scan.evidence:
        return None
    largest = float(max(each.x for each in scan.evidence))
    level: ExpectedLevel | None = scan.taken_level
    if level is None or set(level.at) != {scan.parameter}:
        level = scaling_of(scan).evidence.shape_of(expectation.growth)
    if level is None:
        return None
    try:
        highest = level.curve(allowed)
        if model({scan.parameter: largest}) > highest({scan.parameter: largest}):
            return None
        return break_even(model, highest, 1.0, scan.parameter, start=largest)
    except ModellingError:
        return None


def _candidates(scan: Scan, taken: Sequence[Measurement]) -> tuple[Model, ...]:
    """Return models of what an open growth may be, the likeliest first."""
    standing = scan.standing
    is_known = standing.is_open and not standing.fits_none
    evidence = [each for each in taken if not each.is_left_out]
    x, middle = _numbers(evidence, "x"), _numbers(evidence, "middle")
    if not is_known or len(scan.parameters) > 1 or not (middle > 0).all():
        return ()
    likely = [
        growth
        for growth, share in standing.class_probability.items()
        if share >= LEAST_SHARE
    ]
    return tuple(nearest_models(scan.parameter, x, middle, likely[:MOST_CANDIDATES]))


def slices_of(scan: Scan) -> list[Scaling]:
    """Return a scan over several parameters as one curve per setting of the others.

    A scan over one parameter is a single slice.
    """
    taken = [each for each in scan.measurements if each.count]
    others = _others(scan, taken)
    slices: dict[tuple[float, ...], list[Measurement]] = defaultdict(list)
    for measured in taken:
        at = tuple(float(measured.coordinate[name]) for name in others)
        slices[at].append(measured)
    settings = sorted(slices)
    chosen = np.linspace(0, len(settings) - 1, min(len(settings), MOST_SLICES))
    return [
        scaling_of(
            replace(scan, measurements=tuple(slices[settings[round(k)]])),
            held=dict(zip(others, settings[round(k)], strict=True)),
            position=position,
        )
        for position, k in enumerate(chosen)
    ]


def _row(scan: Scan) -> tuple[dict[str, float], list[Measurement]]:
    """Return the settings at which a scan is drawn, and its measurements there."""
    taken = [each for each in scan.measurements if each.count]
    others = _others(scan, taken)
    rows: dict[tuple[float, ...], list[Measurement]] = defaultdict(list)
    for measured in taken:
        at = tuple(float(measured.coordinate[name]) for name in others)
        rows[at].append(measured)
    if not rows:
        return {}, []
    held = max(rows, key=lambda at: (len({each.x for each in rows[at]}), at))
    return dict(zip(others, held, strict=True)), rows[held]


def _others(scan: Scan, taken: Sequence[Measurement]) -> tuple[str, ...]:
    """Return the parameters that vary independently of the one it is drawn over."""
    if not taken:
        return ()
    try:
        parameters = modelled_parameters(
            [each.coordinate for each in taken], scan.parameter
        )
    except IncompleteCoordinates:
        return ()
    return tuple(name for name in parameters if name != scan.parameter)


def _numbers(taken: Sequence[Measurement], name: str) -> NDArray[np.float64]:
    return np.array([getattr(each, name) for each in taken], dtype=float)
