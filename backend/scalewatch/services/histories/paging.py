"""Windows on a project's history: of long ones, some commits are looked at together."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.commits.find import find_commit, newest_commits
from scalewatch.services.commits.lineage import Lineage, lineage
from scalewatch.services.common_mode.project_history import MOST_COMMITS
from scalewatch.storage import tables

ASIDE: Final = 4
"""One commit more is read for each so many that are shown: some left the main line."""


class Axis(StrEnum):
    """The quantity that spaces the commits of a history."""

    COMMIT = "commit"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Window:
    """The newest commits of a project's line, at most `limit`.

    Parameters
    ----------
    before
        A commit as `find_commit` takes it; only older ones are looked at.
    """

    before: str | None = None
    limit: int = MOST_COMMITS


NEWEST: Final = Window()


@dataclass(frozen=True, slots=True)
class LinePart:
    """The part of a line in a window; `next` is the `before` of the older window.

    None if nothing is older.
    """

    line: Lineage
    next: str | None


def part_of(session: Session, project: tables.Project, window: Window) -> LinePart:
    """Return the commits of a window, oldest first.

    Raises
    ------
    NotFound, AmbiguousReference
        If the commit that it ends before is unknown.
    """
    last = find_commit(session, project, window.before) if window.before else None
    most = window.limit + window.limit // ASIDE + 1
    newest = newest_commits(session, project.id, most, before=last)
    rows, older = newest.commits, newest.older
    whole = lineage(rows if last is None else [last, *rows], last, older)
    before = [row for row in whole.commits if last is None or row.id != last.id]
    shown = before[-window.limit :]
    is_all = newest.is_all and len(shown) == len(before)
    return LinePart(
        replace(whole, commits=tuple(shown)),
        None if is_all or not shown else shown[0].sha,
    )
