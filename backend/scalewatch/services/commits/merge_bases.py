"""The merge base of a commit that has left the main line.

`scalewatch gate` asks each second until a commit is analysed: the answer is kept as
long as no commit comes and nothing more is said of one.
"""

from collections.abc import Sequence
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.caches.lru import Kept, key_of
from scalewatch.services.commits.ancestry import Ancestry, merge_base
from scalewatch.services.commits.lineage import lineage
from scalewatch.storage import tables
from scalewatch.storage.commits import commits
from scalewatch.storage.commits.commits import AnyCommit

_MERGE_BASES: Final = Kept[str | None](1_000)


def merge_base_of(
    session: Session, project: tables.Project, row: AnyCommit
) -> str | None:
    """Return the hash of where a commit left the main line, None if it is on it."""
    edition = commits.ancestry_edition(session, project.id)
    (base,) = _MERGE_BASES.answers(
        [key_of(project.id, project.created_at, edition, row.id)],
        lambda _: [_merge_base_in(commits.of_project(session, project.id), row)],
    )
    return base


def _merge_base_in(everything: Sequence[AnyCommit], row: AnyCommit) -> str | None:
    line = lineage(everything)
    if not line.commits or row.id not in line.aside:
        return None
    base = merge_base(row, line.commits[-1], Ancestry.of(everything))
    return base.sha if base is not None and base.id != row.id else None
