"""Medians of what was measured, by series and setting."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from sqlalchemy.orm import Session

from scalewatch.services.measurements import varied
from scalewatch.storage import measurements


@dataclass(frozen=True, slots=True)
class Middles:
    """Medians of one series along what was varied.

    Parameters
    ----------
    parameter
        What was varied.
    values
        The median at each setting of it; of several runs, the median of theirs.
    """

    parameter: str
    values: Mapping[float, float]


def middles_at(
    session: Session, commit_id: int, series: Collection[int]
) -> dict[int, Middles]:
    """Return the medians of those series that have a result at a commit."""
    places = measurements.places_at(session, commit_id)
    taken: dict[int, list[tuple[Mapping[str, Any], float]]] = defaultdict(list)
    for series_id, run_id, middle in measurements.middles_of(
        session, commit_id, series
    ):
        if middle is not None:
            taken[series_id].append((places[run_id].coordinate, middle))
    return {series_id: _along(measured) for series_id, measured in taken.items()}


def _along(measured: list[tuple[Mapping[str, Any], float]]) -> Middles:
    parameter = varied([coordinate for coordinate, _ in measured])
    values: dict[float, list[float]] = defaultdict(list)
    for coordinate, middle in measured:
        values[float(coordinate.get(parameter, 1))].append(middle)
    return Middles(parameter, {x: median(each) for x, each in sorted(values.items())})
