"""Messages that wake distant workers, sent by a thread of their own.

The outbox holds the truth, a message only saves the time until the next sweep. So
nobody waits for a broker, and where one is down, messages are dropped.
"""

import logging
from collections.abc import Iterable
from queue import Full, Queue
from threading import Event, Thread
from typing import Final

from celery import Celery
from kombu.exceptions import OperationalError
from sqlalchemy import event
from sqlalchemy.orm import Session

from scalewatch.jobs.broker import connected, ready, send
from scalewatch.services.jobs import QUEUED
from scalewatch.storage.database.session import Sessions

MOST_WAITING: Final = 10_000
"""Messages that wait for a slow broker; more are left to the sweep."""

PATIENCE_SECONDS: Final = 2.0
"""How long a stopping process tries to send what waits."""

_LOG: Final = logging.getLogger(__name__)


class Messenger:
    """Sends a message for each job that this process has queued and committed."""

    def __init__(self, sessions: Sessions, broker_url: str) -> None:
        self.sessions = sessions
        self.broker: Celery = connected(broker_url)
        self._waiting: Queue[int | None] = Queue(MOST_WAITING)
        self._is_reachable = True
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="scalewatch-messages", daemon=True)

    def start(self) -> None:
        """Send what is committed from now on."""
        ready(self.broker)
        event.listen(self.sessions.writing, "after_commit", self._committed)
        self._thread.start()

    def stop(self) -> None:
        """Send what waits, if that does not take too long, and end."""
        event.remove(self.sessions.writing, "after_commit", self._committed)
        self._stopping.set()
        self._put([None])
        self._thread.join(PATIENCE_SECONDS)
        self.broker.close()

    def _committed(self, session: Session) -> None:
        self._put(session.info.pop(QUEUED, ()))

    def _put(self, job_ids: Iterable[int | None]) -> None:
        try:
            for job_id in job_ids:
                self._waiting.put_nowait(job_id)
        except Full:
            _LOG.warning("%d messages wait; the sweep will do", MOST_WAITING)

    def _run(self) -> None:
        while not (self._stopping.is_set() and self._waiting.empty()):
            job_id = self._waiting.get()
            if job_id is not None:
                self._send(job_id)

    def _send(self, job_id: int) -> None:
        try:
            send(self.broker, job_id)
        except OperationalError as error:
            if self._is_reachable:
                _LOG.warning("no broker, jobs are delayed: %s", error)
            self._is_reachable = False
        else:
            self._is_reachable = True
