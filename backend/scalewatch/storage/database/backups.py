"""Backups: all rows of all tables as compressed JSON lines, for either database.

The first line names the format and the schema; each table begins with a line that
names it and its columns, followed by a line per row; the last line counts the rows,
so that a file that was cut is noticed.
"""

from base64 import b64encode
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final

import orjson
import zstandard
from sqlalchemy import Engine, select
from sqlalchemy.sql.schema import Column

from scalewatch.storage.database import schema
from scalewatch.storage.tables import Instant, Table

FORMAT: Final = 1
ROWS: Final = 1000
"""Rows that are written or inserted at once."""

_WRITTEN: Final[Mapping[type, Callable[[Any], Any]]] = {
    bytes: lambda value: b64encode(value).decode(),
}


def write(engine: Engine, path: Path) -> int:
    """Write a backup of one moment of the database; return how many rows it has.

    The server may go on meanwhile. The file is there whole, or not at all.
    """
    unfinished = path.with_name(f"{path.name}.unfinished")
    with unfinished.open("wb") as file:
        rows = _write(engine, file)
    unfinished.replace(path)
    return rows


def _write(engine: Engine, file: IO[bytes]) -> int:
    rows = 0
    options = {} if engine.dialect.name == "sqlite" else _SNAPSHOT
    with (
        engine.connect().execution_options(yield_per=ROWS, **options) as connection,
        zstandard.ZstdCompressor(level=6).stream_writer(file, closefd=False) as packed,
    ):

        def put(line: object) -> None:
            packed.write(orjson.dumps(line) + b"\n")

        put({"scalewatch": FORMAT, "schema": schema.newest()})
        for table in Table.metadata.sorted_tables:
            columns = list(table.columns)
            put({"table": table.name, "columns": [each.name for each in columns]})
            written = [_WRITTEN.get(kind_of(column)) for column in columns]
            for row in connection.execute(select(table)):
                put(_changed(row, written))
                rows += 1
        put({"rows": rows})
    return rows


_SNAPSHOT: Final = {"isolation_level": "REPEATABLE READ", "stream_results": True}


def _changed(row: Any, changes: list[Callable[[Any], Any] | None]) -> list[Any]:
    return [
        value if change is None or value is None else change(value)
        for value, change in zip(row, changes, strict=True)
    ]


def kind_of(column: Column[Any]) -> type:
    """Return the type of a column's values; object for what JSON holds as it is."""
    if isinstance(column.type, Instant):
        return datetime
    try:
        return column.type.python_type
    except NotImplementedError:
        return object
