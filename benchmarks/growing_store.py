"""A store that grows: snapshots of one history at more and more measurements.

One machine measures the code of the large project of the tests. Its first 46 commits
are recorded and analysed by the product. What follows are copies of their rows, block
by block, in the order in which the product writes them, so that the newest commits say
the same in every snapshot and only what lies before them grows. Each snapshot begins as
a copy of the smaller one; a store that is there is not filled again.
"""

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from benchmarks.growing_rows import EACH_BLOCK, PROJECT_ID, begin, copy
from benchmarks.large_store import SETTINGS, UNCHECKED, folder
from benchmarks.processors import own_seconds
from sqlalchemy import Engine, event, text
from tests.support.servers.postgres import PostgreSQL

from scalewatch.services.regressions import detection, records
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import connect, sessions_of

TOGETHER: Final = 20
"""Blocks that are copied in one transaction."""

NUMBERED: Final = ("commit", "run")
"""Tables whose ids PostgreSQL would give anew."""


@dataclass(frozen=True)
class Snapshot:
    """A store at one size, and the processes of PostgreSQL that serve it."""

    measurements: int
    engine: Engine
    backends: list[int] = field(default_factory=list)

    def used(self) -> float:
        """Return the processor time of this process and of those that serve it."""
        return time.process_time() + sum(map(own_seconds, self.backends))


@contextmanager
def growing_store(kind: str, blocks: Sequence[int]) -> Iterator[list[Snapshot]]:
    """Open a snapshot for each number of blocks; fill those that are not there.

    Parameters
    ----------
    kind
        `sqlite` or `postgresql`.
    blocks
        In ascending order.
    """
    store = _sqlite if kind == "sqlite" else _postgresql
    with store(blocks) as urls, ExitStack() as opened:
        yield [
            opened.enter_context(snapshot_at(url, number))
            for number, url in zip(blocks, urls, strict=True)
        ]


@contextmanager
def snapshot_at(url: str, blocks: int) -> Iterator[Snapshot]:
    """Open a store of so many blocks."""
    snapshot = Snapshot(blocks * EACH_BLOCK, connect(url))

    def note(connection: Any, _: object) -> None:
        snapshot.backends.append(connection.info.backend_pid)

    def forget(connection: Any, _: object) -> None:
        snapshot.backends.remove(connection.info.backend_pid)

    if snapshot.engine.dialect.name == "postgresql":
        event.listen(snapshot.engine, "connect", note)
        event.listen(snapshot.engine, "close", forget)
    schema.upgrade(snapshot.engine)
    yield snapshot
    snapshot.engine.dispose()


@contextmanager
def _sqlite(blocks: Sequence[int]) -> Iterator[list[str]]:
    paths = [folder() / f"growing-{number}.db" for number in blocks]
    former = None
    for (first, last), path in zip(pairwise([0, *blocks]), paths, strict=True):
        if not path.exists():
            unfinished = path.with_suffix(".unfinished")
            for leftover in path.parent.glob(f"{unfinished.name}*"):
                leftover.unlink()
            if former:
                shutil.copyfile(former, unfinished)
            _grow(f"sqlite:///{unfinished}", first, last)
            unfinished.rename(path)
        former = path
    yield [f"sqlite:///{path}" for path in paths]


@contextmanager
def _postgresql(blocks: Sequence[int]) -> Iterator[list[str]]:
    with own_postgresql() as server:
        yield [server.url(name) for name in grown(server, blocks)]


@contextmanager
def own_postgresql() -> Iterator[PostgreSQL]:
    """Run the server that keeps the snapshots."""
    place = folder() / "postgresql"
    place.mkdir(exist_ok=True)
    server = PostgreSQL(SETTINGS, place)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def grown(server: PostgreSQL, blocks: Sequence[int]) -> list[str]:
    """Return the databases that hold the snapshots; fill those that are not there."""
    names: list[str] = []
    for first, last in pairwise([0, *blocks]):
        name, unfinished = f"growing_{last}", f"unfinished_{last}"
        if not server.has(name):
            server.drop(unfinished)
            url = server.create(unfinished, names[-1] if names else None)
            _grow(f"{url}&{UNCHECKED}", first, last)
            server.rename(unfinished, name)
        names.append(name)
    return names


def _grow(url: str, first: int, last: int) -> None:
    """Let a store of `first` blocks grow to `last`, as its users would see it."""
    engine = connect(url)
    schema.upgrade(engine)
    sessions = sessions_of(engine)
    if not first:
        begin(sessions)
    for start in range(max(first, 1), last, TOGETHER):
        with sessions.writing.begin() as session:
            for block in range(start, min(start + TOGETHER, last)):
                copy(session.connection(), block)
    with sessions.writing.begin() as session:
        records.record(session, detection.detect(session, PROJECT_ID))
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as own:
            for name in NUMBERED:
                own.execute(
                    text(
                        f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), "  # noqa: S608 - our own names
                        f'(SELECT max(id) FROM "{name}"))'
                    )
                )
            own.execute(text("VACUUM ANALYZE"))  # as its own workers do in time
    engine.dispose()  # folds the log of SQLite into the file
