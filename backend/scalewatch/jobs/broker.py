"""Celery on a broker such as Redis: a queue of messages, each the id of a job.

A message is acknowledged when it arrives, and may be lost or come twice: the outbox
knows what is to be done, and a worker claims a job before it begins.
"""

from importlib import import_module
from typing import Any, Final

from celery import Celery
from kombu.transport import get_transport_cls
from kombu.utils.url import url_to_parts

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


def send(broker: Celery, job_id: int) -> None:
    """Send the message that a job is due.

    Raises
    ------
    kombu.exceptions.OperationalError
        If the broker cannot be reached.
    """
    broker.send_task(TASK, args=(job_id,), queue=QUEUE)


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
