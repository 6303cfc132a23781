"""The sweep: send messages again for due jobs whose message was lost or is late."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

from celery import Celery
from kombu.exceptions import OperationalError
from sqlalchemy.exc import SQLAlchemyError

from scalewatch.jobs.broker import send, waiting
from scalewatch.services import jobs as queue
from scalewatch.storage.database.session import Sessions

SECONDS: Final = 2.0
"""Time between two sweeps: so long a lost message delays its job."""

MOST: Final = 500
"""Messages of one sweep; the next one sends the others."""

_LOG: Final = logging.getLogger(__name__)


class SweepThread:
    """A thread of each distant worker that sweeps while that runs."""

    def __init__(self, sessions: Sessions, broker: Celery) -> None:
        self.sessions = sessions
        self.broker = broker
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="scalewatch-sweep", daemon=True)

    def start(self) -> None:
        """Sweep now and again until `stop`."""
        self._thread.start()

    def stop(self) -> None:
        """Sweep no more."""
        self._stopping.set()

    def sweep(self) -> int:
        """Send messages for due jobs, unless messages wait already; return how many."""
        # Messages that no worker has taken yet are enough to keep all of them busy.
        if waiting(self.broker):
            return 0
        with self.sessions.reading() as session:
            job_ids = queue.due(session, MOST)
        for job_id in job_ids:
            send(self.broker, job_id)
        return len(job_ids)

    def _run(self) -> None:
        while not self._stopping.wait(SECONDS):
            try:
                self.sweep()
            except (OperationalError, SQLAlchemyError) as error:
                _LOG.warning("no sweep: %s", " ".join(str(error).split()))


@contextmanager
def swept(sessions: Sessions, broker: Celery) -> Iterator[None]:
    """Sweep now and again inside the block."""
    sweep = SweepThread(sessions, broker)
    sweep.start()
    try:
        yield
    finally:
        sweep.stop()
