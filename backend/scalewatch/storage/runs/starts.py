"""Queries on when runs were measured, as their jobs say it."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Select, bindparam, func, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database.lists import is_among


class Started(NamedTuple):
    """When the first and the last run of a commit on a machine began."""

    first: datetime
    last: datetime


def started(
    session: Session, machine_id: int, commit_ids: Sequence[int]
) -> dict[int, Started]:
    """Return when commits were measured on a machine, by id.

    Commits of whose runs none says when it began are left out.
    """
    bound = {"machine": machine_id, "commits": [*commit_ids]}
    return {
        commit_id: Started(datetime.fromisoformat(first), datetime.fromisoformat(last))
        for commit_id, first, last in session.execute(_started(), bound)
        if first is not None
    }


@cache
def _started() -> Select[Any]:
    run = tables.Run
    began = run.scheduler_job["started_at"].as_string()
    return (
        select(run.commit_id, func.min(began), func.max(began))
        .where(run.machine_id == bindparam("machine"))
        .where(is_among(tables.Run.__table__.c.commit_id, "commits"))
        .group_by(run.commit_id)
    )
