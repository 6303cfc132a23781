"""Celery's workers: child processes that perform the jobs that messages name."""

import logging
import os
import signal
import socket
import warnings
from contextlib import ExitStack
from typing import Final

from celery import Celery
from celery.platforms import SecurityWarning
from celery.signals import (
    worker_process_init,
    worker_process_shutdown,
    worker_ready,
    worker_shutting_down,
)
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import configure_mappers

from scalewatch.jobs import perform
from scalewatch.jobs.broker import TASK, connected
from scalewatch.jobs.messages import Messenger
from scalewatch.jobs.presence import present
from scalewatch.jobs.schedule import schedule
from scalewatch.jobs.sweep import swept
from scalewatch.services.jobs import JobTerms
from scalewatch.storage.database.session import connect, sessions_of

_LOG: Final = logging.getLogger(__name__)


def run(
    database_url: str,
    broker_url: str,
    *,
    processes: int,
    terms: JobTerms,
    thin_hours: float,
) -> int:
    """Do jobs in child processes until a signal; return the exit code.

    A child that hangs is killed, and its job is taken over when the lease ends.
    """
    broker = connected(broker_url)
    _define_task(broker, database_url, broker_url, terms)
    engine = connect(database_url)
    sessions = sessions_of(engine)
    # A container has no other user than root, and messages are numbers in JSON.
    warnings.simplefilter("ignore", SecurityWarning)
    worker = broker.Worker(
        concurrency=processes,
        loglevel="WARNING",
        pool="prefork",
        without_gossip=True,
        without_mingle=True,
    )
    name = f"{socket.gethostname()}:{os.getpid()}"
    with ExitStack() as beside:
        beside.callback(engine.dispose)

        def begin(**_: object) -> None:
            """Start the threads, after the children: they would inherit held locks."""
            beside.enter_context(
                present(sessions, name, f"Celery, {processes} processes")
            )
            beside.enter_context(schedule(sessions, thin_hours))
            beside.enter_context(swept(sessions, broker))

        endings = _asked_to_end()
        worker_ready.connect(begin, weak=False)
        # What children that are started later find configured cannot be locked.
        configure_mappers()
        worker.start()
    return 0 if endings == {"Warm"} else int(worker.exitcode or 0)


def _asked_to_end() -> set[str]:
    """Return Celery's exception for a warm shutdown on Ctrl-C, which it lacks.

    Until Celery listens to Ctrl-C itself, Python does, and nothing is lost.
    """
    endings: set[str] = set()

    def note(how: str, **_: object) -> None:
        endings.add(how)

    def interrupt(*_: object) -> None:
        endings.add("Warm")
        raise KeyboardInterrupt

    worker_shutting_down.connect(note, weak=False)
    signal.signal(signal.SIGINT, interrupt)
    return endings


def _define_task(
    broker: Celery, database_url: str, broker_url: str, terms: JobTerms
) -> None:
    """Let the children know how to do a job; each has connections of its own."""

    def begin(**_: object) -> None:
        engine = connect(database_url)
        broker.sessions = sessions_of(engine)
        broker.messenger = Messenger(broker.sessions, broker_url)
        broker.messenger.start()

    def end(**_: object) -> None:
        broker.messenger.stop()

    def do(job_id: int) -> None:
        owner = f"{socket.gethostname()}:{os.getpid()}"
        try:
            perform(broker.sessions, owner, job_id=job_id, terms=terms)
        except SQLAlchemyError:
            _LOG.exception("the database does not answer; job %d waits", job_id)

    worker_process_init.connect(begin, weak=False)
    worker_process_shutdown.connect(end, weak=False)
    limit = terms.longest + terms.lease
    broker.task(do, name=TASK, time_limit=limit.total_seconds())
