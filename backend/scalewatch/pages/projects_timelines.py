"""The last weeks of a project as a strip: days of commits, and flags above them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from typing import Final

from fastapi import Request

from scalewatch.pages.rendering.templates import path_to
from scalewatch.pages.wording.formats import day, plural, setting
from scalewatch.services.projects.timeline import (
    DAYS,
    DatedRegression,
    NewState,
    Timeline,
)

SHADES: Final = (1, 2, 4, 8)
"""Numbers of commits from which on a day is as dark as the next shade."""

ROOM: Final = 5
"""Days that the name of a month needs."""


@dataclass(frozen=True, slots=True)
class Flag:
    """What happened on a day, with the page that tells of it."""

    x: float
    symbol: str
    title: str
    path: str


@dataclass(frozen=True, slots=True)
class Lane:
    """Flags of one kind; `kind` is worse, better or state."""

    kind: str
    name: str
    flags: tuple[Flag, ...]


@dataclass(frozen=True, slots=True)
class Day:
    """A day on which commits were made, and how dark it is."""

    number: int
    shade: int


@dataclass(frozen=True, slots=True)
class Strip:
    """The picture of a time line, places in per cent of its width.

    Parameters
    ----------
    months
        Where they begin, by their short names.
    sentence
        What it shows, in words.
    """

    days: tuple[Day, ...]
    months: tuple[tuple[float, str], ...]
    lanes: tuple[Lane, ...]
    sentence: str


def strip_of(request: Request, project: str, shown: Timeline) -> Strip:
    """Return the picture of the last days of a project."""
    worse = [each for each in shown.regressions if each.is_worse]
    better = [each for each in shown.regressions if not each.is_worse]
    lanes = (
        Lane("worse", "worse", tuple(_regressions(request, project, shown, worse))),
        Lane("better", "better", tuple(_regressions(request, project, shown, better))),
        Lane("state", "machines", tuple(_states(request, project, shown))),
    )
    return Strip(
        days=tuple(
            Day(number, sum(count >= each for each in SHADES))
            for number, count in enumerate(shown.commits)
            if count
        ),
        months=tuple(_months(shown)),
        lanes=tuple(lane for lane in lanes if lane.flags),
        sentence=_sentence(shown, len(worse), len(better)),
    )


def _sentence(shown: Timeline, worse: int, better: int) -> str:
    changes = [f"{worse} for the worse"] if worse else []
    changes += [f"{better} for the better"] if better else []
    number = worse + better
    said = f"{plural(number, 'change')} ({', '.join(changes)})" if number else ""
    states = plural(len(shown.states), "new machine state") if shown.states else ""
    happened = ", ".join(filter(None, [said, states])) or "no change found"
    commits = plural(sum(shown.commits), "commit")
    return f"{day(shown.first)} to {day(shown.last)}: {commits}, {happened}"


def _regressions(
    request: Request, project: str, shown: Timeline, rows: Iterable[DatedRegression]
) -> Iterator[Flag]:
    """Yield a flag for each day with changes; one that several share leads to all."""
    for number, group in groupby(rows, key=lambda each: shown.day_of(each.at)):
        own = list(group)
        first = own[0]
        if len(own) == 1:
            path = path_to(request, "regression", project=project, number=str(first.id))
        else:
            path = path_to(request, "regressions", project=project)
        yield Flag(
            x=_place(number),
            symbol="▲" if first.is_worse else "▼",
            title=f"{day(first.at)}: " + "; ".join(map(_regression, own)),
            path=path,
        )


def _regression(each: DatedRegression) -> str:
    region = each.regions[0] if each.regions else "a change"
    more = f" and {len(each.regions) - 1} more" if len(each.regions) > 1 else ""
    return f"{region}{more} {'worse' if each.is_worse else 'better'}, {each.state}"


def _states(request: Request, project: str, shown: Timeline) -> Iterator[Flag]:
    ordered = sorted(shown.states, key=lambda each: each.at)
    for number, group in groupby(ordered, key=lambda each: shown.day_of(each.at)):
        own = list(group)
        yield Flag(
            x=_place(number),
            symbol="◆",
            title=f"{day(own[0].at)}: " + "; ".join(map(_state, own)),
            path=path_to(request, "machine", project=project, machine=own[0].machine),
        )


def _state(each: NewState) -> str:
    changed = [
        f"{change.fact} {_fact(change.before)} → {_fact(change.after)}"
        for change in each.changes
    ]
    return f"{each.machine} changed: " + ", ".join(changed)


def _fact(value: object) -> str:
    return "–" if value is None else setting(value)


def _months(shown: Timeline) -> Iterator[tuple[float, str]]:
    for number in range(DAYS - ROOM):
        at = shown.first + timedelta(days=number)
        if at.day == 1:
            yield 100 * number / DAYS, f"{at:%b}"


def _place(number: int) -> float:
    """Return the middle of a day."""
    return 100 * (number + 0.5) / DAYS
