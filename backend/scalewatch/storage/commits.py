"""Queries on commits."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Text,
    and_,
    cast,
    exists,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.orm import Session

from scalewatch import wire
from scalewatch.storage import tables
from scalewatch.storage.inserts import insert_missing

TIME = func.coalesce(tables.Commit.committed_at, tables.Commit.first_run_at)
"""When a commit was made or, where nobody said, first measured."""

_DESCRIPTION: Final = ("parents", "branch", "committed_at", "message", "tag")


def of_project(
    session: Session,
    project_id: int,
    *,
    before: tables.Commit | None = None,
    limit: int | None = None,
) -> Sequence[tables.Commit]:
    """Return a project's commits, newest first: those before one, at most `limit`."""
    wanted = (
        select(tables.Commit)
        .where(tables.Commit.project_id == project_id)
        .order_by(TIME.desc(), tables.Commit.id.desc())
        .limit(limit)
    )
    if before is not None:
        wanted = wanted.where(_came_before(before))
    return session.scalars(wanted).all()


def measured_before(
    session: Session, commit: tables.Commit, machine_id: int, limit: int
) -> Sequence[int]:
    """Return the ids of older commits that a machine measured, newest first."""
    is_measured = exists().where(
        tables.Run.commit_id == tables.Commit.id, tables.Run.machine_id == machine_id
    )
    return session.scalars(
        select(tables.Commit.id)
        .where(tables.Commit.project_id == commit.project_id, is_measured)
        .where(_came_before(commit))
        .order_by(TIME.desc(), tables.Commit.id.desc())
        .limit(limit)
    ).all()


def is_found(session: Session, commit_id: int) -> bool:
    """Tell whether a commit is there, in a project that the session can find."""
    wanted = select(tables.Project.id).join(
        tables.Commit, tables.Commit.project_id == tables.Project.id
    )
    return session.scalar(wanted.where(tables.Commit.id == commit_id)) is not None


def following(
    session: Session, project_id: int, commit: tables.Commit, *, limit: int
) -> Sequence[tables.Commit]:
    """Return the commits made just after one, oldest first, at most `limit`."""
    made, first = TIME, commit.committed_at or commit.first_run_at
    # Said twice: what follows alone, no database takes from the index.
    came_later = and_(made >= first, or_(made > first, tables.Commit.id > commit.id))
    return session.scalars(
        select(tables.Commit)
        .where(tables.Commit.project_id == project_id, came_later)
        .order_by(made, tables.Commit.id)
        .limit(limit)
    ).all()


def tagged(session: Session, project_id: int) -> Sequence[tables.Commit]:
    """Return the commits with a tag, newest first."""
    return session.scalars(
        select(tables.Commit)
        .where(tables.Commit.project_id == project_id, tables.Commit.tag.is_not(None))
        .order_by(TIME.desc(), tables.Commit.id.desc())
    ).all()


def with_hashes(
    session: Session, project_id: int, hashes: Sequence[str]
) -> Sequence[tables.Commit]:
    """Return the measured ones among commits, newest first."""
    return session.scalars(
        select(tables.Commit)
        .where(tables.Commit.project_id == project_id, tables.Commit.sha.in_(hashes))
        .order_by(TIME.desc(), tables.Commit.id.desc())
    ).all()


def with_parent(session: Session, project_id: int, sha: str) -> Sequence[tables.Commit]:
    """Return the commits that follow one in the graph, newest first."""
    rows = session.scalars(
        select(tables.Commit)
        .where(
            tables.Commit.project_id == project_id,
            cast(tables.Commit.parents, Text).contains(sha, autoescape=True),
        )
        .order_by(TIME.desc(), tables.Commit.id.desc())
    )
    return [row for row in rows if sha in row.parents]


def count(session: Session, project_id: int) -> int:
    """Return how many commits of a project were measured."""
    return (
        session.scalar(
            select(func.count())
            .select_from(tables.Commit)
            .where(tables.Commit.project_id == project_id)
        )
        or 0
    )


def newest(session: Session, project_id: int) -> tables.Commit | None:
    """Return a project's newest commit."""
    return session.scalars(
        select(tables.Commit)
        .where(tables.Commit.project_id == project_id)
        .order_by(TIME.desc(), tables.Commit.id.desc())
        .limit(1)
    ).first()


def newest_on(
    session: Session, project_id: int, branches: Sequence[str]
) -> tables.Commit | None:
    """Return a project's newest commit on any of these branches."""
    return session.scalars(
        select(tables.Commit)
        .where(
            tables.Commit.project_id == project_id, tables.Commit.branch.in_(branches)
        )
        .order_by(TIME.desc(), tables.Commit.id.desc())
        .limit(1)
    ).first()


def newest_on_machines(
    session: Session, project_id: int, machines: Sequence[str]
) -> tables.Commit | None:
    """Return the newest commit that every one of some machines measured."""
    complete = (
        select(tables.Run.commit_id)
        .join(tables.Machine, tables.Machine.id == tables.Run.machine_id)
        .where(
            tables.Machine.project_id == project_id, tables.Machine.name.in_(machines)
        )
        .group_by(tables.Run.commit_id)
        .having(func.count(tables.Machine.id.distinct()) == len(machines))
    )
    return session.scalars(
        select(tables.Commit)
        .where(tables.Commit.id.in_(complete))
        .order_by(TIME.desc(), tables.Commit.id.desc())
        .limit(1)
    ).first()


def referenced(
    session: Session, project_id: int, reference: str
) -> Sequence[tables.Commit]:
    """Return the commits that a hash, the beginning of one, or a tag can mean."""
    return session.scalars(
        select(tables.Commit)
        .where(tables.Commit.project_id == project_id)
        .where(
            or_(
                tables.Commit.tag == reference,
                tables.Commit.sha.startswith(reference, autoescape=True),
            )
        )
        .order_by(TIME.desc(), tables.Commit.id.desc())
    ).all()


def find_or_create(
    session: Session, project_id: int, commit: wire.Commit
) -> tables.Commit:
    """Return a commit, new or not; what was not known of it before is added.

    A tag that another commit had, such as `nightly`, has moved here.
    """
    wanted = select(tables.Commit).where(
        tables.Commit.project_id == project_id, tables.Commit.sha == commit.sha
    )
    found = session.scalar(wanted)
    if found is None:
        row = {"project_id": project_id, "sha": commit.sha, **_description(commit)}
        insert_missing(session, tables.Commit, [row])
        found = session.scalars(wanted).one()
        _move_tag(session, found)
        return found
    is_tagged = found.tag is not None
    for name, value in _description(commit).items():
        if value and not getattr(found, name):
            setattr(found, name, value)
    if not is_tagged:
        _move_tag(session, found)
    return found


def adds_to(known: Any, commit: wire.Commit) -> bool:
    """Tell whether a run says something of its commit that was not known before."""
    return any(
        value and not getattr(known, name)
        for name, value in _description(commit).items()
    )


def _move_tag(session: Session, commit: tables.Commit) -> None:
    """Leave its tag to this commit alone, so that a tag means one of them."""
    if commit.tag is not None:
        session.execute(
            update(tables.Commit)
            .where(
                tables.Commit.project_id == commit.project_id,
                tables.Commit.tag == commit.tag,
                tables.Commit.id != commit.id,
            )
            .values(tag=None)
        )


def _description(commit: wire.Commit) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name in _DESCRIPTION
        for value in (getattr(commit, name),)
    }


def _came_before(commit: tables.Commit) -> ColumnElement[bool]:
    made, last = TIME, commit.committed_at or commit.first_run_at
    return and_(made <= last, or_(made < last, tables.Commit.id < commit.id))
