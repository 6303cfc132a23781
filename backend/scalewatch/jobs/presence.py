"""Presence: workers note that they live, so that the status can tell when none does."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Event, Thread
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from scalewatch.storage.database.session import Sessions, transact
from scalewatch.storage.work import workers

SECONDS: Final = 15.0
"""Time between two signs; `services.status.PRESENCE` allows to miss some."""

_LOG: Final = logging.getLogger(__name__)


@contextmanager
def present(sessions: Sessions, name: str, kind: str) -> Iterator[None]:
    """Note from a thread that a worker lives, until the block ends."""
    ending = Event()
    thread = Thread(
        target=_say, args=(sessions, name, kind, ending), name="presence", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join(timeout=5)


def _say(sessions: Sessions, name: str, kind: str, ending: Event) -> None:
    is_last = False
    while not is_last:
        try:
            if ending.is_set():
                is_last = True
                transact(sessions, partial(workers.gone, name=name))
            else:
                transact(sessions, partial(workers.seen, name=name, kind=kind))
        except SQLAlchemyError as error:
            _LOG.warning("no sign of life: %s", " ".join(str(error).split()))
        ending.wait(SECONDS)
