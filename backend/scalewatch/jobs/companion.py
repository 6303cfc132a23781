"""The worker beside a server: a process of its own, which ends with the server.

A fit in the process that serves would hold up everyone who asks for something, and a
job that hangs there could not be ended.
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

STOPPING_SECONDS: Final = 6.5
"""How long it may take to end, `Worker.stop` included, when the server stops."""

_COMMAND: Final = (
    sys.executable,
    "-c",
    "from scalewatch.cli import main; main()",
    "worker",
    "--beside-server",
)
_LOG: Final = logging.getLogger(__name__)


class Companion:
    """Keeps a worker in a process of its own, whatever befalls it.

    Parameters
    ----------
    database_url
        The database that it works on.
    """

    def __init__(self, database_url: str) -> None:
        self._environment = {"SCALEWATCH_DATABASE_URL": database_url}
        self._stopping = Event()
        self._thread = Thread(target=self._keep, name="scalewatch-companion")

    def start(self) -> None:
        """Have a worker from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Ask the worker to end, and end it if that takes too long."""
        self._stopping.set()
        self._thread.join()

    def _keep(self) -> None:
        while not self._stopping.is_set():
            process = subprocess.Popen(  # noqa: S603 - the product's own command
                (*_COMMAND, str(os.getpid())),
                env=os.environ | self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
            while process.poll() is None and not self._stopping.wait(PAUSE_SECONDS / 4):
                pass
            if process.returncode is not None:
                _LOG.warning("the worker ended with code %d", process.returncode)
                self._stopping.wait(PAUSE_SECONDS)
                continue
            process.terminate()
            try:
                process.wait(STOPPING_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def companion(database_url: str) -> Iterator[None]:
    """Keep a worker inside the block."""
    beside = Companion(database_url)
    beside.start()
    try:
        yield
    finally:
        beside.stop()
