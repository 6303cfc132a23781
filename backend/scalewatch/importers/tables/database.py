"""Tables of a SQLite database, as JUBE writes its results to."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Final

from scalewatch.errors import UnreadableFile
from scalewatch.importers.series import ImportedMeasurement
from scalewatch.importers.source import Source
from scalewatch.importers.tables import separated
from scalewatch.importers.tables.columns import MEASURED, ROLES
from scalewatch.importers.tables.shapes import Row
from scalewatch.texts.scales import parameter_of

_MAGIC: Final = b"SQLite format 3\0"
_REAL: Final = frozenset({"FLOAT", "REAL", "DOUBLE"})
_NAMED: Final = frozenset(
    " ".join(names for role, names in ROLES.items() if role != MEASURED).split()
)
"""Names of columns whose meaning needs no type."""

_TABLES: Final = (
    "SELECT name FROM sqlite_master WHERE type = 'table' "
    "AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_%' ORDER BY name"
)
_MOST_STEPS: Final = 200
"""Times a query may go on for another million steps, far beyond any table."""


def recognises(beginning: bytes) -> bool:
    """Tell whether a file begins like a database of SQLite 3."""
    return beginning.startswith(_MAGIC)


def read(
    source: Source,
    stated: Mapping[str, Sequence[str]],
    *,
    has_coordinate: bool = False,
) -> Iterator[ImportedMeasurement]:
    """Yield what the tables hold, as from tables in files.

    A table of JUBE has no units, but types: what is real was measured.
    """
    with source.copied() as path:
        try:
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as opened:
                tables = list(_tables(opened))
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            reason = f"the database is broken ({error})"
            raise UnreadableFile(source.name, reason) from None
    if not tables:
        raise UnreadableFile(source.name, "the database has no table")
    for name, reals, rows in tables:
        meanings = dict(stated) if MEASURED in stated else {**stated, MEASURED: reals}
        if not meanings[MEASURED]:
            del meanings[MEASURED]
        table = Source(f"{source.name}/{name}", ())
        table.notes = source.notes
        table.tables = source.tables
        yield from separated.read_rows(
            table, rows, meanings, has_coordinate=has_coordinate
        )


def _tables(
    opened: sqlite3.Connection,
) -> Iterator[tuple[str, Sequence[str], Sequence[Row]]]:
    """Yield name, columns of real numbers and rows of each table."""
    steps = iter(range(_MOST_STEPS))
    opened.set_progress_handler(lambda: next(steps, None) is None, 1_000_000)
    for (name,) in opened.execute(_TABLES).fetchall():
        quoted = '"' + name.replace('"', '""') + '"'
        columns = opened.execute(f"PRAGMA table_info({quoted})").fetchall()
        reals = [
            column[1]
            for column in columns
            if str(column[2]).upper() in _REAL
            and column[1].lower() not in _NAMED
            and not parameter_of(column[1])
        ]
        rows = opened.execute(f"SELECT * FROM {quoted}")  # noqa: S608 - quoted
        lines = [[column[1] for column in columns], *rows]
        yield name, reals, [(at, _cells(row)) for at, row in enumerate(lines, 1)]


def _cells(row: Sequence[object]) -> list[str]:
    return ["" if cell is None else str(cell).strip() for cell in row]
