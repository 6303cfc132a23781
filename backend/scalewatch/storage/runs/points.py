"""Points: one narrow summary row per series and run, and its flags."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Text, and_, cast, func, or_, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database.lists import among
from scalewatch.storage.runs.series import is_timed

_SHARES: Final = (0.0, 0.25, 0.5, 0.75, 0.95)
_EXACT: Final = ("minimum", "q50")
_SINGLE: Final = ("below", "above", "q95", "mean", "deviation")
"""Statistics stored in single precision, since they are only shown."""

_LARGEST: Final = float(np.finfo(np.float32).max)
"""Largest distance of a quartile from the median; farther ones are stored as this."""

_NAMES: Final = (*_EXACT, *_SINGLE)
_NOTHING: Final = dict.fromkeys(_NAMES)

_HALF: Final = 0.5

Summary = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class StoredMeasurement:
    """A point of a series, and where its repetitions lie."""

    series_id: int
    region: str
    metric: str
    run_id: int
    coordinate: dict[str, int | float]
    start: int
    count: int
    flags: int
    reason: str | None


def summaries(values: NDArray[np.float64], counts: Sequence[int]) -> Sequence[Summary]:
    """Summarise the repetitions of each result; NaN where there are none.

    Parameters
    ----------
    values
        The repetitions of all results, one after the other.
    counts
        How many of them each result has.
    """
    number = np.asarray(counts)
    ends = np.cumsum(number)
    summaries: list[Summary] = [_NOTHING] * len(counts)
    for count in set(counts) - {0}:
        positions = np.flatnonzero(number == count)
        members = (ends[positions] - count)[:, np.newaxis] + np.arange(count)
        together = _summarise(values[members])
        for position, summary in zip(positions.tolist(), together, strict=True):
            summaries[position] = summary
    return summaries


def of_commit(
    session: Session, commit_id: int, machine_id: int, metric: str | None = None
) -> Sequence[StoredMeasurement]:
    """Return the points of a machine at a commit, oldest run first.

    Those of one metric if it is named.
    """
    run = tables.Run
    which = [run.commit_id == commit_id, run.machine_id == machine_id]
    if metric is not None:
        which.append(tables.Series.metric == metric)
    return _measured(session, *which)


def failed_at(
    session: Session, series_ids: Collection[int], commit_ids: Collection[int]
) -> list[tuple[int, int, bool]]:
    """Return series and commits that measured them, and whether a setting failed.

    A setting fails at a commit if no run of it succeeded.
    """
    point, run = tables.Point, tables.Run
    setting = cast(run.coordinate, Text)
    repetitions = (
        select(point.series_id, run.commit_id, func.max(point.count).label("most"))
        .join(run, run.id == point.run_id)
        .where(among(run.commit_id, commit_ids), among(point.series_id, series_ids))
        .group_by(point.series_id, run.commit_id, setting)
        .subquery()
        .c
    )
    key = repetitions.series_id, repetitions.commit_id
    rows = session.execute(select(*key, func.min(repetitions.most)).group_by(*key))
    return [(series, commit, not most) for series, commit, most in rows]


def of_series(
    session: Session, commit_id: int, series_ids: Collection[int]
) -> Sequence[StoredMeasurement]:
    """Return the points of series at a commit, oldest run first."""
    of_commit = tables.Run.commit_id == commit_id
    return _measured(session, of_commit, tables.Point.series_id.in_(series_ids))


def ruled_at(
    session: Session,
    project_id: int,
    bits: int,
    units: Collection[str],
    scales: Collection[str],
) -> Sequence[tuple[int, int]]:
    """Return where rules of a project say how its runs are read.

    Some flag is raised on what was really measured and timed, or coordinates name
    several scales. Pairs of the ids of a commit and a machine, the newest measured
    first.
    """
    run = tables.Run
    coordinate = cast(run.coordinate, Text)
    is_named = [coordinate.like(f'%"{scale}"%') for scale in scales]
    is_raised = (
        select(tables.Point.run_id)
        .join(tables.Series, tables.Series.id == tables.Point.series_id)
        .where(
            tables.Point.run_id == run.id,
            tables.Point.flags.bitwise_and(bits) != 0,
            is_timed(units),
        )
        .exists()
    )
    rows = session.execute(
        select(run.commit_id, run.machine_id)
        .join(tables.Machine, tables.Machine.id == run.machine_id)
        .where(
            tables.Machine.project_id == project_id,
            or_(
                and_(tables.Machine.provenance.is_(None), is_raised),
                *(and_(*pair) for pair in combinations(is_named, 2)),
            ),
        )
        .group_by(run.commit_id, run.machine_id)
        .order_by(func.max(run.id).desc())
    )
    return [(commit_id, machine_id) for commit_id, machine_id in rows]


def _measured(
    session: Session, *which: ColumnElement[bool]
) -> Sequence[StoredMeasurement]:
    rows = session.execute(
        select(
            tables.Point.series_id,
            tables.Series.region,
            tables.Series.metric,
            tables.Point.run_id,
            tables.Run.coordinate,
            tables.Point.start,
            tables.Point.count,
            tables.Point.flags,
            tables.Point.reason,
        )
        .join(tables.Run, tables.Run.id == tables.Point.run_id)
        .join(tables.Series, tables.Series.id == tables.Point.series_id)
        .where(*which)
        .order_by(tables.Point.series_id, tables.Point.run_id)
    )
    return [StoredMeasurement(*row) for row in rows]


def _summarise(values: NDArray[np.float64]) -> list[Summary]:
    """Summarise the rows of a matrix of repetitions, shape (S, R)."""
    with np.errstate(over="ignore", invalid="ignore"):
        minimum, q25, q50, q75, q95 = _quantiles(values)
        about = np.minimum((q50 - q25, q75 - q50), _LARGEST)
        spread = (*about, q95, values.mean(axis=1), _deviations(values))
        table = np.array([minimum, q50, *spread])
        for row in table[len(_EXACT) :]:
            single = row.astype(np.float32)
            # Values outside float32's range become inf or 0, as in the column.
            np.copyto(row, single, where=np.isinf(single) | (single == 0))
    # An overflow is stored as NULL: databases do not take infinity.
    if not np.isfinite(table).all():
        table = table.astype(object)
        table[~np.isfinite(table.astype(float))] = None
    return [dict(zip(_NAMES, row, strict=True)) for row in table.T.tolist()]


def _deviations(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard deviation of each row, NaN for one repetition."""
    if values.shape[1] == 1:
        return np.full(len(values), np.nan)
    deviations: NDArray[np.float64] = values.std(axis=1, ddof=1)
    return deviations


def _quantiles(values: NDArray[np.float64]) -> Iterable[NDArray[np.float64]]:
    """Return quantiles of each row, as `np.quantile` interpolates them."""
    ordered = np.sort(values, axis=1)
    last = values.shape[1] - 1
    for share in _SHARES:
        below = int(share * last)
        weight = share * last - below
        low, high = ordered[:, below], ordered[:, min(below + 1, last)]
        step = high - low
        yield low + step * weight if weight < _HALF else high - step * (1 - weight)


class Flag(StrEnum):
    """Caveats of a measurement; stored by their position in this list."""

    OVERSUBSCRIBED = "oversubscribed"
    BARRIER = "barrier-synchronised"
    CLOCK = "uncertain clocks"
    INTERPRETED = "interpreted loop"
    DISTURBED = "disturbed"


CROWDED: Final = (Flag.OVERSUBSCRIBED, Flag.BARRIER)
"""Raised where processes shared cores: they took turns, or found no common start."""

_BITS: Final = {flag: 1 << place for place, flag in enumerate(Flag)}


def bits_of(flags: Iterable[Flag]) -> int:
    """Return flags as they are stored: a bit each, in the order of their definition."""
    return sum(_BITS[flag] for flag in flags)


@cache  # of few that ever occur, for thousands of points
def flags_in(bits: int) -> tuple[Flag, ...]:
    """Return the flags that are stored as these bits."""
    return tuple(flag for flag, bit in _BITS.items() if bits & bit)
