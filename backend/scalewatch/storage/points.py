"""Points: one narrow summary row per series and run."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables

_QUANTILES: Final = {
    "minimum": 0.0,
    "q05": 0.05,
    "q25": 0.25,
    "q50": 0.5,
    "q75": 0.75,
    "q95": 0.95,
}
_NOTHING: Final = dict.fromkeys((*_QUANTILES, "mean", "deviation"))

Summary = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Measurement:
    """A point of a series, and where its repetitions lie."""

    series_id: int
    region: str
    metric: str
    run_id: int
    coordinate: dict[str, int | float]
    start: int
    count: int
    reason: str | None


def summaries(results: Sequence[NDArray[np.float64]]) -> list[Summary]:
    """Summarise the repetitions of each result; no repetitions, no numbers."""
    found: list[Summary] = [dict(_NOTHING) for _ in results]
    by_count: dict[int, list[int]] = {}
    for position, values in enumerate(results):
        by_count.setdefault(values.size, []).append(position)
    by_count.pop(0, None)
    for positions in by_count.values():
        together = _summarise(np.stack([results[position] for position in positions]))
        for position, summary in zip(positions, together, strict=True):
            found[position] = summary
    return found


def of_commit(
    session: Session, commit_id: int, machine_id: int
) -> Sequence[Measurement]:
    """Return what a machine measured of a commit, oldest run first."""
    return _measured(session, commit_id, tables.Run.machine_id == machine_id)


def of_series(
    session: Session, commit_id: int, series_ids: Collection[int]
) -> Sequence[Measurement]:
    """Return what was measured of some series at a commit, oldest run first."""
    return _measured(session, commit_id, tables.Point.series_id.in_(series_ids))


def _measured(
    session: Session, commit_id: int, which: ColumnElement[bool]
) -> Sequence[Measurement]:
    rows = session.execute(
        select(
            tables.Point.series_id,
            tables.Series.region,
            tables.Series.metric,
            tables.Point.run_id,
            tables.Run.coordinate,
            tables.Point.start,
            tables.Point.count,
            tables.Point.reason,
        )
        .join(tables.Run, tables.Run.id == tables.Point.run_id)
        .join(tables.Series, tables.Series.id == tables.Point.series_id)
        .where(tables.Run.commit_id == commit_id, which)
        .order_by(tables.Point.series_id, tables.Point.run_id)
    )
    return [Measurement(*row) for row in rows]


def _summarise(values: NDArray[np.float64]) -> list[dict[str, Any]]:
    """Summarise the rows of a matrix of repetitions, shape (S, R)."""
    repetitions = values.shape[1]
    columns = dict(
        zip(
            _QUANTILES,
            np.quantile(values, list(_QUANTILES.values()), axis=1),
            strict=True,
        )
    )
    with np.errstate(over="ignore", invalid="ignore"):
        columns["mean"] = values.mean(axis=1)
        if repetitions > 1:
            columns["deviation"] = values.std(axis=1, ddof=1)
    table = np.array([columns[name] for name in columns])
    # What overflows is unknown; a database has no place for infinity.
    if not np.isfinite(table).all():
        table = table.astype(object)
        table[~np.isfinite(table.astype(float))] = None
    return [_NOTHING | dict(zip(columns, row, strict=True)) for row in table.T.tolist()]
