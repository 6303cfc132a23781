"""Backups: all rows of all tables as compressed JSON lines, for either database.

The first line names the format and the schema; each table begins with a line that
names it and its columns, followed by a line per row; the last line counts the rows,
so that a file that was cut is noticed. An empty database is filled from one whole, or
not at all: a backup may come from anywhere, and an error in it names its line.
"""

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, NoReturn
from uuid import UUID

import orjson
import zstandard
from sqlalchemy import Connection, Engine, Table, exists, func, select, text
from sqlalchemy.exc import OperationalError, StatementError
from sqlalchemy.sql.schema import Column

from scalewatch import private_files
from scalewatch.errors import (
    DatabaseNotEmpty,
    MalformedFile,
    OtherSchema,
    UnreadableFile,
)
from scalewatch.storage import tables
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import writing_engine
from scalewatch.storage.tables import Instant

FORMAT: Final = 1
ROWS: Final = 1000
"""Rows that are written or inserted at once."""

NO_BACKUP: Final = "it is no backup of Scalewatch"

LONGEST_LINE: Final = 64 * 2**20
"""Bytes of a line; the largest body of a run takes 43 MiB of one."""

MENDED: Final = "\N{REPLACEMENT CHARACTER}"
"""Replaces a NUL, which PostgreSQL does not take."""

_TABLES: Final = tables.Table.metadata
_NUL: Final = rb"\u0000"

_WRITTEN: Final[Mapping[type, Callable[[Any], Any]]] = {
    bytes: lambda value: b64encode(value).decode(),
}


def write(engine: Engine, path: Path) -> int:
    """Write a backup of one moment of the database; return how many rows it has.

    The server may go on meanwhile. The file is there whole, or not at all, and for its
    owner alone.
    """
    unfinished = path.with_name(f"{path.name}.unfinished")
    with private_files.open_file(unfinished, "wb") as file:
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
        for table in _TABLES.sorted_tables:
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


_READ: Final[Mapping[type, Callable[[Any], Any]]] = {
    bytes: partial(b64decode, validate=True),
    datetime: datetime.fromisoformat,
    UUID: UUID,
}
"""How values are read that JSON holds as text."""

_HELD: Final[Mapping[type, tuple[type, ...]]] = {
    bool: (bool,),
    float: (float, int),
    int: (int,),
    str: (str,),
}
"""Types of JSON that a column holds."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The number of restored rows, and of those in which a NUL was replaced."""

    rows: int
    mended: int


def restore(engine: Engine, path: Path) -> Restored:
    """Fill an empty database from a backup.

    A NUL, which PostgreSQL cannot hold and no run may bring, becomes `MENDED`.

    Raises
    ------
    UnreadableFile
        If the file is no backup, or not a whole one; with the line that is wrong.
    OtherSchema
        If it was made by another version of the product.
    DatabaseNotEmpty
        If there is something in the database.
    """
    try:
        with path.open("rb") as file:
            return _Backup(path, file).restore(engine)
    except zstandard.ZstdError as error:
        raise UnreadableFile(str(path), NO_BACKUP) from error
    except OSError as error:
        raise UnreadableFile(str(path), str(error)) from error


class _Backup:
    """A backup that is read line by line, and the line where it has come to."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = path
        self.line = 0
        self.rows = 0
        self.mended = 0
        self._lines = self._read_lines(file)

    def restore(self, engine: Engine) -> Restored:
        self._read_header()
        with writing_engine(engine).begin() as connection:
            _refuse_rows(connection)
            section: _Section | None = None
            for line in self._lines:
                content = self._content(line)
                if section is not None and isinstance(content, list):
                    self._add(connection, section, content)
                    continue
                if not isinstance(content, dict):
                    self.refuse("a table or a row of one", content)
                if section is not None:
                    self._insert(connection, section)
                if "table" not in content:
                    if content.get("rows") != self.rows:
                        self.refuse(f"the number of rows, {self.rows}", content)
                    _go_on_counting(connection)
                    return Restored(self.rows, self.mended)
                section = self._section(content)
            raise UnreadableFile(str(self.path), "it was cut: its end is missing")

    def refuse(self, expected: str, value: object) -> NoReturn:
        text = value if isinstance(value, str) else repr(value)
        shown = text if len(text) < 80 else f"{text[:79]}…"
        raise MalformedFile(str(self.path), f"line {self.line}", expected, shown)

    def _read_lines(self, file: IO[bytes]) -> Iterator[bytes]:
        """Yield the lines of a backup, none beyond all bounds."""
        begun = bytearray()
        with zstandard.ZstdDecompressor().stream_reader(file) as stream:
            while part := stream.read(2**20):
                first, *others = part.split(b"\n")
                begun += first
                for following in others:
                    self.line += 1
                    yield bytes(begun)
                    begun = bytearray(following)
                if len(begun) > LONGEST_LINE:
                    self.line += 1
                    most = f"at most {LONGEST_LINE >> 20} MiB"
                    self.refuse(most, "a longer line")

    def _read_header(self) -> None:
        try:
            header = orjson.loads(next(self._lines, b"{}"))
        except orjson.JSONDecodeError:
            raise UnreadableFile(str(self.path), NO_BACKUP) from None
        if not isinstance(header, dict) or header.get("scalewatch") != FORMAT:
            raise UnreadableFile(str(self.path), NO_BACKUP)
        if header.get("schema") != schema.newest():
            raise OtherSchema(str(header.get("schema")), schema.newest())

    def _content(self, line: bytes) -> Any:
        try:
            content = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            self.refuse("JSON", str(error))
        if _NUL not in line or (mended := _without_nul(content)) == content:
            return content
        self.mended += 1
        return mended

    def _section(self, content: Mapping[str, Any]) -> "_Section":
        name = content["table"]
        table = _TABLES.tables.get(name) if isinstance(name, str) else None
        if table is None:
            self.refuse("a table of Scalewatch", name)
        columns = [each.name for each in table.columns]
        if content.get("columns") != columns:
            self.refuse(f"the columns of {name}", content.get("columns"))
        return _Section(table)

    def _add(self, connection: Connection, section: "_Section", row: list[Any]) -> None:
        if len(row) != len(section.columns):
            self.refuse(f"{len(section.columns)} values", f"{len(row)}")
        for place, (column, read) in enumerate(section.columns):
            try:
                row[place] = read(row[place])
            except (AttributeError, TypeError, ValueError):
                self.refuse(f"a value of {column}", row[place])
        section.rows.append(row)
        self.rows += 1
        if len(section.rows) == ROWS:
            self._insert(connection, section)

    def _insert(self, connection: Connection, section: "_Section") -> None:
        with self._fitting(section):
            section.insert(connection)

    @contextmanager
    def _fitting(self, section: "_Section") -> Iterator[None]:
        """Tell of rows that contradict each other, or do not fit their columns."""
        try:
            yield
        except OperationalError:
            raise  # the database cannot be used, whatever the file holds
        except (StatementError, OverflowError) as error:
            cause = error.orig if isinstance(error, StatementError) else error
            rows = f"rows of {section.table.name} that fit"
            self.refuse(f"{rows} before it", " ".join(str(cause).split()))


class _Section:
    """Rows of one table on their way into the database."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.columns = [(column, _reader(column)) for column in table.columns]
        self.rows: list[list[Any]] = []

    def insert(self, connection: Connection) -> None:
        names = [column.name for column, _ in self.columns]
        rows, self.rows = self.rows, []
        if rows:
            connection.execute(
                self.table.insert(),
                [dict(zip(names, row, strict=True)) for row in rows],
            )


def _reader(column: Column[Any]) -> Callable[[Any], Any]:
    """Return what reads a value of a column; it raises for one of another type."""
    kind = kind_of(column)
    if kind is object:
        return lambda value: value
    if read := _READ.get(kind):
        return lambda value: value if value is None else read(value)
    held = (*_HELD[kind], type(None))

    def checked(value: Any) -> Any:
        if type(value) not in held:
            raise TypeError
        return value

    return checked


def _without_nul(value: Any) -> Any:
    """Return a JSON value in which no text holds a NUL."""
    if isinstance(value, str):
        return value.replace("\0", MENDED)
    if isinstance(value, list):
        return [_without_nul(each) for each in value]
    if isinstance(value, dict):
        return {_without_nul(name): _without_nul(each) for name, each in value.items()}
    return value


def _refuse_rows(connection: Connection) -> None:
    for table in _TABLES.sorted_tables:
        if connection.scalar(select(exists(select(text("1")).select_from(table)))):
            raise DatabaseNotEmpty(table.name)


def _go_on_counting(connection: Connection) -> None:
    """Let new rows have ids beyond those that were restored; SQLite does by itself."""
    if connection.dialect.name == "sqlite":
        return
    for table in _TABLES.sorted_tables:
        key = [column for column in table.primary_key if column.name == "id"]
        if key and (largest := connection.scalar(select(func.max(key[0])))):
            sequence = func.pg_get_serial_sequence(f'"{table.name}"', "id")
            connection.execute(select(func.setval(sequence, largest)))
