"""The worker without a broker: it polls for due jobs and performs them."""

import logging
import os
import socket
from collections.abc import Callable
from threading import Event, Thread
from time import monotonic
from typing import Final
from uuid import uuid4

from sqlalchemy.exc import SQLAlchemyError

from scalewatch.jobs import perform_next
from scalewatch.jobs.endings import give_back
from scalewatch.jobs.periodic import present
from scalewatch.services.jobs import JobTerms
from scalewatch.storage.database import outages
from scalewatch.storage.database.session import Sessions, write_back

WRITE_BACK_SECONDS: Final = 1.0
"""How often a worker lets SQLite write its log back, so that no posting has to."""

POLL_SECONDS: Final = 1.0
"""How often a worker looks for jobs that other processes have queued."""

PATIENCE_SECONDS: Final = 4.0
"""How long a stopping worker may finish its job before another one gets it."""

_LOG: Final = logging.getLogger(__name__)


class Worker:
    """Performs jobs one after the other, in a thread.

    Parameters
    ----------
    overdue
        Ends the process; called once a job has taken longer than its terms allow.
    """

    def __init__(
        self,
        sessions: Sessions,
        *,
        poll_seconds: float = POLL_SECONDS,
        terms: JobTerms | None = None,
        overdue: Callable[[], None] | None = None,
    ) -> None:
        self.sessions = sessions
        self.terms = terms or JobTerms()
        self.owner = owner_name()
        self.poll_seconds = poll_seconds
        self.overdue = overdue
        self._written_back = monotonic()
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="scalewatch-worker", daemon=True)

    def start(self) -> None:
        """Work until `stop`."""
        self._thread.start()

    def stop(self) -> bool:
        """End, and return whether that went in order.

        Otherwise the present job takes too long, and was given back; the process
        should end.
        """
        self._stopping.set()
        self._thread.join(PATIENCE_SECONDS)
        if self._thread.is_alive():
            give_back(self.sessions, self.owner)
        return not self._thread.is_alive()

    def _run(self) -> None:
        with present(self.sessions, self.owner, "embedded"):
            while not self._stopping.is_set():
                if not self._worked():
                    self._stopping.wait(self.poll_seconds)

    def _worked(self) -> bool:
        try:
            if monotonic() - self._written_back > WRITE_BACK_SECONDS:
                write_back(self.sessions)
                self._written_back = monotonic()
            return perform_next(self.sessions, self.owner, self.terms, self.overdue)
        except SQLAlchemyError as error:
            _LOG.error("%s; trying again", outages.unusable(error))
            return False


def owner_name() -> str:
    """Return a name for the jobs of this process, which no other process has."""
    return f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"
