"""News of a project since a reader last visited it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from scalewatch.services.regressions.regressions import RegressionState
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.histories import regressions
from scalewatch.storage.machines import machines


@dataclass(frozen=True, slots=True)
class News:
    """Commits, runs and regressions since a moment.

    Parameters
    ----------
    commits
        How many were measured for the first time.
    machines
        Those that sent a run.
    opened
        Regressions that were found, by their numbers.
    states
        How many other regressions are now in which state, of those that changed it.
    """

    since: datetime
    commits: int
    machines: tuple[str, ...]
    opened: tuple[int, ...]
    states: Mapping[RegressionState, int]

    @property
    def is_empty(self) -> bool:
        """Whether nothing came."""
        return not (self.commits or self.machines or self.opened or self.states)


def news_since(session: Session, name: str, since: datetime) -> News:
    """Return the news of a project since a moment.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, name)
    rows = [
        row
        for row in regressions.of_project(session, project.id)
        if row.changed_at > since and row.is_worse
    ]
    opened = [row.id for row in rows if row.opened_at > since and row.state == "open"]
    others = [RegressionState(row.state) for row in rows if row.id not in opened]
    return News(
        since=since,
        commits=commits.count_seen_since(session, project.id, since),
        machines=tuple(
            machine
            for machine, last_run_at, _ in machines.last_seen(session, project.id)
            if last_run_at > since
        ),
        opened=tuple(sorted(opened)),
        states={
            state: others.count(state)
            for state in RegressionState
            if state in others and state is not RegressionState.OPEN
        },
    )
