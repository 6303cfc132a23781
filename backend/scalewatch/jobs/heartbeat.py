"""Heartbeats: a worker extends the lease of its job while it works on it.

A job that takes too long is ended with its process: nothing else ends a computation.
"""

import faulthandler
import logging
import time
from collections.abc import Callable, Iterator
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

STDERR: Final = 2
"""Celery puts something without a number in the place of `sys.stderr`."""

_LOG: Final = logging.getLogger(__name__)


@contextmanager
def heartbeat(
    sessions: Sessions,
    claim: Claim,
    terms: JobTerms,
    overdue: Callable[[], None] | None = None,
) -> Iterator[None]:
    """Extend the lease of a claimed job inside the block, up to its longest time.

    Parameters
    ----------
    overdue
        Ends the process, once that time is over.
    """
    ended = Event()
    beating = Thread(
        target=_beat,
        args=(sessions, claim, terms, ended, overdue),
        name=f"scalewatch-heartbeat-{claim.id}",
        daemon=True,
    )
    beating.start()
    if overdue:
        # No thread of Python's gets its turn while a computation in C keeps the lock.
        latest = terms.longest + terms.lease
        faulthandler.dump_traceback_later(
            latest.total_seconds(), exit=True, file=STDERR
        )
    try:
        yield
    finally:
        ended.set()
        if overdue:
            faulthandler.cancel_dump_traceback_later()


def _beat(
    sessions: Sessions,
    claim: Claim,
    terms: JobTerms,
    ended: Event,
    overdue: Callable[[], None] | None,
) -> None:
    extend = partial(queue.extend, claim=claim, lease=terms.lease)
    pause = terms.lease.total_seconds() / _BEATS
    end = time.monotonic() + terms.longest.total_seconds()
    while not ended.wait(max(0, min(pause, end - time.monotonic()))):
        if time.monotonic() >= end:
            _end(sessions, claim, terms, overdue)
            return
        try:
            transact(sessions, extend)
        except LeaseLost as lost:
            if not ended.is_set():
                _LOG.warning("%s", lost)
            return
        except SQLAlchemyError:
            _LOG.warning("the lease of job %d could not be extended", claim.id)


def _end(
    sessions: Sessions,
    claim: Claim,
    terms: JobTerms,
    overdue: Callable[[], None] | None,
) -> None:
    """Note that a job takes too long, and end its process, unless it is done by now."""
    try:
        transact(
            sessions, partial(queue.end_overdue, claim=claim, longest=terms.longest)
        )
    except LeaseLost:
        return
    except SQLAlchemyError:
        _LOG.warning("job %d takes too long, and no database to note it", claim.id)
    _LOG.error(
        "job %d (%s %s) took longer than %g s and is ended",
        claim.id,
        claim.kind,
        claim.subject,
        terms.longest.total_seconds(),
    )
    if overdue:
        overdue()
