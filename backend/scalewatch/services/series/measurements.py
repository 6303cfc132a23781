"""Measurements: the repetitions of a series in one run, summarised."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from uuid import UUID

from scalewatch.storage.runs.flags import Flag, flags_in
from scalewatch.storage.runs.measurements import RunCoordinate, Summary
from scalewatch.storage.tables import Point

PARAMETER: Final = "p"
"""What a scan is drawn over, wherever it varies."""


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
        Whether it is a time that is no evidence, since processes shared cores.
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


def quartiles_of(point: Summary | Point) -> tuple[float | None, float | None]:
    """Return the quartiles of a point; they are stored as they lie about its median."""
    if point.q50 is None or point.below is None or point.above is None:
        return None, None
    return point.q50 - point.below, point.q50 + point.above


def measurement_of(
    point: Summary,
    place: RunCoordinate,
    parameter: str,
    late: int | None,
    *,
    is_left_out: bool,
) -> Measurement:
    """Return the measurement of a point at a coordinate of a scan over `parameter`."""
    low, high = quartiles_of(point)
    return Measurement(
        run=place.uuid,
        coordinate=place.coordinate,
        x=float(place.coordinate.get(parameter, 1)),
        count=point.count,
        minimum=point.minimum,
        low=low,
        middle=point.q50,
        high=high,
        q95=point.q95,
        mean=point.mean,
        late=late,
        flags=flags_in(point.flags),
        is_left_out=is_left_out,
        reason=point.reason,
    )


def flags_of(procedure: Mapping[str, Any]) -> tuple[Flag, ...]:
    """Return what to keep in mind about measurements taken like this."""
    return _flags(
        bool(procedure.get("oversubscribed")),
        procedure.get("synchronisation"),
        tuple(procedure.get("caveats") or ()),
    )


@cache
def _flags(
    is_oversubscribed: bool,  # noqa: FBT001 - a key of the cache
    synchronisation: str | None,
    caveats: tuple[str, ...],
) -> tuple[Flag, ...]:
    """Most measurements are taken alike: what was said of one is said of all."""
    raised = {
        Flag.OVERSUBSCRIBED: is_oversubscribed,
        Flag.BARRIER: synchronisation == "barrier",
        Flag.CLOCK: "clock" in caveats,
        Flag.INTERPRETED: "interpreted" in caveats,
    }
    return tuple(flag for flag, is_raised in raised.items() if is_raised)


def varied(coordinates: Sequence[Mapping[str, Any]]) -> str:
    """Return what varies along the scan, p if that does or if nothing does."""
    names = sorted(set.intersection(*(set(at) for at in coordinates)))
    varying = [name for name in names if len({at[name] for at in coordinates}) > 1]
    candidates = varying or names
    if PARAMETER in candidates or not candidates:
        return PARAMETER
    return candidates[0]
