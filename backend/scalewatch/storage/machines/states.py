"""Queries on when the states of machines began: new hardware, new software."""

from collections.abc import Iterator
from datetime import datetime
from functools import cache
from itertools import pairwise
from typing import Any, Final, NamedTuple

from sqlalchemy import Select, bindparam, func, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables

_COMMIT: Final = tables.Commit.__table__
_FINGERPRINT: Final = tables.Fingerprint.__table__
_MACHINE: Final = tables.Machine.__table__
_RUN: Final = tables.Run.__table__


class StateSince(NamedTuple):
    """A machine, its states before and since a commit, and when that was made."""

    machine: str
    before_id: int
    fingerprint_id: int
    at: datetime


def begun_since(
    session: Session, project_id: int, first: datetime
) -> Iterator[StateSince]:
    """Yield where the state of a machine changed from one commit to the next."""
    rows = session.execute(_states(), {"project": project_id}).all()
    for (before, before_id, _), (machine, state_id, at) in pairwise(rows):
        if machine == before and state_id != before_id and at >= first:
            yield StateSince(machine, before_id, state_id, at)


@cache
def _states() -> Select[Any]:
    """Return the query of the last state at each commit, of machines with several."""
    made = func.coalesce(_COMMIT.c.committed_at, _COMMIT.c.first_run_at)
    several = (
        select(_FINGERPRINT.c.machine_id)
        .join(_MACHINE, _MACHINE.c.id == _FINGERPRINT.c.machine_id)
        .where(_MACHINE.c.project_id == bindparam("project"))
        .group_by(_FINGERPRINT.c.machine_id)
        .having(func.count() > 1)
    )
    newest = (
        select(_RUN.c.machine_id, _RUN.c.commit_id, func.max(_RUN.c.id).label("id"))
        .where(_RUN.c.machine_id.in_(several))
        .group_by(_RUN.c.machine_id, _RUN.c.commit_id)
        .subquery()
    )
    return (
        select(_MACHINE.c.name, _RUN.c.fingerprint_id, made)
        .join(newest, newest.c.id == _RUN.c.id)
        .join(_MACHINE, _MACHINE.c.id == _RUN.c.machine_id)
        .join(_COMMIT, _COMMIT.c.id == _RUN.c.commit_id)
        .order_by(_MACHINE.c.id, made, _COMMIT.c.id)
    )
