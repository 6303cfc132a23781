"""Server-sent events: news of projects for their open pages."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import StringConstraints

from scalewatch.services.projects.news import WRITTEN, Position
from scalewatch.storage.access import projects
from scalewatch.web.sessions import DoorDep, RequestSessions
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
    async for told in watch.news_of(project, since):
        yield _event(told)


@router.get("/events", name="all-events", response_class=EventSourceResponse)
async def stream_all_events(
    request: Request, door: DoorDep, since: SinceDep
) -> AsyncIterator[ServerSentEvent]:
    """Stream what happens in every project that the caller may see by then."""
    watch: NewsWatch = request.app.state.watch
    yield ServerSentEvent(comment="listening", retry=RETRY_MILLISECONDS)
    async for told in watch.news_of(None, since):
        if told.news is None or await run_in_threadpool(
            _is_visible, door, told.news.project
        ):
            yield _event(told)


def _is_visible(door: RequestSessions, project: str) -> bool:
    with door.reading() as session:
        return projects.named(session, project) is not None


def _event(told: Told) -> ServerSentEvent:
    commits = told.news.commits if told.news else ()
    machines = told.news.machines if told.news else ()
    return ServerSentEvent(
        event="news",
        id=str(told.position),
        data={"commits": commits, "machines": machines},
    )
