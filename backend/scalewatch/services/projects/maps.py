"""What the home page draws of a project: its worst regions on all machines."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.commits.find import commit_of
from scalewatch.services.match_table.cells import MatchColumn, MatchRow, grid_of
from scalewatch.services.match_table.table import recent_changes
from scalewatch.services.projects.home import MAIN
from scalewatch.services.regressions.regressions import RegressionState
from scalewatch.services.selection.settings import choices_among
from scalewatch.services.series.scans import choose_metric
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.histories import regressions

MOST_ROWS: Final = 42
"""Rows of a project on the home page, worst first; the match table has all."""


@dataclass(frozen=True, slots=True)
class HomeMap:
    """The worst rows of a project at its newest commit, and what is open.

    Parameters
    ----------
    more
        Rows that are left out.
    open_regressions
        Changes for the worse that nobody has dealt with yet.
    """

    commit: str
    metric: str
    columns: tuple[MatchColumn, ...]
    rows: tuple[MatchRow, ...]
    more: int
    open_regressions: int


def home_map(session: Session, name: str) -> HomeMap | None:
    """Return the map of a project; None where nothing was measured.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, name)
    newest = commits.newest_on(session, project.id, MAIN) or commits.newest(
        session, project.id
    )
    if newest is None:
        return None
    now = CommitSnapshot.of(session, newest)
    if not now.metrics:
        return None
    metric = choose_metric(now.metrics, None)
    shown = [each for each in now.judged(now.metrics) if each.metric == metric]
    recent = recent_changes(session, newest)
    grid = now.kept(
        ("map", recent),
        lambda: grid_of(shown, tuple(choices_among(shown)), {}, recent, {}),
        lambda grid: grid.kilobytes,
        metrics=now.metrics,
    )
    open_rows = regressions.of_project(session, project.id, [RegressionState.OPEN])
    return HomeMap(
        commit=commit_of(newest).label,
        metric=metric,
        columns=grid.columns,
        rows=grid.rows[:MOST_ROWS],
        more=max(0, len(grid.rows) - MOST_ROWS),
        open_regressions=sum(row.is_worse for row in open_rows),
    )
