"""Celery's workers: child processes that perform a job for each message."""

import logging
import os
import signal
import socket
import time
import warnings
from contextlib import ExitStack, suppress
from functools import partial
from threading import Thread, Timer
from typing import Final, NoReturn

from billiard.util import set_pdeathsig
from celery import Celery
from celery.platforms import SecurityWarning
from celery.signals import (
    worker_process_init,
    worker_process_shutdown,
    worker_ready,
    worker_shutting_down,
)
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import configure_mappers

from scalewatch.jobs import perform_next
from scalewatch.jobs.broker import TASK, Messenger, connected, swept
from scalewatch.jobs.endings import give_back, start_anew
from scalewatch.jobs.periodic import present, schedule
from scalewatch.jobs.worker import PATIENCE_SECONDS, owner_name
from scalewatch.services.jobs import JobTerms
from scalewatch.storage.database import outages
from scalewatch.storage.database.session import connect, sessions_of

FOLLOW_SECONDS: Final = 0.5
"""How soon a child notices that its parent is gone, be it killed."""

RECOVERY_SECONDS: Final = 2.0
"""Time before a worker that broke down starts anew: so often at most."""

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

    A child that hangs is replaced. Once asked to end, children finish their jobs if
    that does not take too long; those that outlive this process give their jobs back.
    Where Celery gives up, as it does if the broker refuses to write or is lost while it
    acknowledges a message, this process starts anew.
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
    hanging_up = signal.getsignal(signal.SIGHUP)
    name = f"{socket.gethostname()}:{os.getpid()}"
    with ExitStack() as beside:
        beside.callback(engine.dispose)

        def begin(**_: object) -> None:
            """Start the threads, after the children: they would inherit held locks."""
            signal.signal(signal.SIGHUP, hanging_up)  # Celery would reload
            beside.enter_context(
                present(sessions, name, f"Celery, {processes} processes")
            )
            beside.enter_context(schedule(sessions, thin_hours))
            beside.enter_context(swept(sessions, broker))

        endings = _asked_to_end()

        def leave(**_: object) -> None:
            """Do not wait for long jobs, as Celery would."""
            leaving = Timer(PATIENCE_SECONDS, partial(os._exit, 0))
            leaving.daemon = True
            leaving.start()

        worker_ready.connect(begin, weak=False)
        worker_shutting_down.connect(leave, weak=False)
        # What children that are started later find configured cannot be locked.
        configure_mappers()
        worker.start()
    if not endings:
        _recover(engine)
    return 0 if endings == {"Warm"} else int(worker.exitcode or 0)


def _recover(engine: Engine) -> NoReturn:
    """Start anew, as soon as the database answers; until then signals end this."""
    _LOG.error("Celery gave up, see above: the worker starts anew")
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    while True:
        time.sleep(RECOVERY_SECONDS)
        with suppress(SQLAlchemyError), engine.connect():
            break
    start_anew()


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
        broker.owner = owner_name()
        with suppress(OSError):  # on Linux alone, the kernel would kill this process
            set_pdeathsig(0)
        end_after = partial(_end_after, os.getppid(), broker)
        Thread(target=end_after, name="scalewatch-follow", daemon=True).start()
        broker.messenger = Messenger(broker.sessions, broker_url)
        broker.messenger.start()

    def end(**_: object) -> None:
        broker.messenger.stop()

    def do(*_of_former_versions: int) -> None:
        end = partial(os._exit, 1)
        try:
            perform_next(broker.sessions, broker.owner, terms, overdue=end)
        except SQLAlchemyError as error:
            _LOG.error("%s; a job waits", outages.unusable(error))

    worker_process_init.connect(begin, weak=False)
    worker_process_shutdown.connect(end, weak=False)
    limit = terms.longest + terms.lease
    broker.task(do, name=TASK, time_limit=limit.total_seconds())


def _end_after(parent: int, broker: Celery) -> None:
    """Give the job back and end as soon as the parent of this process is gone."""
    while os.getppid() == parent:
        time.sleep(FOLLOW_SECONDS)
    give_back(broker.sessions, broker.owner)
    os._exit(0)
