"""The inbox: what became worse over all projects, for people who look after them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import ClassVar, Final

from sqlalchemy.orm import Session

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
    dated = regressions.for_the_worse(session)
    names = {each.row.project_id: each.project for each in dated}
    rows = complete(session, [each.row for each in dated], names, is_brief=True)
    length = question.period.length
    since = None if length is None else now() - length
    recent = {each.row.id for each in dated if since is None or each.at >= since}

    def chosen(*, but: str | None = None) -> list[Regression]:
        return [each for each in rows if _is_chosen(each, question, but)]

    def counts(part: str) -> Mapping[str, int]:
        return Counter(
            value
            for each in chosen(but=part)
            if each.id in recent
            for value in _values(each, part)
        )

    shown = [each for each in chosen() if each.id in recent]
    return Inbox(
        regressions=tuple(sorted(shown, key=lambda cause: cause.urgency)),
        states=counts("state"),
        kinds=counts("kind"),
        projects=counts("project"),
        machines=counts("machine"),
        owners=counts("owner"),
        older=len(chosen()) - len(shown),
    )


def _values(regression: Regression, part: str) -> tuple[str, ...]:
    """Return the values of a regression for a part of a question."""
    match part:
        case "machine":
            return regression.machines
        case "owner":
            return (regression.owner or NOBODY,)
        case _:
            return (str(getattr(regression, part)),)


def _is_chosen(
    regression: Regression, question: InboxQuestion, but: str | None
) -> bool:
    """Tell whether a question chooses a regression, `but` for a part of it."""
    finding = regression.finding
    has_size = finding is None or finding.factor is not None
    is_small = max(regression.effect) < (question.size or 0)
    return not (has_size and is_small) and all(
        getattr(question, part) is None
        or str(getattr(question, part)) in _values(regression, part)
        for part in ("project", "machine", "owner", "state", "kind")
        if part != but
    )


def lines_of(session: Session, shown: Sequence[Regression]) -> dict[int, list[float]]:
    """Return values over commits of the worst series of regressions, by their ids.

    Logarithms at the last setting: from some commits before the change to the newest.
    """
    by_series: dict[int, list[tuple[str, float]]] = {}
    series = {*filter(None, (each.worst_series for each in shown))}
    for number, sha, log in locations.over_time(session, series):
        if log[-1] is not None:
            by_series.setdefault(number, []).append((sha, log[-1]))
    lines = {}
    for regression in shown:
        values = by_series.get(regression.worst_series or 0, [])
        place = {sha: at for at, (sha, _) in enumerate(values)}
        at = place.get(regression.last.sha, 0)
        start = at - max(BEFORE, (len(values) - at) // 2)
        part = [value for _, value in values[max(0, start) :]]
        if part:
            step = max(1, len(part) / POINTS)
            taken = range(int(len(part) / step))
            lines[regression.id] = [part[int(k * step)] for k in taken]
    return lines
