"""The last weeks of a project, and the news since a reader last visited it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.caches import Kept, key_of
from scalewatch.services.machines.machine import ChangedFact, changed_facts
from scalewatch.services.regressions.regressions import RegressionState
from scalewatch.storage import machines
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.histories import locations, regressions
from scalewatch.storage.machines import StateSince
from scalewatch.storage.runs import runs

DAYS: Final = 90
"""Days that are shown, the last one being that of the newest commit."""

_NEW_STATES: Final = Kept[tuple[StateSince, ...]](1_000)


@dataclass(frozen=True, slots=True)
class DatedRegression:
    """A change of some series, on the day of the first commit that surely shows it.

    Parameters
    ----------
    regions
        The regions that it changed.
    """

    id: int
    is_worse: bool
    state: RegressionState
    regions: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class NewState:
    """A machine that measured for the first time with other hardware or software."""

    machine: str
    changes: tuple[ChangedFact, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class Timeline:
    """The last days of a project, oldest first.

    Parameters
    ----------
    last
        The day of the newest commit.
    commits
        Their number on each day.
    open_since
        The day of the oldest regression that is open, be it before these days.
    """

    last: datetime
    commits: tuple[int, ...]
    regressions: tuple[DatedRegression, ...]
    states: tuple[NewState, ...]
    open_since: datetime | None

    @property
    def first(self) -> datetime:
        """The first of its days."""
        return self.last - timedelta(days=DAYS - 1)

    def day_of(self, at: datetime) -> int:
        """Return on which of its days something was, counted from 0."""
        return (_day(at) - self.first).days


def timeline(session: Session, name: str) -> Timeline | None:
    """Return the last days of a project; None of one without commits.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, name)
    newest = commits.newest(session, project.id)
    if newest is None:
        return None
    last = _day(newest.committed_at or newest.first_run_at)
    first = last - timedelta(days=DAYS - 1)
    counts = [0] * DAYS
    for at in commits.made_since(session, project.id, first):
        counts[(_day(at) - first).days] += 1
    rows = [
        row
        for row in regressions.of_project(session, project.id)
        if row.state != RegressionState.FIXED or row.fixed_commit_id is not None
    ]  # without suspicions that were withdrawn
    surely = commits.identified(session, {row.last_commit_id for row in rows})
    made = {
        row.id: commit.committed_at or commit.first_run_at
        for row in rows
        if (commit := surely[row.last_commit_id])
    }
    shown = sorted(
        (row for row in rows if made[row.id] >= first), key=lambda row: made[row.id]
    )
    members = regressions.members(session, [row.id for row in shown])
    return Timeline(
        last=last,
        commits=tuple(counts),
        regressions=tuple(
            DatedRegression(
                row.id,
                row.is_worse,
                RegressionState(row.state),
                tuple(dict.fromkeys(each.region for each in members.get(row.id, ()))),
                made[row.id],
            )
            for row in shown
        ),
        states=_new_states(session, project.id, first),
        open_since=min(
            (made[row.id] for row in rows if row.is_worse and row.state == "open"),
            default=None,
        ),
    )


def _day(at: datetime) -> datetime:
    """Return the beginning of a day, in UTC."""
    return at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _new_states(
    session: Session, project_id: int, first: datetime
) -> tuple[NewState, ...]:
    # Until a run comes, or a commit is removed, the states stay the same.
    seen = runs.newest_id(session), commits.count(session, project_id)
    key = key_of("states", project_id, *seen, first)
    (begun,) = _NEW_STATES.answers(
        [key], lambda _: [tuple(machines.begun_since(session, project_id, first))]
    )
    ids = {each for state in begun for each in (state.before_id, state.state_id)}
    facts = locations.facts_of(session, sorted(ids))
    return tuple(
        NewState(
            state.machine,
            changed_facts(facts[state.before_id], facts[state.state_id]),
            state.at,
        )
        for state in begun
        if {state.before_id, state.state_id} <= facts.keys()
    )


@dataclass(frozen=True, slots=True)
class SinceVisit:
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


def news_since(session: Session, name: str, since: datetime) -> SinceVisit:
    """Return the news of a project since a reader last visited it.

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
    return SinceVisit(
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
