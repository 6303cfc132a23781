"""Queries on editions of what is known of commits."""

from collections.abc import Collection
from typing import Final
from uuid import UUID, uuid4

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database import inserts
from scalewatch.storage.database.lists import is_among
from scalewatch.storage.database.session import once

Edition = tuple[tuple[int, UUID, int, int], ...]
"""By machine: its mark, the number of its runs, and the newest of them."""

_RUN: Final = tables.Run.__table__.c
_EDITION: Final = tables.Edition.__table__.c

_AT: Final = (
    select(
        _RUN.commit_id, _RUN.machine_id, _EDITION.mark, func.count(), func.max(_RUN.id)
    )
    .outerjoin(
        tables.Edition.__table__,
        (_EDITION.commit_id == _RUN.commit_id)
        & (_EDITION.machine_id == _RUN.machine_id),
    )
    .where(is_among(_RUN.commit_id, "commits"))
    .group_by(_RUN.commit_id, _RUN.machine_id, _EDITION.mark)
    .order_by(_RUN.commit_id, _RUN.machine_id)
)


def at(session: Session, commit_ids: Collection[int]) -> dict[int, Edition]:
    """Return what changes whenever anything that is known of a commit does.

    Commits are left out of which a machine has not been analysed yet, or none is there.
    """

    def read() -> dict[int, Edition]:
        analyses: dict[int, list[tuple[int, UUID, int, int]]] = {}
        for commit_id, *analysis in session.execute(_AT, {"commits": [*commit_ids]}):
            analyses.setdefault(commit_id, []).append(tuple(analysis))
        return {
            commit_id: tuple(rows)
            for commit_id, rows in analyses.items()
            if all(mark is not None for _, mark, _, _ in rows)
        }

    return once(session, ("editions", *commit_ids), read)


def missing(
    session: Session, commit_ids: Collection[int] | None = None
) -> list[tuple[int, int]]:
    """Return commits with machines that measured them and were not analysed.

    Newest first; of all commits unless some are named.
    """
    analysed = (_EDITION.commit_id == _RUN.commit_id) & (
        _EDITION.machine_id == _RUN.machine_id
    )
    unknown = (
        select(_RUN.commit_id, _RUN.machine_id)
        .outerjoin(tables.Edition.__table__, analysed)
        .where(_EDITION.mark.is_(None))
        .group_by(_RUN.commit_id, _RUN.machine_id)
        .order_by(_RUN.commit_id.desc(), _RUN.machine_id)
    )
    if commit_ids is None:
        return [(row[0], row[1]) for row in session.execute(unknown)]
    among = unknown.where(is_among(_RUN.commit_id, "commits"))
    rows = session.execute(among, {"commits": [*commit_ids]})
    return [(row[0], row[1]) for row in rows]


def counts(session: Session, project_id: int) -> dict[int, int]:
    """Return on how many machines each commit of a project was analysed, by its id."""
    commit = tables.Commit.__table__
    rows = session.execute(
        select(_EDITION.commit_id, func.count())
        .join(commit, commit.c.id == _EDITION.commit_id)
        .where(commit.c.project_id == project_id)
        .group_by(_EDITION.commit_id)
    )
    return {row[0]: row[1] for row in rows}


def renew(session: Session, commit_id: int, machine_id: int) -> None:
    """Begin another edition, in the transaction that writes it."""
    row = {"commit_id": commit_id, "machine_id": machine_id, "mark": uuid4()}
    inserts.put(session, tables.Edition, [row], keys=("commit_id", "machine_id"))


def renew_of_run(session: Session, run_id: int) -> None:
    """Begin another edition of what the measurements of a run belong to."""
    run = select(_RUN.commit_id, _RUN.machine_id).where(_RUN.id == run_id)
    renew(session, *session.execute(run).one())
