"""Post runs in compressed batches, while others are still being read."""

import gzip
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final
from uuid import UUID

import click

from scalewatch.cli.remote import Remote, Unreachable
from scalewatch.wire import RunReport

BATCH: Final = 250
"""Runs that are posted together."""

BATCH_BYTES: Final = 4 * 2**20
"""Bytes of them, far from the server's limit."""

WAITING: Final = 2
"""Batches that wait while one is posted: memory stays bounded."""

TRIES: Final = 8
BUSY: Final = frozenset({429, 502, 503, 504})
"""Answers of a server that would take the runs later."""

LONGEST_PAUSE: Final = 30.0
LINES: Final = "application/x-ndjson"


class NotTaken(Exception):
    """The server did not take runs."""


class Posting:
    """Batches of runs on their way to a server, in the order in which they came.

    Attributes
    ----------
    runs, known
        How many were taken, and how many of them had been posted before.
    """

    def __init__(self, remote: Remote, executor: ThreadPoolExecutor) -> None:
        self.runs = 0
        self.known = 0
        self._remote = remote
        self._executor = executor
        self._lines: list[bytes] = []
        self._size = 0
        self._under_way: deque[Future[tuple[int, int]]] = deque()
        self._ids: set[UUID] = set()

    def add(self, runs: Iterable[RunReport]) -> None:
        """Post runs, once there are enough of them; one that was there counts once.

        Raises
        ------
        NotTaken
            If the server did not take earlier ones.
        """
        for run in runs:
            if run.id in self._ids:
                continue
            self._ids.add(run.id)
            line = run.model_dump_json(by_alias=True, exclude_unset=True).encode()
            self._lines.append(line)
            self._size += len(line)
            if len(self._lines) >= BATCH or self._size >= BATCH_BYTES:
                self._send()

    def end(self) -> None:
        """Post what is left, and wait until all was taken.

        Raises
        ------
        NotTaken
            If the server did not take it.
        """
        self._send()
        while self._under_way:
            self._await_one()

    def _send(self) -> None:
        if not self._lines:
            return
        while len(self._under_way) > WAITING:
            self._await_one()
        lines, self._lines, self._size = self._lines, [], 0
        self._under_way.append(self._executor.submit(_posted, self._remote, lines))

    def _await_one(self) -> None:
        runs, known = self._under_way.popleft().result()
        self.runs += runs
        self.known += known


@contextmanager
def posting_to(remote: Remote) -> Iterator[Posting]:
    """Open the way to a server."""
    with ThreadPoolExecutor(1) as executor:
        try:
            yield Posting(remote, executor)
        finally:
            executor.shutdown(wait=True, cancel_futures=True)


def _posted(remote: Remote, lines: Sequence[bytes]) -> tuple[int, int]:
    """Post runs, all of them or none; return how many, and how many were known."""
    body = gzip.compress(b"\n".join(lines), compresslevel=1)
    for again in range(TRIES):
        try:
            reply = remote.send("runs", body, LINES, "gzip")
        except Unreachable as error:
            raise NotTaken(str(error)) from None
        if reply.is_good:
            known = sum(each["state"] == "known" for each in reply.items)
            return len(lines), known
        if reply.status not in BUSY:
            break
        time.sleep(min(reply.retry_after or 2.0**again / 4, LONGEST_PAUSE))
    raise NotTaken(f"{remote.server} did not take the runs: {reply.reason}")


class Told:
    """Progress on standard error: on one line of a terminal, else now and then."""

    PAUSE: Final = 10.0

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._last = time.monotonic()
        self._is_open = False

    def tell(self, sentence: str) -> None:
        """Tell how far things have come."""
        if self._is_terminal:
            click.echo(f"\r\x1b[K{sentence}", err=True, nl=False)
            self._is_open = True
        elif time.monotonic() - self._last > self.PAUSE:
            click.echo(sentence, err=True)
            self._last = time.monotonic()

    def end(self) -> None:
        """Leave the line to what is said next."""
        if self._is_open:
            click.echo("\r\x1b[K", err=True, nl=False)
            self._is_open = False
