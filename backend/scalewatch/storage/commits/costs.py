"""Queries on what runs have cost."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables


class Spent(NamedTuple):
    """A run, how it was scheduled, and the repetitions' sum of times by unit."""

    run_id: int
    coordinate: dict[str, int | float]
    scheduler_job: dict[str, Any] | None
    times: dict[str, float]


def spent(session: Session, commit_id: int, machine_id: int) -> Sequence[Spent]:
    """Return what each run of a commit on a machine took, oldest first."""
    mine = (tables.Run.commit_id == commit_id, tables.Run.machine_id == machine_id)
    sums = session.execute(
        select(
            tables.Point.run_id,
            tables.Series.unit,
            func.sum(tables.Point.count * tables.Point.q50),
        )
        .join(tables.Run, tables.Run.id == tables.Point.run_id)
        .join(tables.Series, tables.Series.id == tables.Point.series_id)
        .where(*mine, tables.Series.metric == "time")
        .group_by(tables.Point.run_id, tables.Series.unit)
    )
    times: dict[int, dict[str, float]] = defaultdict(dict)
    for run_id, unit, total in sums:
        times[run_id][unit] = float(total or 0)
    rows = session.execute(
        select(tables.Run.id, tables.Run.coordinate, tables.Run.scheduler_job)
        .where(*mine)
        .order_by(tables.Run.id)
    )
    return [Spent(run_id, at, job, times[run_id]) for run_id, at, job in rows]
