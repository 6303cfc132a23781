"""Runs made of what files hold, posted in batches while others are still being read."""

import gzip
import sys
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Self
from uuid import UUID

import click

from scalewatch.cli.files import preview
from scalewatch.cli.remote import Remote, Unreachable
from scalewatch.errors import (
    NoStore,
    RunAlreadyRecorded,
    StoreUnwritable,
    UnknownOrigin,
)
from scalewatch.errors.files import printable
from scalewatch.importers import Reading
from scalewatch.services.files import imports
from scalewatch.stores.store import Store
from scalewatch.wire import RunReport

BATCH: Final = 250
"""Runs that are posted together."""

BATCH_BYTES: Final = 4 * 2**20
"""Bytes of them, far from the server's limit."""

STORED: Final = 5_000
"""Runs that are added to a store together."""

WAITING: Final = 2
"""Batches that wait while one is posted: memory stays bounded."""

TRIES: Final = 8
BUSY: Final = frozenset({429, 502, 503, 504})
"""Answers of a server that would take the runs later."""

LONGEST_PAUSE: Final = 30.0
LINES: Final = "application/x-ndjson"

UNREADABLE: Final = 3
REFUSED: Final = 4
"""Exit codes of files that make no run, and of a server that does not take theirs."""


class NotTaken(Exception):
    """The server did not take runs."""


def post(remote: Remote, lines: Sequence[bytes]) -> tuple[int, int]:
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

    @classmethod
    @contextmanager
    def to(cls, remote: Remote) -> Iterator[Self]:
        """Post to a server in the block; what waits where it breaks off is not sent."""
        with ThreadPoolExecutor(1) as executor:
            try:
                yield cls(remote, executor)
            finally:
                executor.shutdown(wait=True, cancel_futures=True)

    def add(self, runs: Iterable[RunReport]) -> None:
        """Post runs, once there are enough of them; one that was there counts once.

        Raises
        ------
        NotTaken
            If the server did not take earlier ones.
        """
        for run in runs:
            line = run.model_dump_json(by_alias=True, exclude_unset=True).encode()
            self.add_line(run.id, line)

    def add_line(self, run_id: UUID, line: bytes) -> None:
        """Post a run as it stands, as `add` does.

        Raises
        ------
        NotTaken
            If the server did not take earlier ones.
        """
        if run_id in self._ids:
            return
        self._ids.add(run_id)
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
        self._under_way.append(self._executor.submit(post, self._remote, lines))

    def _await_one(self) -> None:
        runs, known = self._under_way.popleft().result()
        self.runs += runs
        self.known += known


class Storing:
    """Runs on their way into a store, as `Posting` sends them to a server."""

    def __init__(self, store: Store) -> None:
        self.runs = 0
        self.known = 0
        self._store = store
        self._waiting: list[RunReport] = []

    def add(self, runs: Iterable[RunReport]) -> None:
        """Add runs, once there are enough of them: each time moves a branch on.

        Raises
        ------
        NotTaken
            If the store did not take them.
        """
        self._waiting += runs
        if len(self._waiting) >= STORED:
            self.end()

    def end(self) -> None:
        """Add what is left.

        Raises
        ------
        NotTaken
            If the store did not take it.
        """
        try:
            added = self._store.add(self._waiting)
        except (NoStore, StoreUnwritable, RunAlreadyRecorded) as error:
            raise NotTaken(str(error)) from None
        self.runs += added.runs + added.known
        self.known += added.known
        self._waiting = []


class Progress:
    """Progress on standard error: on one line of a terminal, else now and then."""

    PAUSE: Final = 10.0

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._last = time.monotonic()
        self._is_open = False

    def say(self, sentence: str) -> None:
        """Say how far things have come."""
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


@dataclass(slots=True)
class _Counts:
    """Runs made of the files so far."""

    files: int = 0
    runs: int = 0
    results: int = 0
    failed: int = 0
    functions: int = 0
    faults: int = 0
    skipped: Counter[str] = field(default_factory=Counter)

    def add(self, reading: Reading, runs: imports.Runs) -> None:
        self.files += reading.files
        self.faults += len(reading.unreadable) + len(runs.errors)
        self.skipped.update(reading.skipped)
        for run in runs.reports:
            self.runs += 1
            self.results += len(run.results)
            self.failed += sum(not each.values for each in run.results)
            self.functions += len(run.profile.functions) if run.profile else 0

    def __str__(self) -> str:
        counted = (
            f"profiles of {self.functions} functions"
            if self.functions
            else f"{self.results} results"
        )
        failed = f", {self.failed:,} of them failed" if self.failed else ""
        return f"{self.runs} run{'s' * (self.runs != 1)} with {counted}{failed}"


class Importing:
    """The runs of files, which are of an origin."""

    def __init__(self, origin: imports.ImportOrigin, *, are_profiles: bool) -> None:
        self._origin = origin
        self._make = imports.profiles_of if are_profiles else imports.runs_of
        self._counts = _Counts()
        self._progress = Progress()
        self._shared = imports.SharedSeries()
        self._said: set[str] = set()

    def posted(self, parts: Iterable[Reading], remote: Remote) -> int:
        """Post the runs of each part while the next is read; return the exit code."""
        page = f"{remote.server}/p/{self._origin.project}"
        with Posting.to(remote) as posting:
            return self.sent(parts, posting, page)

    def sent(
        self, parts: Iterable[Reading], sending: Posting | Storing, where: str
    ) -> int:
        """Send the runs of each part where they belong; return the exit code."""
        counts = self._counts
        try:
            for part in parts:
                sending.add(self._runs(part))
                self._progress.say(
                    f"{counts.files:,} files read, {sending.runs:,} runs sent"
                )
            sending.end()
        except UnknownOrigin as error:
            return self._failed(str(error), UNREADABLE)
        except NotTaken as error:
            return self._failed(str(error), REFUSED)
        self._progress.end()
        self._tell_shared()
        preview.tell_skipped(counts.skipped)
        before = f", {sending.known} of them before" if sending.known else ""
        if counts.runs or not counts.faults:
            verb = "posted" if isinstance(sending, Posting) else "added"
            click.echo(f"{counts} {verb}{before}: {where}")
        return UNREADABLE if counts.faults else 0

    def shown(self, reading: Reading, server: str, *, as_json: bool) -> int:
        """Show what would be posted; return the exit code."""
        try:
            runs = self._runs(reading)
        except UnknownOrigin as error:
            return self._failed(str(error), UNREADABLE)
        if as_json:
            for run in runs:
                click.echo(run.model_dump_json(by_alias=True, exclude_unset=True))
        else:
            preview.show(reading, self._origin.better)
            self._tell_shared()
            preview.tell_skipped(self._counts.skipped)
            click.echo(f"{self._counts} would be posted to {server}; nothing was.")
        return UNREADABLE if self._counts.faults else 0

    def _runs(self, reading: Reading) -> list[RunReport]:
        """Return the runs of a part; tell what makes none."""
        runs = self._make(reading.scans.measurements(), self._origin)
        self._progress.end()
        preview.tell(reading)
        self._shared.add(reading.scans.measurements())
        preview.tell_faults((str(error), error.fault) for error in runs.errors)
        for note in runs.notes:
            if note not in self._said:
                click.echo(f"Warning: {note}", err=True)
                self._said.add(note)
        self._counts.add(reading, runs)
        return runs.reports

    def _tell_shared(self) -> None:
        for note in self._shared.notes():
            click.echo(printable(f"Note: {note}"), err=True)

    def _failed(self, why: str, code: int) -> int:
        self._progress.end()
        click.echo(f"Error: {why}", err=True)
        return code
