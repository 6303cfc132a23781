"""Scans: the measurements of one series at one commit, with what they mean."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from scalewatch.services.analysis.levels import TakenLevel
from scalewatch.services.expectations.in_force import ComposedExpectation, Expectation
from scalewatch.services.series.standing import Standing
from scalewatch.services.shared_cores import LeftOut
from scalewatch.storage.runs.flags import Flag, flags_in
from scalewatch.storage.runs.measurements import RunCoordinate, Summary
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
