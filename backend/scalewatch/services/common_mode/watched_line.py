"""The part of a project's line in whose histories changes are looked for."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.commits.ancestry import age
from scalewatch.services.commits.lineage import Lineage, lineage
from scalewatch.services.commits.newest import NewestCommits, ever_more
from scalewatch.services.common_mode.project_history import MOST_COMMITS
from scalewatch.storage.commits import commits

STRIDE: Final = 50
"""Commits by which the oldest that is looked at moves on; in between, a history that
nobody has measured again stays the same, and so does what is known of it."""

BEFORE: Final = -1
"""The position of whatever came before the line."""


def watched_line(session: Session, project_id: int) -> Lineage:
    """Return the newest `MOST_COMMITS` of a line, and up to `STRIDE` before them."""
    number = commits.count(session, project_id)
    for newest in ever_more(session, project_id):
        whole = lineage(newest.commits, older=newest.older)
        watched = _end_of(whole, newest, number)
        if watched is not None:
            return watched
    return Lineage(())


def _end_of(line: Lineage, newest: NewestCommits, number: int) -> Lineage | None:
    """Return the end of a line that is looked at, None if more has to be read.

    Parameters
    ----------
    number
        Commits of the project. Those before the end come in whole strides, branches
        included, so that it begins at the same commit when one more is measured.
    """
    ranks = {row.id: number - 1 - at for at, row in enumerate(newest.commits)}
    own = sorted((ranks[commit.id] for commit in line.commits), reverse=True)
    if len(own) < MOST_COMMITS:
        return line if newest.is_all else None
    first = own[MOST_COMMITS - 1] // STRIDE * STRIDE
    if first < number - len(newest.commits):
        return None
    return replace(
        line, commits=tuple(each for each in line.commits if ranks[each.id] >= first)
    )


def positions_on(
    session: Session, line: Lineage, commit_ids: Iterable[int]
) -> dict[int, int]:
    """Return the positions of a line's commits, and of further ones before it."""
    found = {commit.id: position for position, commit in enumerate(line.commits)}
    others = {*commit_ids} - found.keys()
    if others and line.commits:
        first = age(line.commits[0])
        rows = commits.identified(session, others)
        found |= {key: BEFORE for key, row in rows.items() if age(row) < first}
    return found
