"""Heartbeats: a worker extends the lease of its job while it works on it."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Event, Thread
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from scalewatch.errors import LeaseLost
from scalewatch.services import jobs as queue
from scalewatch.services.jobs import JobTerms
from scalewatch.storage.database.session import Sessions, transact
from scalewatch.storage.work.jobs import Claim

_BEATS: Final = 3
"""Signs of life per lease: two may get lost."""

_LOG: Final = logging.getLogger(__name__)


@contextmanager
def heartbeat(sessions: Sessions, claim: Claim, terms: JobTerms) -> Iterator[None]:
    """Extend the lease of a claimed job inside the block, up to its longest time."""
    ended = Event()
    beating = Thread(
        target=_beat,
        args=(sessions, claim, terms, ended),
        name=f"scalewatch-heartbeat-{claim.id}",
        daemon=True,
    )
    beating.start()
    try:
        yield
    finally:
        ended.set()


def _beat(sessions: Sessions, claim: Claim, terms: JobTerms, ended: Event) -> None:
    extend = partial(queue.extend, claim=claim, lease=terms.lease)
    give_up = time.monotonic() + terms.longest.total_seconds()
    while not ended.wait(terms.lease.total_seconds() / _BEATS):
        if time.monotonic() > give_up:
            _LOG.error("job %d hangs; another worker may take it over", claim.id)
            return
        try:
            transact(sessions, extend)
        except LeaseLost as lost:
            if not ended.is_set():
                _LOG.warning("%s", lost)
            return
        except SQLAlchemyError:
            _LOG.warning("the lease of job %d could not be extended", claim.id)
