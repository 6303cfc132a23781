"""The merge base of a commit that has left the main line."""

from sqlalchemy.orm import Session

from scalewatch.services.commits.ancestry import Ancestry, merge_base
from scalewatch.services.commits.lineage import lineage
from scalewatch.services.commits.newest import ever_more
from scalewatch.storage import tables
from scalewatch.storage.commits.commits import AnyCommit


def merge_base_of(
    session: Session, project: tables.Project, row: AnyCommit
) -> str | None:
    """Return the hash of where a commit left the main line, None if it is on it.

    `scalewatch gate` asks each second until a commit is analysed: no more commits are
    read than lead from this one to the line.
    """
    if not row.parents:
        return None  # nothing tells where it left
    for newest in ever_more(session, project.id):
        ancestry = Ancestry.of(newest.commits)
        if row.sha not in ancestry.by_sha:
            continue
        line = lineage(newest.commits, older=newest.older)
        base = merge_base(row, line.commits[-1], ancestry)
        own = ancestry.ancestors(row)
        if base is None and any(
            not newest.older.isdisjoint(ancestry.by_sha[sha].parents) for sha in own
        ):
            continue
        if base is None or base.id == row.id or row.id not in line.aside:
            return None
        return base.sha
    return None
