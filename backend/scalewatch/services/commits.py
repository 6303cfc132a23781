"""Find commits and name them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.errors import AmbiguousReference, NotFound, NotMeasured
from scalewatch.storage import commits, tables

SHORT: Final = 10
"""Letters of a hash that name a commit to people."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A version of a project, as people refer to it."""

    sha: str
    tag: str | None
    branch: str | None
    message: str | None
    parents: tuple[str, ...]
    committed_at: datetime | None
    first_run_at: datetime

    @property
    def label(self) -> str:
        """Its tag or the beginning of its hash; a link with it finds it again."""
        return self.tag or self.sha[:SHORT]

    @property
    def subject(self) -> str | None:
        """The first line of its message."""
        return self.message.strip().partition("\n")[0] if self.message else None


def commit_of(row: tables.Commit) -> Commit:
    """Return the commit of a row."""
    return Commit(
        sha=row.sha,
        tag=row.tag,
        branch=row.branch,
        message=row.message,
        parents=tuple(row.parents),
        committed_at=row.committed_at,
        first_run_at=row.first_run_at,
    )


def find_commit(
    session: Session, project: tables.Project, reference: str | None
) -> tables.Commit:
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
