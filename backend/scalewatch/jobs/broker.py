"""Celery on a broker such as Redis: a queue of messages, each of which wakes a worker.

A message is acknowledged when it arrives, and may be lost or come twice: the outbox
knows what is to be done, and in which order. A worker that is woken claims the next
job, which need not be the one whose message it was. Messages are sent
by a thread of their own, so that nobody waits for a broker; where one is down, they are
dropped. The sweep sends them again for due jobs whose message was lost or is late.
"""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from queue import Full, Queue
from threading import Event, Thread
from typing import Any, Final

from celery import Celery
from kombu.exceptions import OperationalError
from kombu.transport import get_transport_cls
from kombu.utils.url import url_to_parts
from sqlalchemy import event
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from scalewatch.services import jobs as queue
from scalewatch.services.jobs import QUEUED
from scalewatch.storage.database.session import Sessions

QUEUE: Final = "scalewatch"


TASK: Final = "scalewatch.perform"

NUMBERED: Final = frozenset({"redis", "rediss"})
"""Kinds of broker whose URL may end with the number of a database."""

CONNECT_SECONDS: Final = 2.0
"""How long a broker may take to answer before it counts as down."""

_TRANSPORT: Final[dict[str, Any]] = {
    "socket_connect_timeout": CONNECT_SECONDS,
    "socket_timeout": CONNECT_SECONDS,
    # Drop a message rather than wait: the sweep sends it again.
    "max_retries": 0,
    "interval_start": 0,
    "interval_max": 0,
}


MOST_WAITING: Final = 10_000
"""Messages that wait for a slow broker; more are left to the sweep."""

PATIENCE_SECONDS: Final = 2.0
"""How long a stopping process tries to send what waits."""


SWEEP_SECONDS: Final = 2.0
"""Time between two sweeps: so long a lost message delays its job."""

MOST_SWEPT: Final = 500
"""Messages of one sweep; the next one sends the others."""

_LOG: Final = logging.getLogger(__name__)


def connected(url: str) -> Celery:
    """Return the Celery application that uses a broker; nothing is sent yet."""
    broker = Celery("scalewatch", broker=url, set_as_current=False)
    broker.conf.update(
        broker_connection_max_retries=None,  # a worker waits for it for ever
        broker_connection_retry_on_startup=True,
        broker_transport_options=_TRANSPORT,
        task_acks_late=False,
        task_default_queue=QUEUE,
        task_ignore_result=True,
        task_publish_retry=False,
        worker_hijack_root_logger=False,
        worker_prefetch_multiplier=1,
        worker_send_task_events=False,
    )
    return broker


def fault_of(url: str) -> str | None:
    """Say why no broker can be at a URL, whatever listens there; None if one can."""
    if "://" not in url:
        return "that is no URL"
    try:
        parts = url_to_parts(url)
        get_transport_cls(parts.scheme)
    except (KeyError, ModuleNotFoundError, ValueError) as error:
        return str(error.args[0])
    number = parts.path or "0"
    if parts.scheme in NUMBERED and not number.isdecimal():
        return f"databases of Redis have numbers, {number!r} is none"
    return None


def ready(broker: Celery) -> None:
    """Import Celery's transport before the first post has to wait for it."""
    broker.finalize()
    for name in ("celery.events", "celery.result", "kombu.transport.redis"):
        import_module(name)


def send(broker: Celery) -> None:
    """Send the message that a job is due.

    Raises
    ------
    kombu.exceptions.OperationalError
        If the broker cannot be reached.
    """
    broker.send_task(TASK, queue=QUEUE)


def waiting(broker: Celery) -> int:
    """Return how many messages no worker has taken yet.

    Raises
    ------
    kombu.exceptions.OperationalError
        If the broker cannot be reached.
    """
    with broker.connection_for_read() as connection:
        with connection.channel() as channel:
            queue = channel.queue_declare(QUEUE)
        return int(queue.message_count)


class Messenger:
    """Sends a message for each job that this process has queued and committed."""

    def __init__(self, sessions: Sessions, broker_url: str) -> None:
        self.sessions = sessions
        self.broker: Celery = connected(broker_url)
        self._waiting: Queue[int | None] = Queue(MOST_WAITING)
        self._is_reachable = True
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="scalewatch-messages", daemon=True)

    def start(self) -> None:
        """Send what is committed from now on."""
        ready(self.broker)
        event.listen(self.sessions.writing, "after_commit", self._committed)
        self._thread.start()

    def stop(self) -> None:
        """Send what waits, if that does not take too long, and end."""
        event.remove(self.sessions.writing, "after_commit", self._committed)
        self._stopping.set()
        self._put([None])
        self._thread.join(PATIENCE_SECONDS)
        self.broker.close()

    def _committed(self, session: Session) -> None:
        self._put(session.info.pop(QUEUED, ()))

    def _put(self, job_ids: Iterable[int | None]) -> None:
        try:
            for job_id in job_ids:
                self._waiting.put_nowait(job_id)
        except Full:
            _LOG.warning("%d messages wait; the sweep will do", MOST_WAITING)

    def _run(self) -> None:
        while not (self._stopping.is_set() and self._waiting.empty()):
            job_id = self._waiting.get()
            if job_id is None:
                continue
            try:
                send(self.broker)
            except OperationalError as error:
                if self._is_reachable:
                    _LOG.warning("no broker, jobs are delayed: %s", error)
                self._is_reachable = False
            else:
                self._is_reachable = True


def sweep(sessions: Sessions, broker: Celery) -> int:
    """Send messages for due jobs, unless messages wait already; return how many."""
    # Messages that no worker has taken yet are enough to keep all of them busy.
    if waiting(broker):
        return 0
    with sessions.reading() as session:
        due = queue.due(session, MOST_SWEPT)
    for _ in due:
        send(broker)
    return len(due)


@contextmanager
def swept(sessions: Sessions, broker: Celery) -> Iterator[None]:
    """Sweep now and again inside the block."""
    stopping = Event()

    def run() -> None:
        while not stopping.wait(SWEEP_SECONDS):
            try:
                sweep(sessions, broker)
            except (OperationalError, SQLAlchemyError) as error:
                _LOG.warning("no sweep: %s", " ".join(str(error).split()))

    Thread(target=run, name="scalewatch-sweep", daemon=True).start()
    try:
        yield
    finally:
        stopping.set()
