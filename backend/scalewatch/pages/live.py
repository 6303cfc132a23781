"""Server-sent events: news of projects for their open pages."""

from collections.abc import AsyncIterator
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import StringConstraints

from scalewatch.modelling import Mark
from scalewatch.pages import regressions
from scalewatch.pages.rendering import plots, templates
from scalewatch.pages.rendering.addresses import address_of, path_to
from scalewatch.pages.wording.marks import mark_words
from scalewatch.services.projects.news import (
    WRITTEN,
    Condition,
    Position,
    condition_of,
    recent_changes,
)
from scalewatch.services.regressions.by_commit import CommitEffects, by_commit
from scalewatch.services.regressions.regressions import Regression, regressions_of
from scalewatch.storage.access import projects
from scalewatch.web.protection.headers import SOURCES, policy
from scalewatch.web.sessions import DoorDep, ReadingDep
from scalewatch.web.watch import NewsWatch, Told

RETRY_MILLISECONDS = 3000
"""How long a browser waits before it connects again."""

router = APIRouter(include_in_schema=False)


Written = Annotated[str | None, StringConstraints(pattern=WRITTEN)]


async def stated_position(
    since: Annotated[Written, Query(description="As a page names it.")] = None,
    last_event_id: Annotated[
        Written, Header(description="The last event that a browser has seen.")
    ] = None,
) -> Position | None:
    """Read since when somebody wants to hear what happened."""
    written = last_event_id or since
    return Position.read(written) if written else None


SinceDep = Annotated[Position | None, Depends(stated_position)]


def visible_project(door: DoorDep, project: str) -> str:
    """Return the name of a project that the caller may see; no session stays open."""
    with door.reading() as session:
        return projects.existing(session, project).name


@router.get(
    "/p/{project}/events",
    name="events",
    response_class=EventSourceResponse,
)
async def stream_events(
    request: Request,
    project: Annotated[str, Depends(visible_project)],
    since: SinceDep,
) -> AsyncIterator[ServerSentEvent]:
    """Stream an event `news` with commits and machines for all that happens."""
    watch: NewsWatch = request.app.state.watch
    yield ServerSentEvent(comment="listening", retry=RETRY_MILLISECONDS)
    async for happened in watch.news_of(project, since):
        yield _event(happened)


@router.get("/events", name="all-events", response_class=EventSourceResponse)
async def stream_all_events(
    request: Request, door: DoorDep, since: SinceDep
) -> AsyncIterator[ServerSentEvent]:
    """Stream what happens in every project that the caller may see by then."""

    def is_visible(name: str) -> bool:
        with door.reading() as session:
            return projects.named(session, name) is not None

    watch: NewsWatch = request.app.state.watch
    yield ServerSentEvent(comment="listening", retry=RETRY_MILLISECONDS)
    async for happened in watch.news_of(None, since):
        news = happened.news
        if news is None or await run_in_threadpool(is_visible, news.project):
            yield _event(happened)


def _event(happened: Told) -> ServerSentEvent:
    commits = happened.news.commits if happened.news else ()
    machines = happened.news.machines if happened.news else ()
    return ServerSentEvent(
        event="news",
        id=str(happened.position),
        data={"commits": commits, "machines": machines},
    )


COLOURS: Final = {
    Condition.FINE: "#007a5a",
    Condition.WORSE: "#b34f00",
    Condition.UNDECIDED: "#59616b",
    Condition.UNKNOWN: "#59616b",
}
"""Dark enough for white text."""

MOST: Final = 50
"""Entries of the feed of regressions."""

LETTER: Final = 6.6
"""Mean width of a letter of the badge, in pixels."""


@router.get("/p/{project}/badge.svg", name="badge")
def show_badge(request: Request, session: ReadingDep, project: str) -> Response:
    """Show in a picture whether the newest commit of a project scales as expected."""
    condition, counts = condition_of(session, project)
    text = str(condition)
    if condition is Condition.WORSE and counts[Mark.MISMATCH]:
        number = counts[Mark.MISMATCH]
        text = f"{number} {mark_words(Mark.MISMATCH, number)}"
    elif counts[Mark.BETTER]:
        number = counts[Mark.BETTER]
        text = f"{number} {mark_words(Mark.BETTER, number)}"
    widths = [round(10 + LETTER * len(part)) for part in ("scaling", text)]
    badge = templates.TEMPLATES.get_template("live/badge.svg").render(
        text=text, widths=widths, colour=COLOURS[condition], request=request
    )
    headers = {"Cache-Control": "no-cache"}
    return Response(badge, media_type="image/svg+xml", headers=headers)


@router.get("/p/{project}/feed.atom", name="feed")
def show_feed(request: Request, session: ReadingDep, project: str) -> Response:
    """Return the newest commits and what each changed, as an Atom feed."""
    entries = recent_changes(session, project)
    home = address_of(request, path_to(request, "report", project=project))
    feed = templates.TEMPLATES.get_template("live/commits.atom").render(
        request=request,
        project=project,
        home=home,
        own=address_of(request, path_to(request, "feed", project=project)),
        updated=entries[0].at if entries else regressions.LONG_AGO,
        entries=[
            (
                entry,
                address_of(
                    request,
                    path_to(
                        request,
                        "commit-report",
                        project=project,
                        sha=entry.commit.label,
                    ),
                ),
            )
            for entry in entries
        ],
    )
    return Response(feed, media_type="application/atom+xml")


@router.get("/p/{project}/regressions.atom", name="regressions-feed")
def show_regressions(request: Request, session: ReadingDep, project: str) -> Response:
    """Return what changed for the worse, the newest news first, as an Atom feed.

    A commit with several causes is one entry, with all that it made better and worse.
    """
    rows = regressions_of(session, project).regressions
    commits = [each for each in by_commit(rows) if each.worse]
    together = {cause.id for each in commits for cause in each.regressions}
    alone = [each for each in rows if each.is_worse and each.id not in together]
    entries: list[CommitEffects | Regression] = [*commits, *alone]
    newest = sorted(entries, key=lambda cause: cause.changed_at, reverse=True)[:MOST]
    title = f"{project}: regressions"
    routes = "regressions", "regressions-feed"
    return regressions.feed(request, session, title, *routes, newest, project=project)


ANYWHERE: Final = policy(SOURCES | {"frame-ancestors": "*", "form-action": "'none'"})
"""As on other pages, except that anybody may frame this one."""

TOLD: Final = ("metric", "machine", "subjects", "commit")
"""Parts of the address that the heading names beside the region, where it has them."""


@router.get("/p/{project}/embed/{figure}", name="embed")
def show_embed(
    request: Request, session: ReadingDep, project: str, figure: str
) -> Response:
    """Show the figure of this name, as the API draws it for the rest of the query."""
    known = projects.existing(session, project)
    query = {key: request.query_params.getlist(key) for key in request.query_params}
    address = path_to(
        request, "figure", {"project": known.name, **query}, figure=figure
    )
    answer = templates.render(
        request,
        "live/embed.html",
        plot=plots.Plot(address),
        name=request.query_params.get("region", figure),
        of=[known.name, *(query[key][0] for key in TOLD if query.get(key))],
    )
    answer.headers["Content-Security-Policy"] = ANYWHERE
    return answer
