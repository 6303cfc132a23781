"""The newest commits of a project: as many as a question needs, not all of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.storage.commits import commits
from scalewatch.storage.commits.commits import AnyCommit, Stored

AT_FIRST: Final = 512
"""Commits that are read, and four times as many whenever they do not suffice."""


@dataclass(frozen=True, slots=True)
class NewestCommits:
    """The newest commits, newest first.

    Parameters
    ----------
    older
        Those of their parents that are there, but came before them.
    is_all
        Whether nothing came before them.
    """

    commits: tuple[Stored, ...]
    older: frozenset[str]
    is_all: bool


def newest_commits(
    session: Session,
    project_id: int,
    limit: int,
    before: AnyCommit | None = None,
) -> NewestCommits:
    """Return the newest commits of a project, or those before one, at most `limit`."""
    rows = commits.of_project(session, project_id, before=before, limit=limit)
    if len(rows) < limit:
        return NewestCommits(tuple(rows), frozenset(), is_all=True)
    known = {row.sha for row in rows}
    named = sorted({parent for row in rows for parent in row.parents} - known)
    older = commits.with_hashes(session, project_id, named) if named else ()
    return NewestCommits(tuple(rows), frozenset(row.sha for row in older), is_all=False)


def ever_more(session: Session, project_id: int) -> Iterator[NewestCommits]:
    """Yield the newest commits, ever more of them, at last all."""
    limit = AT_FIRST
    while True:
        found = newest_commits(session, project_id, limit)
        yield found
        if found.is_all:
            return
        limit *= 4
