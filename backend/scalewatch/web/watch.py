"""The watch for news: one look a second while streams of events are open.

Each process of a server has one watch; it reads what all of them wrote, so it does not
matter which of them took a run or did a job.
"""

import asyncio
import logging
import signal
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from threading import current_thread, main_thread
from types import FrameType
from typing import Final

from fastapi.concurrency import run_in_threadpool
from sqlalchemy.exc import SQLAlchemyError

from scalewatch.services.projects.news import Look, News, Position, look, position_now
from scalewatch.storage.database import outages, session
from scalewatch.web.process import SIGNALS

SECONDS: Final = 1.0
"""How often the database is asked."""

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Told:
    """News for a listener, and the position after it.

    Parameters
    ----------
    news
        None: there is more of it than is told one by one.
    """

    news: News | None
    position: Position


class NewsWatch:
    """Sends the news of projects to their listeners."""

    def __init__(self, sessions: session.Sessions, *, seconds: float = SECONDS) -> None:
        self.sessions = sessions
        self.seconds = seconds
        self._listeners: dict[str | None, set[asyncio.Queue[Told | None]]] = (
            defaultdict(set)
        )
        self._task: asyncio.Task[None] | None = None
        self._begun = asyncio.Event()
        self._is_over = False

    async def news_of(
        self, project: str | None, since: Position | None = None
    ) -> AsyncIterator[Told]:
        """Yield what happens in a project, or in any, until the server stops.

        Parameters
        ----------
        since
            All that happened after this comes first; nothing by default.
        """
        queue: asyncio.Queue[Told | None] = asyncio.Queue()
        self._listeners[project].add(queue)
        if self._task is None:
            self._begun = asyncio.Event()
            self._task = asyncio.create_task(self._look_out())
        try:
            if since is not None:
                # From here on the queue has what comes: nothing falls in between.
                await self._begun.wait()
                for missed in await self._missed(project, since):
                    yield missed
            while not self._is_over and (happened := await queue.get()) is not None:
                yield happened
        finally:
            self._listeners[project].discard(queue)
            if not self._listeners[project]:
                del self._listeners[project]

    @contextmanager
    def until_signalled(self) -> Iterator[None]:
        """End all streams as soon as the process is asked to stop.

        A server waits for open answers before it shuts down; these would never end by
        themselves, and it only learns of the shutdown after it has waited.
        """
        loop = asyncio.get_running_loop()
        before = {}
        if current_thread() is main_thread():
            for number in SIGNALS:
                before[number] = signal.getsignal(number)

                def stop(
                    number: int, frame: FrameType | None, number_: int = number
                ) -> None:
                    loop.call_soon_threadsafe(self.end)
                    earlier = before[signal.Signals(number_)]
                    if callable(earlier):
                        earlier(number, frame)

                signal.signal(number, stop)
        try:
            yield
        finally:
            self.end()
            for number, earlier in before.items():
                signal.signal(number, earlier)

    def end(self) -> None:
        """Let all listeners go."""
        self._is_over = True
        self._begun.set()
        for queue in [*chain.from_iterable(self._listeners.values())]:
            queue.put_nowait(None)
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _missed(self, project: str | None, since: Position) -> list[Told]:
        """Return what has happened in a project, or in any, since a position."""
        if self._is_over:
            return []
        look = await run_in_threadpool(self._look, since)
        if look.is_partial:
            return [Told(None, look.position)]
        return [
            Told(news, look.position)
            for news in look.news
            if project in {None, news.project}
        ]

    async def _look_out(self) -> None:
        position: Position | None = None
        while self._listeners:
            try:
                look = await run_in_threadpool(self._look, position)
            except SQLAlchemyError as error:
                _LOG.error("%s; looking again", outages.unusable(error))
            else:
                position = look.position
                for news in look.news:
                    for listened in (news.project, None):
                        for queue in self._listeners.get(listened, ()):
                            queue.put_nowait(Told(news, position))
                self._begun.set()
            await asyncio.sleep(self.seconds)
        self._task = None

    def _look(self, position: Position | None) -> Look:
        with self.sessions.reading() as session:
            if position is None:
                return Look(position_now(session), ())
            return look(session, position)
