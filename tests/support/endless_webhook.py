"""A webhook whose answer never ends: whoever delivers to it has an endless job."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event, Lock, Thread
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services import jobs
from scalewatch.services.jobs import JobKind
from scalewatch.storage import tables

PATIENCE: Final = 60.0


@dataclass
class EndlessWebhook:
    """How many deliveries were begun, and how many of them are still open."""

    url: str
    begun: int = 0
    open: int = 0


def queue_endless_job(session: Session, hook: EndlessWebhook) -> int:
    """Queue a delivery to it, of a project that has nothing else; return its job."""
    project = tables.Project(name="mpich")
    session.add(project)
    session.flush()
    keys = {"secret": "swh", "author": "ada"}
    webhook = tables.Webhook(
        project_id=project.id, url=hook.url, host="127.0.0.1", **keys
    )
    session.add(webhook)
    session.flush()
    return jobs.enqueue(session, JobKind.NOTIFY, project.id, f"{webhook.id}/0")


def eventually(is_so: Callable[[], object]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@contextmanager
def endless_webhook() -> Iterator[EndlessWebhook]:
    """Listen at a free port of this machine until the end of the block."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        hook = EndlessWebhook(f"http://127.0.0.1:{listening.getsockname()[1]}/hook")
        lock, ending = Lock(), Event()

        def answer(connection: socket.socket) -> None:
            with lock:
                hook.begun, hook.open = hook.begun + 1, hook.open + 1
            # More often than the sender's patience with a silent address ends.
            with connection, suppress(OSError):
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Wait: ")
                while not ending.wait(0.1):
                    connection.sendall(b".")
            with lock:
                hook.open -= 1

        def accept() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    Thread(target=answer, args=(connection,), daemon=True).start()

        Thread(target=accept, daemon=True).start()
        try:
            yield hook
        finally:
            ending.set()
            listening.shutdown(socket.SHUT_RDWR)
