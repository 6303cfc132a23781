"""A server of our own that speaks Redis, on a free port of the loopback address."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from .ports import free_port
from .programs import redis_server

PATIENCE = 60.0


class Redis:
    """A server that keeps nothing on disk; `start` begins where `kill` has ended it."""

    def __init__(self) -> None:
        self.program = redis_server()
        self.folder = Path(tempfile.mkdtemp(prefix="scalewatch-redis-"))
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server and wait until it answers."""
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    self.program,
                    *("--port", str(self.port), "--bind", "127.0.0.1"),
                    *("--save", "", "--appendonly", "no"),
                ],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + PATIENCE
        with redis.Redis(port=self.port) as client:
            while True:
                try:
                    client.ping()
                except redis.ConnectionError:
                    ended = self.process.poll() is not None
                    if ended or time.monotonic() > deadline:
                        said = (self.folder / "log").read_text()
                        raise RuntimeError(said) from None
                    time.sleep(0.02)
                else:
                    return

    def empty(self) -> None:
        """Forget everything, as a server does that kept nothing on disk."""
        with redis.Redis(port=self.port) as client:
            client.flushall()

    @contextmanager
    def read_only(self) -> Iterator[None]:
        """Refuse to write until the end of the block, as a replica does."""
        with redis.Redis(port=self.port) as client:
            client.replicaof("127.0.0.1", free_port())
            yield
            client.replicaof("NO", "ONE")

    def kill(self) -> None:
        """End the server as a crash does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(PATIENCE)
            self.process = None

    def remove(self) -> None:
        """End the server and delete its folder."""
        self.kill()
        shutil.rmtree(self.folder)
