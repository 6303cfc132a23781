"""Commits as runs name them: found, made or completed."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from scalewatch import wire
from scalewatch.storage import tables
from scalewatch.storage.database.inserts import insert_new

_DESCRIPTION: Final = ("parents", "branch", "committed_at", "message", "tag", "author")


def id_of(session: Session, project_id: int, commit: wire.Commit) -> int:
    """Return the id of a commit, new or not; what was not known of it is added.

    A tag that another commit had, such as `nightly`, has moved here.
    """
    keys = {"project_id": project_id, "sha": commit.sha}
    created = insert_new(session, tables.Commit, {**keys, **_description(commit)})
    if created is None:
        return _amend(session, keys, commit)
    if commit.tag is not None:
        _move_tag(session, project_id, created, commit.tag)
    return created


def _amend(session: Session, keys: Mapping[str, Any], commit: wire.Commit) -> int:
    known = session.scalars(select(tables.Commit).filter_by(**keys)).one()
    is_tagged = known.tag is not None
    for name, value in _description(commit).items():
        if value and not getattr(known, name):
            setattr(known, name, value)
    session.flush()
    if known.tag is not None and not is_tagged:
        _move_tag(session, known.project_id, known.id, known.tag)
    return known.id


def adds_to(known: Any, commit: wire.Commit) -> bool:
    """Tell whether a run says something of its commit that was not known before."""
    return any(
        value and not getattr(known, name)
        for name, value in _description(commit).items()
    )


def _move_tag(session: Session, project_id: int, commit_id: int, tag: str) -> None:
    """Leave its tag to this commit alone, so that a tag means one of them."""
    session.execute(
        update(tables.Commit)
        .where(
            tables.Commit.project_id == project_id,
            tables.Commit.tag == tag,
            tables.Commit.id != commit_id,
        )
        .values(tag=None)
    )


def _description(commit: wire.Commit) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name in _DESCRIPTION
        for value in (getattr(commit, name),)
    }
