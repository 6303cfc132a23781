"""Queries on traced runs: those that bring the time in MPI of a whole program."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database.lists import among

PROGRAM: Final = "program"
"""Region of the whole program."""

TRACED: Final = ("mpi_time", "overhead")
"""Metrics of the program of which a trace has one at least."""


def is_traced(session: Session, project: str) -> bool:
    """Tell whether any program of a project was traced."""
    of_project = (
        tables.Machine.project_id == tables.Project.id,
        tables.Project.name == project,
    )
    wanted = exists().where(
        tables.Series.machine_id == tables.Machine.id, *of_project, *_of_program()
    )
    return bool(session.scalar(select(wanted)))


def commits_of(session: Session, project_id: int) -> Sequence[tables.Commit]:
    """Return the commits of a project that were traced, the last one first."""
    traced = session.scalars(
        select(tables.Series.id)
        .join(tables.Machine, tables.Machine.id == tables.Series.machine_id)
        .where(tables.Machine.project_id == project_id, *_of_program())
    ).all()
    if not traced:
        return []
    # From series to the runs that may hold them, and by key to their points: there is
    # no index of points by series, which are the largest table.
    last = (
        select(tables.Run.commit_id, func.max(tables.Run.id).label("run_id"))
        .join(
            tables.Series,
            (tables.Series.machine_id == tables.Run.machine_id)
            & (tables.Series.configuration_id == tables.Run.configuration_id),
        )
        .join(
            tables.Point,
            (tables.Point.run_id == tables.Run.id)
            & (tables.Point.series_id == tables.Series.id),
        )
        .where(among(tables.Series.id, traced))
        .group_by(tables.Run.commit_id)
        .subquery()
    )
    return session.scalars(
        select(tables.Commit)
        .join(last, last.c.commit_id == tables.Commit.id)
        .order_by(last.c.run_id.desc())
    ).all()


def environments_of(
    session: Session, run_ids: Collection[int]
) -> dict[int, Mapping[str, Any]]:
    """Return what jobs told of their runs: what was not calibrated, remarks."""
    rows = session.execute(
        select(tables.Run.id, tables.Run.scheduler_job).where(
            tables.Run.id.in_(run_ids)
        )
    )
    return {run_id: (job or {}).get("environment") or {} for run_id, job in rows}


def _of_program() -> tuple[Any, ...]:
    return tables.Series.region == PROGRAM, tables.Series.metric.in_(TRACED)
