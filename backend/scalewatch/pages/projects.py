"""The home page: all projects in rows, or a single one at its newest commit."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from markupsafe import Markup
from sqlalchemy.orm import Session

from scalewatch.exporters.listing import Columns, Listing
from scalewatch.pages.rendering import navigation, templates
from scalewatch.pages.rendering.addresses import path_to
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.wording import formats, mathematics, sentences
from scalewatch.services.machines.machine import all_origins
from scalewatch.services.projects import home, rows, timeline
from scalewatch.web.protection.headers import FOR_ONE
from scalewatch.web.sessions import ReadingDep

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


COOKIE: Final = "visits"

PAUSE: Final = timedelta(minutes=30)
"""Longest pause within a visit; who comes back later makes another one."""

YEAR: Final = 31_536_000

MOST_NAMES: Final = 3

_FIRST: Final = datetime.fromtimestamp(0, UTC)
"""The end of the visit before the first one."""

_KEPT: Final = re.compile(r"(\d{1,10})\.(\d{1,10})")


@dataclass(frozen=True, slots=True)
class Visit:
    """A visit that goes on.

    Parameters
    ----------
    before
        When the visit before ended; None where the browser knows of none.
    now
        The last moment of this one.
    """

    before: datetime | None
    now: datetime

    @classmethod
    def of(cls, request: Request, now: datetime | None = None) -> "Visit":
        """Return the visit that a request is part of."""
        now = now or datetime.now(UTC)
        kept = _KEPT.fullmatch(request.cookies.get(COOKIE, ""))
        if kept is None:
            return cls(None, now)
        before, last = (
            datetime.fromtimestamp(int(each), UTC) for each in kept.groups()
        )
        if last > now:
            return cls(None, now)
        if now - last > PAUSE:
            return cls(last, now)
        return cls(before if _FIRST < before < last else None, now)

    def note(self, request: Request, answer: Response) -> None:
        """Let the browser keep it, unless a script asks, which is no visit."""
        if request.headers.get("Sec-Fetch-Dest", "document") != "document":
            return
        before = int((self.before or _FIRST).timestamp())
        answer.set_cookie(
            COOKIE,
            f"{before}.{int(self.now.timestamp())}",
            max_age=YEAR,
            path=request.url.path,
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="lax",
        )
        answer.headers["Cache-Control"] = FOR_ONE


def concern_words(concern: home.SeriesOfConcern) -> Markup:
    """Say how a series that scales worse than expected does scale."""
    standing = concern.standing
    scan = concern.scan
    sentence = sentences.falling_sentence(scan) if scan else Markup()
    sentence += Markup("{} {}, {} than expected").format(
        concern.metric,
        mathematics.grows_like(standing),
        sentences.WORSE[standing.direction],
    )
    if not standing.is_open:
        sentence += Markup(": divergence {}").format(
            mathematics.growth(standing.divergence)
        )
    if standing.probability is not None:
        sentence += f", probability {formats.percent(standing.probability)}"
    return sentence


@router.get("/", name="home")
def show_projects(
    request: Request,
    session: ReadingDep,
    folded: Annotated[list[str] | None, Query()] = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show all projects in rows, a single one whole, or how to bring the first one."""
    listed = rows.project_rows(session)
    if wanted is not Format.HTML:
        return download(wanted, "projects", listed, projects_listing)
    visit = Visit.of(request)
    if len(listed) > 1:
        answer: Response = templates.render(
            request,
            "projects/list.html",
            rows=listed,
            groups=grouped(listed),
            folded=folded or [],
            origins_by_project=all_origins(session),
            row_sentence=row_sentence,
            trend_path=trend_path,
            news=news_of_all(listed, visit.before),
        )
    else:
        answer = _single(request, session, visit, listed)
    visit.note(request, answer)
    return answer


def _single(
    request: Request,
    session: Session,
    visit: Visit,
    listed: Sequence[rows.ProjectRow],
) -> Response:
    """Show the one project there is, or none."""
    (project, *_) = (*home.all_projects(session), None)
    name = project.name if project else None
    headline = row_sentence(listed[0]) if listed and listed[0].headline else None
    return templates.render(
        request,
        "projects/index.html",
        project=project,
        project_origins=all_origins(session).get(name or "", ()),
        concern_words=concern_words,
        map=home.home_map(session, name) if name else None,
        shown_days=timeline.timeline(session, name) if name else None,
        strip_of=partial(strip_of, request),
        news=news_sentence(
            request, name, timeline.news_since(session, name, visit.before)
        )
        if name and visit.before
        else None,
        verdict_lead=sentences.verdict_lead,
        headline=headline,
    )


def grouped(
    listed: Sequence[rows.ProjectRow],
) -> dict[str, list[rows.ProjectRow]]:
    """Return rows by group, that of the worst row first; those in none come first."""
    groups: dict[str, list[rows.ProjectRow]] = {}
    if any(not row.group for row in listed):
        groups[""] = []
    for row in listed:
        groups.setdefault(row.group, []).append(row)
    return groups


def row_sentence(row: rows.ProjectRow) -> Markup:
    """Say of a project what is worst: region, factor and scale, then the rest."""
    if row.last_run_at is None:
        return Markup("No run has arrived yet.")
    if row.headline is not None:
        said = sentences.open_words(row.headline, row.open_regressions)
    elif sum(row.counts.values()):
        said = Markup("{}").format(sentences.verdict_lead(row.counts))
    else:
        said = Markup("{} measured, none with an expectation.").format(
            formats.plural(row.regions, "region")
        )
    return said


def trend_path(trend: Sequence[float]) -> str:
    """Return the path of a trend in a box of 100 by 20, as SVG writes it.

    Moves of less than a tenth are drawn as small as they are.
    """
    low, high = min(trend), max(trend)
    middle, span = (low + high) / 2, max(high - low, 0.1)
    step = 100 / max(len(trend) - 1, 1)
    places = (
        f"{number * step:.1f},{10 - 18 * (value - middle) / span:.1f}"
        for number, value in enumerate(trend)
    )
    return "M" + "L".join(places)


def news_of_all(
    listed: Sequence[rows.ProjectRow], before: datetime | None
) -> str | None:
    """Say in how many projects something was measured since the last visit."""
    if before is None:
        return None
    number = sum(
        row.last_run_at is not None and row.last_run_at > before for row in listed
    )
    return (
        f"Since your last visit {formats.age(before)}: "
        f"runs in {formats.plural(number, 'project') if number else 'no project'}."
    )


def news_sentence(request: Request, project: str, news: timeline.SinceVisit) -> Markup:
    """Say what is new since the last visit, and link the new regressions."""
    lead = Markup("Since your last visit {}").format(formats.age(news.since))
    if news.is_empty:
        return Markup("{}: nothing was measured.").format(lead)
    parts = []
    if news.commits:
        parts = [Markup("{}").format(formats.plural(news.commits, "new commit"))]
    elif news.machines:
        names = [Markup("<bdi>{}</bdi>").format(each) for each in news.machines]
        if len(names) > MOST_NAMES:
            names = [Markup("{}").format(formats.plural(len(names), "machine"))]
        further = Markup("further runs of known commits on {}")
        parts = [further.format(formats.listed(names))]
    if news.opened:
        path = path_to(request, "regressions", {"state": "open"}, project=project)
        if len(news.opened) == 1:
            number = str(news.opened[0])
            path = path_to(request, "regression", project=project, number=number)
        words = formats.plural(len(news.opened), "new regression")
        link = Markup('<a href="{}"><strong>{}</strong></a>')
        parts.append(link.format(path, words))
    parts += [
        Markup("{} {}").format(formats.plural(often, "regression"), state)
        for state, often in news.states.items()
    ]
    return Markup("{}: {}.").format(lead, formats.listed(parts))


def projects_listing(listed: Sequence[rows.ProjectRow]) -> Listing:
    """Return projects with their verdict counts."""
    return Columns[rows.ProjectRow](
        {
            "project": lambda row: row.name,
            "commit": lambda row: row.commit and row.commit.label,
            **{
                mark: partial(lambda mark, row: row.counts.get(mark, 0), mark)
                for mark in sentences.SYMBOLS
            },
            "open_regressions": lambda row: row.open_regressions,
            "last_run_at": lambda row: row.last_run_at and row.last_run_at.isoformat(),
            "machines": lambda row: ", ".join(row.machines),
            "silent": lambda row: ", ".join(each.machine for each in row.silent),
        }
    ).listing(zip(listed))


SHADES: Final = (1, 2, 4, 8)
"""Numbers of commits from which on a day is as dark as the next shade."""

ROOM: Final = 5
"""Days that the name of a month needs."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A mark of what happened on a day, with the page that tells of it."""

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


def strip_of(request: Request, project: str, shown: timeline.Timeline) -> Strip:
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
        months=tuple(
            (100 * number / timeline.DAYS, f"{at:%b}")
            for number in range(timeline.DAYS - ROOM)
            if (at := shown.first + timedelta(days=number)).day == 1
        ),
        lanes=tuple(lane for lane in lanes if lane.flags),
        sentence=_sentence(shown, len(worse), len(better)),
    )


def _sentence(shown: timeline.Timeline, worse: int, better: int) -> str:
    changes = [f"{worse} for the worse"] if worse else []
    changes += [f"{better} for the better"] if better else []
    number = worse + better
    said = (
        f"{formats.plural(number, 'change')} ({', '.join(changes)})" if number else ""
    )
    states = (
        formats.plural(len(shown.states), "new machine state") if shown.states else ""
    )
    happened = ", ".join(filter(None, [said, states])) or "no change found"
    commits = formats.plural(sum(shown.commits), "commit")
    days = f"{formats.day(shown.first)} to {formats.day(shown.last)}"
    return f"{days}: {commits}, {happened}"


def _regressions(
    request: Request,
    project: str,
    shown: timeline.Timeline,
    dated: Iterable[timeline.DatedRegression],
) -> Iterator[Flag]:
    """Yield a flag for each day with changes; one that several share leads to all."""
    for number, group in groupby(dated, key=lambda row: shown.day_of(row.at)):
        of_day = list(group)
        first = of_day[0]
        if len(of_day) == 1:
            path = path_to(request, "regression", project=project, number=str(first.id))
        else:
            path = path_to(request, "regressions", project=project)
        yield Flag(
            x=_place(number),
            symbol="▲" if first.is_worse else "▼",
            title=f"{formats.day(first.at)}: " + "; ".join(map(changed_words, of_day)),
            path=path,
        )


def changed_words(regression: timeline.DatedRegression) -> str:
    """Say what changed, and which way: `solve and 2 more worse, open`."""
    regions = regression.regions or ("a change",)
    more = f" and {len(regions) - 1} more" if len(regions) > 1 else ""
    way = "worse" if regression.is_worse else "better"
    return f"{regions[0]}{more} {way}, {regression.state}"


def _states(request: Request, project: str, shown: timeline.Timeline) -> Iterator[Flag]:
    ordered = sorted(shown.states, key=lambda state: state.at)
    for number, group in groupby(ordered, key=lambda state: shown.day_of(state.at)):
        of_day = list(group)
        yield Flag(
            x=_place(number),
            symbol="◆",
            title=f"{formats.day(of_day[0].at)}: "
            + "; ".join(map(state_words, of_day)),
            path=path_to(
                request, "machine", project=project, machine=of_day[0].machine
            ),
        )


def state_words(state: timeline.NewState) -> str:
    """Say what of a machine changed: `jureca changed: mpi 4.0 → 4.1`."""
    changed = [
        f"{change.fact} {_fact(change.before)} → {_fact(change.after)}"
        for change in state.changes
    ]
    return f"{state.machine} changed: " + ", ".join(changed)


def _fact(value: object) -> str:
    return "–" if value is None else formats.setting(value)


def _place(number: int) -> float:
    """Return the middle of a day."""
    return 100 * (number + 0.5) / timeline.DAYS
