"""Threads beside a worker: it notes that it lives, and queues periodic jobs.

The status can tell by the notes when no worker lives. Several workers queue a periodic
job once: jobs for the same subject coalesce, and the newest one says when it was last
done.
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
from scalewatch.storage.work import jobs

SIGN_SECONDS: Final = 15.0
"""Time between two signs; `services.status.PRESENCE` allows to miss some."""


LOOK_SECONDS: Final = 300.0
"""Time between two looks at what is due."""

_LOG: Final = logging.getLogger(__name__)


@contextmanager
def present(sessions: Sessions, name: str, kind: str) -> Iterator[None]:
    """Note from a thread that a worker lives, until the block ends."""
    ending = Event()

    def run() -> None:
        is_last = False
        while not is_last:
            try:
                if ending.is_set():
                    is_last = True
                    transact(sessions, partial(jobs.forget_worker, name=name))
                else:
                    transact(sessions, partial(jobs.note_worker, name=name, kind=kind))
            except SQLAlchemyError as error:
                _LOG.warning("no sign of life: %s", " ".join(str(error).split()))
            ending.wait(SIGN_SECONDS)

    thread = Thread(target=run, name="presence", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join(timeout=5)


@contextmanager
def schedule(sessions: Sessions, thin_hours: float) -> Iterator[None]:
    """Thin old repetitions every so many hours inside the block; 0 for never."""
    ending = Event()
    queue_due = partial(retention.queue_due, period=timedelta(hours=thin_hours))

    def run() -> None:
        while True:
            try:
                transact(sessions, queue_due)
            except SQLAlchemyError as error:
                _LOG.warning("nothing is scheduled: %s", " ".join(str(error).split()))
            if ending.wait(LOOK_SECONDS):
                return

    if thin_hours:
        Thread(target=run, name="scalewatch-schedule", daemon=True).start()
    try:
        yield
    finally:
        ending.set()
