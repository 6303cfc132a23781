"""Backups: all rows of all tables as compressed JSON lines, for either database.

The first line names the format and the schema; each table begins with a line that
names it and its columns, followed by a line per row; the last line counts the rows,
so that a file that was cut is noticed.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final
from uuid import UUID

import orjson
import zstandard
from sqlalchemy import Connection, Engine, exists, func, select, text
from sqlalchemy.sql.schema import Column

from scalewatch.errors import DatabaseNotEmpty, OtherSchema, UnreadableFile
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import writing_engine
from scalewatch.storage.tables import Instant, Table

NO_BACKUP: Final = "it is no backup of Scalewatch"

FORMAT: Final = 1
ROWS: Final = 1000
"""Rows that are read or inserted at once."""

_WRITTEN: Final[Mapping[type, Callable[[Any], Any]]] = {
    bytes: lambda value: b64encode(value).decode(),
}
_READ: Final[Mapping[type, Callable[[Any], Any]]] = {
    bytes: b64decode,
    datetime: datetime.fromisoformat,
    UUID: UUID,
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


def restore(engine: Engine, path: Path) -> int:
    """Fill an empty database from a backup, whole or not at all; return the rows.

    Raises
    ------
    UnreadableFile
        If the file is no backup, or not a whole one.
    OtherSchema
        If it was made by another version of the product.
    DatabaseNotEmpty
        If there is something in the database.
    """
    try:
        with path.open("rb") as file:
            return _restore(engine, path, _lines(file))
    except zstandard.ZstdError as error:
        raise UnreadableFile(str(path), NO_BACKUP) from error
    except (OSError, ValueError, KeyError) as error:
        raise UnreadableFile(str(path), str(error)) from error


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
            written = [_WRITTEN.get(_kind(column)) for column in columns]
            for row in connection.execute(select(table)):
                put(_changed(row, written))
                rows += 1
        put({"rows": rows})
    return rows


def _restore(engine: Engine, path: Path, lines: Iterator[bytes]) -> int:
    header = orjson.loads(next(lines, b"{}"))
    if not isinstance(header, dict) or header.get("scalewatch") != FORMAT:
        raise UnreadableFile(str(path), NO_BACKUP)
    if header["schema"] != schema.newest():
        raise OtherSchema(header["schema"], schema.newest())
    rows = 0
    with writing_engine(engine).begin() as connection:
        _refuse_rows(connection)
        section: _Section | None = None
        for line in lines:
            content = orjson.loads(line)
            if section is not None and isinstance(content, list):
                section.add(connection, content)
                rows += 1
                continue
            if section is not None:
                section.insert(connection)
            if content.get("rows") == rows:
                _go_on_counting(connection)
                return rows
            section = _Section(content["table"], content["columns"])
        raise UnreadableFile(str(path), "it was cut: its end is missing")


class _Section:
    """The rows of one table, on their way into the database."""

    def __init__(self, table: str, columns: list[str]) -> None:
        self.table = Table.metadata.tables[table]
        self.columns = columns
        self.read = [_READ.get(_kind(self.table.columns[name])) for name in columns]
        self.waiting: list[dict[str, Any]] = []

    def add(self, connection: Connection, row: list[Any]) -> None:
        values = _changed(row, self.read)
        self.waiting.append(dict(zip(self.columns, values, strict=True)))
        if len(self.waiting) >= ROWS:
            self.insert(connection)

    def insert(self, connection: Connection) -> None:
        if self.waiting:
            connection.execute(self.table.insert(), self.waiting)
        self.waiting = []


_SNAPSHOT: Final = {"isolation_level": "REPEATABLE READ", "stream_results": True}


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    with zstandard.ZstdDecompressor().stream_reader(file) as stream:
        rest = b""
        while part := stream.read(2**20):
            *whole, rest = (rest + part).split(b"\n")
            yield from whole


def _changed(row: Any, changes: list[Callable[[Any], Any] | None]) -> list[Any]:
    return [
        value if change is None or value is None else change(value)
        for value, change in zip(row, changes, strict=True)
    ]


def _kind(column: Column[Any]) -> type:
    """Return the type of a column's values; object for what JSON holds as it is."""
    if isinstance(column.type, Instant):
        return datetime
    try:
        return column.type.python_type
    except NotImplementedError:
        return object


def _refuse_rows(connection: Connection) -> None:
    for table in Table.metadata.sorted_tables:
        if connection.scalar(select(exists(select(text("1")).select_from(table)))):
            raise DatabaseNotEmpty(table.name)


def _go_on_counting(connection: Connection) -> None:
    """Let new rows have ids beyond those that were restored; SQLite does by itself."""
    if connection.dialect.name == "sqlite":
        return
    for table in Table.metadata.sorted_tables:
        key = [column for column in table.primary_key if column.name == "id"]
        if key and (largest := connection.scalar(select(func.max(key[0])))):
            sequence = func.pg_get_serial_sequence(f'"{table.name}"', "id")
            connection.execute(select(func.setval(sequence, largest)))
