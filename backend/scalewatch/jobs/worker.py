"""The embedded worker: it polls for due jobs and performs them."""

import logging
import os
import socket
from threading import Event, Thread, current_thread
from time import monotonic
from typing import Final
from uuid import uuid4

from sqlalchemy import event
from sqlalchemy.exc import SQLAlchemyError

from scalewatch.jobs import perform_next
from scalewatch.jobs.presence import present
from scalewatch.services.jobs import JobTerms
from scalewatch.storage.database.session import Sessions, write_back

WRITE_BACK_SECONDS: Final = 1.0
"""How often a worker lets SQLite write its log back, so that no posting has to."""

POLL_SECONDS: Final = 1.0
"""How often a worker looks for jobs that other processes have queued."""

PATIENCE_SECONDS: Final = 10.0
"""How long a stopping worker may finish its job; another one would take it over."""

_LOG: Final = logging.getLogger(__name__)


class Worker:
    """Performs jobs one after the other, woken by commits of its own process.

    Parameters
    ----------
    stopping
        Set by whoever wants `run` to return after the present job.
    """

    def __init__(
        self,
        sessions: Sessions,
        *,
        poll_seconds: float = POLL_SECONDS,
        terms: JobTerms | None = None,
        stopping: Event | None = None,
    ) -> None:
        self.sessions = sessions
        self.terms = terms or JobTerms()
        self.owner = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"
        self.poll_seconds = poll_seconds
        self._written_back = monotonic()
        self._woken = Event()
        self._stopping = stopping or Event()
        self._thread = Thread(target=self.run, name="scalewatch-worker", daemon=True)

    def start(self) -> None:
        """Work in a thread, until `stop`."""
        event.listen(self.sessions.writing, "after_commit", self._wake)
        self._thread.start()

    def stop(self) -> None:
        """Finish the present job, if that does not take too long, and end."""
        event.remove(self.sessions.writing, "after_commit", self._wake)
        self.request_stop()
        self._thread.join(PATIENCE_SECONDS)

    def request_stop(self) -> None:
        """Let `run` return after the present job; callable from a signal handler."""
        self._stopping.set()
        self._woken.set()

    def run(self) -> None:
        """Work until a stop is requested."""
        with present(self.sessions, self.owner, "embedded"):
            while not self._stopping.is_set():
                # Cleared before the look: a job queued afterwards sets it again.
                self._woken.clear()
                if not self._worked():
                    self._woken.wait(self.poll_seconds)

    def _worked(self) -> bool:
        try:
            self._write_back()
            return perform_next(self.sessions, self.owner, self.terms)
        except SQLAlchemyError:
            _LOG.exception("the database does not answer; trying again")
            return False

    def _write_back(self) -> None:
        if monotonic() - self._written_back > WRITE_BACK_SECONDS:
            write_back(self.sessions)
            self._written_back = monotonic()

    def _wake(self, _session: object) -> None:
        # After its own commits the worker looks again anyway.
        if current_thread() is not self._thread:
            self._woken.set()
