"""Sessions: how the product reads and writes its database.

SQLite and PostgreSQL run the same code. SQLite has one writer at a time, so a
writing transaction takes the lock when it begins: it then waits for its turn instead
of failing half-way, when a read turns into a write.
"""

import sqlite3
from collections import deque
from collections.abc import Callable, Hashable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock
from time import monotonic
from typing import Final, TypeVar

import orjson
from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import (
    IntegrityError,
    InternalError,
    InvalidatePoolError,
    OperationalError,
)
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import ConnectionPoolEntry

from scalewatch import private_files
from scalewatch.errors import InMemoryDatabase

BUSY_SECONDS: Final = 30
"""How long a writer waits for its turn on SQLite."""

MOST_THREADS: Final = 64
"""More than ask for a connection at once: the server's thread pool has 40."""

MOST_PAGES_AHEAD: Final = 16_384
"""Pages, of 4 KiB, of SQLite's log that whoever commits writes back to the database.

Workers do it sooner, see `write_back`: to wait for the disk is no part of posting.
"""

SILENT_SECONDS: Final = 30
"""How long a writer on PostgreSQL may say nothing before its transaction is ended.

It holds rows, and the database would keep them for a process that hangs as long as its
host answers.
"""

ATTEMPTS: Final = 3
"""How often a transaction is tried that collides with another one."""

Outcome = TypeVar("Outcome")

_IS_WRITER: Final = "is_writer"
"""Among the options of connections whose transactions write."""

TRUSTED_SECONDS: Final = 1.0
"""How long after its last use a connection to PostgreSQL counts as good."""

_TURN: Final = "turn"
_USED: Final = "used"

_PRAGMAS: Final = (
    "PRAGMA journal_mode = WAL",  # readers and the writer do not block each other
    "PRAGMA synchronous = FULL",  # what was acknowledged outlives a power cut
    f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}",
    "PRAGMA foreign_keys = ON",
    f"PRAGMA wal_autocheckpoint = {MOST_PAGES_AHEAD}",
    "PRAGMA cache_size = -16384",  # KiB: the rows of one page lie far apart in the file
)


@dataclass(frozen=True, slots=True)
class Sessions:
    """Factories of sessions; rows stay readable after commit."""

    reading: sessionmaker[Session]
    writing: sessionmaker[Session]


def connect(url: str) -> Engine:
    """Return the engine for a database; an SQLite file is its owner's alone.

    Raises
    ------
    InMemoryDatabase
        If it were a database of its own for every thread.
    """
    location = make_url(url)
    if location.get_backend_name() != "sqlite":
        engine = create_engine(
            location,
            json_serializer=_json,
            json_deserializer=orjson.loads,
            pool_size=20,
        )
        event.listen(engine, "connect", _cheap_random_reads)
        _ping_idle_connections(engine)
        _end_silent_writers(engine)
        return engine
    if location.database in {None, "", ":memory:"}:
        raise InMemoryDatabase(url)
    _make_private(Path(str(location.database)))
    engine = create_engine(
        location,
        json_serializer=_json,
        json_deserializer=orjson.loads,
        pool_size=MOST_THREADS,  # waiting writers leave connections to readers
    )
    event.listen(engine, "connect", _prepare)
    _queue_writers(engine)
    return engine


def sessions_of(engine: Engine) -> Sessions:
    """Return how to read and how to write the database of `engine`."""
    return Sessions(
        reading=sessionmaker(
            reading_engine(engine),
            expire_on_commit=False,
            info={IS_SNAPSHOT: True},
        ),
        writing=sessionmaker(writing_engine(engine), expire_on_commit=False),
    )


def writing_engine(engine: Engine) -> Engine:
    """Return `engine` with transactions that write.

    Those of SQLite take the write lock when they begin.
    """
    return engine.execution_options(**{_IS_WRITER: True})


def transact(sessions: Sessions, work: Callable[[Session], Outcome]) -> Outcome:
    """Do `work` in one writing transaction; repeat it where it collides.

    Two agents may post the first run of a project at once: the database lets one of
    them create the project and turns the other back, who finds it on its next try.
    Whoever hung for so long that PostgreSQL ended its transaction begins again, too.
    """
    for _ in range(ATTEMPTS - 1):
        try:
            with sessions.writing.begin() as session:
                return work(session)
        except (IntegrityError, InternalError, OperationalError):
            continue
    with sessions.writing.begin() as session:
        return work(session)


def write_back(sessions: Sessions) -> None:
    """Checkpoint SQLite's write-ahead log without blocking readers or writers."""
    with sessions.reading() as session:
        if session.get_bind().dialect.name == "sqlite":
            session.execute(text("PRAGMA wal_checkpoint(PASSIVE)"))


def _make_private(database: Path) -> None:
    """Create the file of a database, and its folder, for their owner alone.

    Its log, which SQLite makes with the same permissions, may be left of a release that
    let others read it.
    """
    private_files.make_folder(database.parent)
    with suppress(OSError):  # the first connection says why it cannot be made
        private_files.make_file(database)
    for suffix in ("-wal", "-shm"):
        private_files.close_to_others(database.with_name(database.name + suffix))


def _json(content: object) -> str:
    return orjson.dumps(content, option=orjson.OPT_NON_STR_KEYS).decode()


def _prepare(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # transactions begin in _begin, not in the driver
    for pragma in _PRAGMAS:
        connection.execute(pragma).close()


def _cheap_random_reads(connection: DBAPIConnection, _record: object) -> None:
    """Tell PostgreSQL that random reads are cheap, from SSD or memory.

    By default it would rather read in order fifty times as much as a history needs.
    """
    with closing(connection.cursor()) as cursor:
        cursor.execute("SET random_page_cost = 1.1")
    connection.commit()


def _ping_idle_connections(engine: Engine) -> None:
    """Ping pooled connections that were idle before they are used again.

    One that was used just now is good unless the database has gone meanwhile, and then
    asking it would not help either.
    """

    def note(_connection: object, record: ConnectionPoolEntry) -> None:
        record.info[_USED] = monotonic()

    def ask(
        connection: DBAPIConnection, record: ConnectionPoolEntry, _: object
    ) -> None:
        if monotonic() - record.info.get(_USED, 0.0) < TRUSTED_SECONDS:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise InvalidatePoolError(str(error)) from error

    event.listen(engine, "connect", note)
    event.listen(engine, "checkin", note)
    event.listen(engine, "checkout", ask)


def _end_silent_writers(engine: Engine) -> None:
    """Let PostgreSQL end the transactions of writers that say nothing any more."""

    def begin(connection: Connection) -> None:
        if _is_writer(connection):
            connection.exec_driver_sql(
                f"SET LOCAL idle_in_transaction_session_timeout = '{SILENT_SECONDS}s'"
            )

    event.listen(engine, "begin", begin)


def _is_writer(connection: Connection) -> bool:
    return bool(connection.get_execution_options().get(_IS_WRITER))


def _queue_writers(engine: Engine) -> None:
    """Queue the writers of this process in the order in which they came.

    A turn ends when the connection goes back to the pool, after commit or rollback.
    """
    lock = FairLock()

    def begin(connection: Connection) -> None:
        if not _is_writer(connection):
            connection.exec_driver_sql("BEGIN DEFERRED")
            return
        # After the timeout SQLite itself reports that the database is locked.
        connection.info[_TURN] = lock.acquire(BUSY_SECONDS)
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    def end(_connection: object, record: ConnectionPoolEntry, *_: object) -> None:
        if record.info.pop(_TURN, False):
            lock.release()

    event.listen(engine, "begin", begin)
    event.listen(engine, "checkin", end)
    event.listen(engine, "invalidate", end)


class FairLock:
    """A lock for threads, first come, first served."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._is_taken = False
        self._waiting: deque[Event] = deque()

    def acquire(self, seconds: float) -> bool:
        """Acquire the lock; return whether that succeeded within the timeout."""
        with self._guard:
            if not self._is_taken:
                self._is_taken = True
                return True
            mine = Event()
            self._waiting.append(mine)
        if mine.wait(seconds):
            return True
        with self._guard:
            if mine.is_set():  # the turn came while this thread gave up
                return True
            self._waiting.remove(mine)
            return False

    def release(self) -> None:
        """Release the lock to the thread that has waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_taken = False


IS_SNAPSHOT: Final = "is_snapshot"
"""In the `info` of sessions whose transactions see one state, and write nothing."""

_ANSWERS: Final = "answers"


def reading_engine(engine: Engine) -> Engine:
    """Return `engine` with repeatable reads.

    Those of SQLite do anyway.
    """
    if engine.dialect.name == "sqlite":
        return engine
    return engine.execution_options(isolation_level="REPEATABLE READ")


def once(session: Session, question: Hashable, ask: Callable[[], Outcome]) -> Outcome:
    """Return a query's answer, kept for the rest of a reading transaction."""
    if not session.info.get(IS_SNAPSHOT):
        return ask()
    transaction, answers = session.info.get(_ANSWERS, (None, {}))
    if transaction is None or transaction is not session.get_transaction():
        answers = {}
    if question not in answers:
        answers[question] = ask()
        session.info[_ANSWERS] = session.get_transaction(), answers
    answer: Outcome = answers[question]
    return answer


def forget(session: Session) -> None:
    """Give back the memory of what a transaction has asked so far."""
    session.info.pop(_ANSWERS, None)
