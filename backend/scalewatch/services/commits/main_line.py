"""The main line of a project: its newest commits, and the places of others on it."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.commits.find import NewestCommits, ever_more
from scalewatch.services.commits.lineage import Lineage, age, lineage
from scalewatch.storage.commits import commits
from scalewatch.storage.commits.commits import AnyCommit

MOST_COMMITS: Final = 400
"""Newest commits of a line that are searched together."""

STRIDE: Final = 50
"""Commits by which the oldest one moves on; between two moves, a history that nobody
has measured again stays the same, and so does every answer about it."""

BEFORE: Final = -1
"""Position of all commits older than the line."""


def watched_line(
    session: Session, project_id: int, number: int | None = None
) -> Lineage:
    """Return the newest `MOST_COMMITS` of a line, and up to `STRIDE` before them.

    Parameters
    ----------
    number
        Commits of the project, if they were counted.
    """
    number = commits.count(session, project_id) if number is None else number
    for newest in ever_more(session, project_id):
        whole = lineage(newest.commits, older=newest.older)
        end = _end_of(whole, newest, number)
        if end is not None:
            return end
    return Lineage(())


def older_lines(session: Session, project_id: int, newest: Lineage) -> list[Lineage]:
    """Return stretches of a line that reach back from its newest end, oldest first.

    Each has `MOST_COMMITS`, half of them the next one's, too: so many that a change is
    seen from both sides. They are counted from the oldest commit, and stay the same
    when one more is measured.
    """
    lines = (
        lineage(some.commits, older=some.older)
        for some in ever_more(session, project_id)
        if some.is_all
    )
    whole = next(lines, newest)
    begins = [commit.id for commit in whole.commits].index(newest.commits[0].id)
    return [
        replace(whole, commits=whole.commits[start : start + MOST_COMMITS])
        for start in range(0, begins, MOST_COMMITS // 2)
    ]


def positions_on(
    session: Session, line: Lineage, commit_ids: Iterable[int]
) -> dict[int, int]:
    """Return the positions of a line's commits, and of further ones before it."""
    positions = {commit.id: position for position, commit in enumerate(line.commits)}
    others = {*commit_ids} - positions.keys()
    if others and line.commits:
        first = age(line.commits[0])
        rows = commits.identified(session, others)
        positions |= {key: BEFORE for key, row in rows.items() if age(row) < first}
    return positions


def line_up_to(
    watched: Lineage, baseline: AnyCommit, commit: AnyCommit, most: int
) -> Lineage:
    """Return at most so many commits up to a baseline, it, and a commit after it."""
    until = age(baseline)
    before = [
        each
        for each in watched.commits
        if each.id not in {baseline.id, commit.id} and age(each) <= until
    ]
    return replace(watched, commits=(*before[-most:], baseline, commit))


def _end_of(line: Lineage, newest: NewestCommits, number: int) -> Lineage | None:
    """Return the watched end of a line, None if more has to be read.

    Parameters
    ----------
    number
        Commits of the project. Those before the end come in whole strides, branches
        included, so that it begins at the same commit when one more is measured.
    """
    ranks = {row.id: number - 1 - at for at, row in enumerate(newest.commits)}
    on_line = sorted((ranks[commit.id] for commit in line.commits), reverse=True)
    if len(on_line) < MOST_COMMITS:
        return line if newest.is_all else None
    first = on_line[MOST_COMMITS - 1] // STRIDE * STRIDE
    if first < number - len(newest.commits):
        return None
    return replace(
        line, commits=tuple(each for each in line.commits if ranks[each.id] >= first)
    )
