"""When a reader looked at the home page last, as their browser keeps it in a cookie.

It holds two moments and nothing that tells one reader from another; the server keeps
nothing of it.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from fastapi import Request, Response
from markupsafe import Markup

from scalewatch.pages.rendering.templates import path_to
from scalewatch.pages.wording.formats import age, listed, plural
from scalewatch.services.projects.visits import News
from scalewatch.web.protection.privacy import FOR_ONE

COOKIE: Final = "visits"

PAUSE: Final = timedelta(minutes=30)
"""Who comes back later than that makes another visit."""

YEAR: Final = 31_536_000

MOST_NAMES: Final = 3

_FIRST: Final = datetime.fromtimestamp(0, UTC)
"""What stands for the visit before the first one."""

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


def news_sentence(request: Request, project: str, news: News) -> Markup:
    """Say what is new since the last visit, and link the new regressions."""
    lead = Markup("Since your last visit {}").format(age(news.since))
    if news.is_empty:
        return Markup("{}: nothing was measured.").format(lead)
    parts = [*_measured(news), *_opened(request, project, news)]
    parts += [
        Markup("{} {}").format(plural(number, "regression"), state)
        for state, number in news.states.items()
    ]
    return Markup("{}: {}.").format(lead, listed(parts))


def _measured(news: News) -> list[Markup]:
    if news.commits:
        return [Markup("{}").format(plural(news.commits, "new commit"))]
    if not news.machines:
        return []
    names = [Markup("<bdi>{}</bdi>").format(each) for each in news.machines]
    if len(names) > MOST_NAMES:
        names = [Markup("{}").format(plural(len(names), "machine"))]
    return [Markup("further runs of known commits on {}").format(listed(names))]


def _opened(request: Request, project: str, news: News) -> list[Markup]:
    if not news.opened:
        return []
    if len(news.opened) == 1:
        (number,) = news.opened
        path = path_to(request, "regression", project=project, number=str(number))
    else:
        path = path_to(request, "regressions", {"state": "open"}, project=project)
    words = plural(len(news.opened), "new regression")
    return [Markup('<a href="{}"><strong>{}</strong></a>').format(path, words)]
