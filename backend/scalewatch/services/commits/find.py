"""Find commits: by reference, the newest, and where they were measured."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.errors import AmbiguousReference, NotFound, NotMeasured
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits, coverage
from scalewatch.storage.commits.commits import AnyCommit, Stored

SHORT: Final = 10
"""Letters of a hash that name a commit to people."""

AT_FIRST: Final = 512
"""Commits that are read, and four times as many whenever they do not suffice."""

_HASH: Final = re.compile("[0-9a-f]{40,64}")


@dataclass(frozen=True, slots=True)
class Commit:
    """A version of a project, as people refer to it."""

    sha: str
    tag: str | None
    branch: str | None
    message: str | None
    author: str | None
    parents: tuple[str, ...]
    committed_at: datetime | None
    first_run_at: datetime

    @property
    def label(self) -> str:
        """Its tag or the beginning of its hash; a link with it finds it again."""
        return label_of(self.sha, self.tag)

    @property
    def named(self) -> str:
        """Its label, and its branch where that is known: `v5.0.8 on main`."""
        return f"{self.label} on {self.branch}" if self.branch else self.label

    @property
    def subject(self) -> str | None:
        """The first line of its message."""
        return self.message.strip().partition("\n")[0] if self.message else None


@dataclass(frozen=True, slots=True)
class Scanned:
    """Where a machine measured a commit."""

    name: str
    coordinates: tuple[Mapping[str, int | float], ...]


@dataclass(frozen=True, slots=True)
class MeasuredCommit(Commit):
    """A version of a project, and where it was measured."""

    machines: tuple[Scanned, ...]


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


def label_of(sha: str, tag: str | None) -> str:
    """Return the label of a commit: its tag or the beginning of its hash."""
    return tag or (sha[:SHORT] if _HASH.fullmatch(sha) else sha)


def commit_of(row: AnyCommit) -> Commit:
    """Return the commit of a row."""
    return Commit(
        sha=row.sha,
        tag=row.tag,
        branch=row.branch,
        message=row.message,
        author=row.author,
        parents=tuple(row.parents),
        committed_at=row.committed_at,
        first_run_at=row.first_run_at,
    )


def find_commit(
    session: Session, project: tables.Project, reference: str | None
) -> AnyCommit:
    """Return the commit that a hash, its beginning or a tag means; else the newest.

    Raises
    ------
    NotFound
        If no commit was measured, or none that `reference` could mean.
    AmbiguousReference
        If `reference` begins several hashes and is neither a tag nor a whole hash.
    """
    if reference is None:
        newest = commits.newest(session, project.id)
        if newest is None:
            raise NotMeasured("commit", "newest", at=project.name)
        return newest
    meant = commits.referenced(session, project.id, reference)
    exact = [row for row in meant if reference in (row.sha, row.tag)]
    if not meant:
        raise NotFound("commit", reference)
    if not exact and len(meant) > 1:
        raise AmbiguousReference(reference, [row.sha for row in meant])
    return (exact or list(meant))[0]


def measured_commits(
    session: Session, project_name: str, *, before: str | None, limit: int
) -> tuple[MeasuredCommit, ...]:
    """Return a project's commits, newest first, with where they were measured.

    Parameters
    ----------
    before
        A commit as `find_commit` takes it; only older ones are returned.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project or the commit is unknown.
    """
    project = projects.existing(session, project_name)
    last = find_commit(session, project, before) if before else None
    rows = commits.of_project(session, project.id, before=last, limit=limit)
    scanned: dict[int, dict[str, list[Mapping[str, int | float]]]] = {}
    for place in coverage.coordinates_of(session, [row.id for row in rows]):
        by_machine = scanned.setdefault(place.commit_id, {})
        by_machine.setdefault(place.machine, []).append(place.coordinate)
    return tuple(
        MeasuredCommit(
            **asdict(commit_of(row)),
            machines=tuple(
                Scanned(name, tuple(coordinates))
                for name, coordinates in scanned.get(row.id, {}).items()
            ),
        )
        for row in rows
    )


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
        newest = newest_commits(session, project_id, limit)
        yield newest
        if newest.is_all:
            return
        limit *= 4
