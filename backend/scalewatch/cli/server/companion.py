"""The worker beside a server: a process of its own, which ends with the server.

A fit in the process that serves would hold up everyone who asks for something.
"""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Final

PAUSE_SECONDS: Final = 1.0
"""How long after its death a worker is replaced."""

STOPPING_SECONDS: Final = 10.0
"""How long it may finish its job when the server stops."""

FOLLOW_SECONDS: Final = 0.5
"""How soon a worker notices that its server is gone, be it killed."""

_COMMAND: Final = (
    sys.executable,
    "-c",
    "from scalewatch.cli import main; main()",
    "worker",
    "--beside-server",
)
_LOG: Final = logging.getLogger(__name__)


@contextmanager
def companion() -> Iterator[None]:
    """Have a worker in a process of its own inside the block, whatever befalls it."""
    stopping = Event()
    keeping = Thread(target=_keep, args=(stopping,), name="scalewatch-companion")
    keeping.start()
    try:
        yield
    finally:
        stopping.set()
        keeping.join()


def follow(server: int, stop: Event) -> None:
    """Ask to stop as soon as the server that started this process is gone."""

    def watch() -> None:
        while os.getppid() == server and not stop.wait(FOLLOW_SECONDS):
            pass
        stop.set()

    Thread(target=watch, name="scalewatch-follow", daemon=True).start()


def _keep(stopping: Event) -> None:
    while not stopping.is_set():
        process = subprocess.Popen(  # noqa: S603 - the product's own command
            (*_COMMAND, str(os.getpid())),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        while process.poll() is None and not stopping.wait(PAUSE_SECONDS / 4):
            pass
        if process.returncode is not None:
            _LOG.warning("the worker ended with code %d", process.returncode)
            stopping.wait(PAUSE_SECONDS)
            continue
        _end(process)


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(STOPPING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
