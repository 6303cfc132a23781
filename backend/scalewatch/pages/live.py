"""Server-sent events: what happens in a project while its page is open."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent

from scalewatch.storage import projects
from scalewatch.web.sessions import DoorDep
from scalewatch.web.watch import Watch

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
    watch: Watch = request.app.state.watch
    yield ServerSentEvent(comment="listening", retry=RETRY_MILLISECONDS)
    async for news in watch.news_of(project):
        yield ServerSentEvent(
            event="news", data={"commits": news.commits, "machines": news.machines}
        )
