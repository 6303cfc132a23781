"""Databases of millions of measurements, filled once and kept for later runs.

They are of the large project of the tests with a longer history: rows as the product
has written them, models and verdicts of its own analysis.
"""

import getpass
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import Engine, text
from tests.support.servers.postgres import PostgreSQL

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from scalewatch.storage.database import schema
from scalewatch.storage.database.session import connect, sessions_of
from support.large_project import Size, record_large_project

FOLDER: Final = "SCALEWATCH_BENCHMARK_STORE"
"""Names another folder than one for temporary files."""

EACH_COMMIT: Final = 2_000
"""Measurements of a commit, about: 44 series, 5 scales, 9.4 machines."""

PROCESSES: Final = (4, 8, 16, 32, 64)
SETTINGS: Final = ("shared_buffers=512MB", "synchronous_commit=off", "fsync=off")
UNCHECKED: Final = "options=-csession_replication_role%3Dreplica"
"""Rows that are copied from rows refer to rows that are there."""


def size_of(measurements: int) -> Size:
    """Return the large project with a history of so many measurements."""
    return Size(commits=measurements // EACH_COMMIT, processes=PROCESSES)


@contextmanager
def large_store(kind: str, measurements: int) -> Iterator[Engine]:
    """Open a database of so many measurements; fill it if there is none yet.

    Parameters
    ----------
    kind
        `sqlite` or `postgresql`.
    """
    store = _sqlite if kind == "sqlite" else _postgresql
    with store(measurements) as url:
        engine = connect(url)
        schema.upgrade(engine)
        yield engine
        engine.dispose()


def folder() -> Path:
    """Return where the stores are."""
    named = os.environ.get(FOLDER)
    parent = Path(tempfile.gettempdir()) / f"scalewatch-store-of-{getpass.getuser()}"
    found = Path(named) if named else parent
    found.mkdir(parents=True, exist_ok=True)
    return found


@contextmanager
def _sqlite(measurements: int) -> Iterator[str]:
    path = folder() / f"{measurements}.db"
    if not path.exists():
        unfinished = path.with_suffix(".unfinished")
        for leftover in path.parent.glob(f"{unfinished.name}*"):
            leftover.unlink()
        _fill(f"sqlite:///{unfinished}", measurements)
        unfinished.rename(path)
    yield f"sqlite:///{path}"


@contextmanager
def _postgresql(measurements: int) -> Iterator[str]:
    place = folder() / "postgresql"
    place.mkdir(exist_ok=True)
    server = PostgreSQL(SETTINGS, place)
    name, unfinished = f"of_{measurements}", f"unfinished_{measurements}"
    server.start()
    try:
        if not server.has(name):
            server.drop(unfinished)
            _fill(f"{server.create(unfinished)}&{UNCHECKED}", measurements)
            server.rename(unfinished, name)
        yield server.url(name)
    finally:
        server.stop()


def _fill(url: str, measurements: int) -> None:
    engine = connect(url)
    schema.upgrade(engine)
    record_large_project(sessions_of(engine), size_of(measurements))
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as own:
            own.execute(text("VACUUM ANALYZE"))  # as its own workers do in time
    engine.dispose()  # folds the log of SQLite into the file
