"""Periodic jobs: a thread of each worker queues them when they are due.

Several workers queue it once: jobs for the same subject coalesce, and the newest one
says when it was last done.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from threading import Event, Thread
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from scalewatch.services.operations import retention
from scalewatch.storage.database.session import Sessions, transact

SECONDS: Final = 300.0
"""Time between two looks at what is due."""

_LOG: Final = logging.getLogger(__name__)


@contextmanager
def schedule(sessions: Sessions, thin_hours: float) -> Iterator[None]:
    """Thin old repetitions every so many hours inside the block; 0 for never."""
    ending = Event()
    thread = Thread(
        target=_run,
        args=(sessions, timedelta(hours=thin_hours), ending),
        name="scalewatch-schedule",
        daemon=True,
    )
    if thin_hours:
        thread.start()
    try:
        yield
    finally:
        ending.set()


def _run(sessions: Sessions, period: timedelta, ending: Event) -> None:
    queue_due = partial(retention.queue_due, period=period)
    while True:
        try:
            transact(sessions, queue_due)
        except SQLAlchemyError as error:
            _LOG.warning("nothing is scheduled: %s", " ".join(str(error).split()))
        if ending.wait(SECONDS):
            return
