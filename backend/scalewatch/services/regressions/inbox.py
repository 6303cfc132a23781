"""The inbox: what became worse over all projects, for people who look after them."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import ClassVar, Final

import orjson
from sqlalchemy.orm import Session

from scalewatch.services.caches import kept_of
from scalewatch.services.regressions.regressions import (
    Regression,
    RegressionKind,
    RegressionState,
    complete,
)
from scalewatch.services.selection.pages import InPages
from scalewatch.storage.access import projects
from scalewatch.storage.histories import locations, regressions
from scalewatch.storage.tables import now

NOBODY: Final = "nobody"
"""Stands for the owner of what has none."""

PARTS: Final = ("project", "machine", "owner", "state", "kind")
"""Parts of a question that name a value of a regression."""

KILOBYTES: Final = 6
"""Memory of a regression with some series."""

BEFORE: Final = 20
"""Commits before a change that a line begins with; more before one long ago."""

POINTS: Final = 60
"""Values of a line; of more, evenly spread ones are drawn."""


class Period(StrEnum):
    """The time that is looked back."""

    WEEK = "7d"
    MONTH = "30d"
    QUARTER = "90d"
    HALF_YEAR = "6m"
    YEAR = "1y"
    YEARS = "2y"
    ALL = "all"

    @property
    def length(self) -> timedelta | None:
        """Its length; None without end."""
        days = {"7d": 7, "30d": 30, "90d": 90, "6m": 183, "1y": 366, "2y": 731}
        return timedelta(days=days[self]) if self in days else None


@dataclass(frozen=True, slots=True)
class InboxQuestion:
    """A choice of regressions; None leaves a part of it open.

    Parameters
    ----------
    size
        Only what became worse by at least this factor; what has none stays.
    """

    period: Period = Period.HALF_YEAR
    project: str | None = None
    machine: str | None = None
    owner: str | None = None
    size: float | None = None
    state: RegressionState = RegressionState.OPEN
    kind: RegressionKind | None = None


@dataclass(frozen=True)
class Inbox(InPages):
    """Regressions of all projects that became worse in a period, worst first.

    Parameters
    ----------
    states, kinds, projects, machines, owners
        How many there are in each, by the other parts of the question.
    older
        How many would be shown that are older than the period.
    """

    LISTED: ClassVar[str] = "regressions"
    CELLS: ClassVar[int] = 32

    regressions: tuple[Regression, ...]
    states: Mapping[str, int]
    kinds: Mapping[str, int]
    projects: Mapping[str, int]
    machines: Mapping[str, int]
    owners: Mapping[str, int]
    older: int


def inbox_of(session: Session, question: InboxQuestion) -> Inbox:
    """Return what became worse, of projects that the session can find.

    Raises
    ------
    NotFound
        If the question names a project that is not there.
    """
    if question.project is not None:
        projects.existing(session, question.project)
    wanted = {part: getattr(question, part) for part in PARTS}
    chosen = {part: str(value) for part, value in wanted.items() if value is not None}
    length = question.period.length
    since = None if length is None else now() - length
    counts: Mapping[str, Counter[str]] = {part: Counter() for part in PARTS}
    shown, older = [], 0
    for entry in _entries(session):
        if entry.size is not None and entry.size < (question.size or 0):
            continue
        missed = [part for part in chosen if chosen[part] not in entry.values[part]]
        if since is not None and entry.at < since:
            older += not missed
            continue
        if not missed:
            shown.append(entry.regression)
        # The number beside a choice is that of the rows that it would show.
        for part in PARTS if not missed else missed if len(missed) == 1 else ():
            counts[part].update(entry.values[part])
    return Inbox(
        regressions=tuple(shown),
        states=counts["state"],
        kinds=counts["kind"],
        projects=counts["project"],
        machines=counts["machine"],
        owners=counts["owner"],
        older=older,
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """A regression with its values for the parts of a question.

    Parameters
    ----------
    at
        When the commit was made that shows it first.
    size
        By which factor it seems to be worse; None where that has no number.
    """

    regression: Regression
    at: datetime
    size: float | None
    values: Mapping[str, tuple[str, ...]]


def _entries(session: Session) -> tuple[_Entry, ...]:
    """Return all that became worse, worst first, kept as long as nothing happens."""
    names = {each.id: each.name for each in projects.listed(session)}
    owners = sorted(projects.owners(session, names).items())
    edition = (str(session.get_bind()), *regressions.edition(session), owners)

    def read() -> tuple[_Entry, ...]:
        dated = {each.row.id: each for each in regressions.for_the_worse(session)}
        rows = complete(
            session, [each.row for each in dated.values()], names, is_brief=True
        )
        ordered = sorted(rows, key=lambda regression: regression.urgency)
        return tuple(_entry(row, dated[row.id].at) for row in ordered)

    return kept_of(
        edition, 0, ("inbox", *names.items()), read, lambda rows: KILOBYTES * len(rows)
    )


def _entry(regression: Regression, at: datetime) -> _Entry:
    finding = regression.finding
    has_size = finding is None or finding.factor is not None
    return _Entry(
        regression,
        at,
        max(regression.effect) if has_size else None,
        {
            "project": (regression.project,),
            "machine": regression.machines,
            "owner": (regression.owner or NOBODY,),
            "state": (str(regression.state),),
            "kind": (str(regression.kind),),
        },
    )


def lines_of(session: Session, shown: Sequence[Regression]) -> dict[int, list[float]]:
    """Return values over commits of the worst series of regressions, by their ids.

    Logarithms at the last setting: from some commits before the change to the newest.
    """
    by_series: dict[int, list[tuple[str, str]]] = defaultdict(list)
    series = {*filter(None, (each.worst_series for each in shown))}
    for number, sha, log in locations.over_time(session, series):
        by_series[number].append((sha, log))
    lines = {}
    for regression in shown:
        values = by_series.get(regression.worst_series or 0, [])
        place = {sha: at for at, (sha, _) in enumerate(values)}
        at = place.get(regression.last.sha, 0)
        start = at - max(BEFORE, (len(values) - at) // 2)
        part = values[max(0, start) :]
        step = max(1, len(part) / POINTS)
        taken = (part[int(k * step)][1] for k in range(int(len(part) / step)))
        logs = [log[-1] for log in map(orjson.loads, taken) if log[-1] is not None]
        if logs:
            lines[regression.id] = logs
    return lines
