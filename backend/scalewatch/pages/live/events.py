"""Server-sent events: news of projects for their open pages."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.sse import EventSourceResponse, ServerSentEvent

from scalewatch.services.projects.news import News
from scalewatch.storage.access import projects
from scalewatch.web.sessions import DoorDep, RequestSessions
from scalewatch.web.watch import NewsWatch

RETRY_MILLISECONDS = 3000
"""How long a browser waits before it connects again."""

router = APIRouter(include_in_schema=False)


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
    request: Request, project: Annotated[str, Depends(visible_project)]
) -> AsyncIterator[ServerSentEvent]:
    """Stream an event `news` with commits and machines for all that happens."""
    watch: NewsWatch = request.app.state.watch
    yield ServerSentEvent(comment="listening", retry=RETRY_MILLISECONDS)
    async for news in watch.news_of(project):
        yield _event(news)


@router.get("/events", name="all-events", response_class=EventSourceResponse)
async def stream_all_events(
    request: Request, door: DoorDep
) -> AsyncIterator[ServerSentEvent]:
    """Stream what happens in every project that the caller may see by then."""
    watch: NewsWatch = request.app.state.watch
    yield ServerSentEvent(comment="listening", retry=RETRY_MILLISECONDS)
    async for news in watch.news_of(None):
        if await run_in_threadpool(_is_visible, door, news.project):
            yield _event(news)


def _is_visible(door: RequestSessions, project: str) -> bool:
    with door.reading() as session:
        return projects.named(session, project) is not None


def _event(news: News) -> ServerSentEvent:
    return ServerSentEvent(
        event="news", data={"commits": news.commits, "machines": news.machines}
    )
