"""The whole content of a database, to be compared and to be put into another one."""

import pickle
import sqlite3
from contextlib import closing
from typing import Final

from psycopg import sql
from sqlalchemy import Connection, Engine, literal, select, text, union_all

from scalewatch.storage.tables import Table

FILLED: Final = union_all(
    *(
        select(literal(name)).where(select(table).exists())
        for name, table in Table.metadata.tables.items()
    )
)
"""Asks for the names of tables with rows: few, where truncating all takes 130 ms."""

_COUNTED: Final = text(
    "SELECT sequencename, last_value FROM pg_sequences WHERE last_value > 0"
)
_COUNT_ON: Final = text("SELECT setval(CAST(:name AS regclass), :last)")


def content_of(engine: Engine) -> bytes:
    """Return all rows of a database, and how far its ids are counted.

    Databases that were filled alike, and at the same times, have the same bytes.
    """
    if engine.dialect.name == "sqlite":
        with closing(engine.raw_connection()) as pooled:
            return _without_counters(_file(pooled.driver_connection).serialize())
    with engine.connect() as connection:
        rows = {
            name: _rows(connection, name) for name in connection.scalars(FILLED).all()
        }
        return pickle.dumps((rows, [*map(tuple, connection.execute(_COUNTED))]))


def put(engine: Engine, content: bytes) -> None:
    """Put the content of another database in the place of what there is, at once."""
    if engine.dialect.name == "sqlite":
        with (
            closing(engine.raw_connection()) as pooled,
            closing(sqlite3.connect(":memory:")) as other,
        ):
            other.deserialize(content)
            other.backup(_file(pooled.driver_connection))
        return
    rows, counted = pickle.loads(content)  # noqa: S301 - by `content_of`
    with engine.begin() as connection:
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        for name in connection.scalars(FILLED).all():
            connection.execute(Table.metadata.tables[name].delete())
        for name, copied in rows.items():
            _put_rows(connection, name, copied)
        for name, last in counted:
            connection.execute(_COUNT_ON, {"name": f'"{name}"', "last": last})


def _file(connection: object) -> sqlite3.Connection:
    assert isinstance(connection, sqlite3.Connection)
    return connection


def _without_counters(file: bytes) -> bytes:
    """Return a file of SQLite without its log and without what counts its changes.

    Its header tells at 18 and 19 whether it has a log, which none in memory has, at 24
    and 92 how often it was written, and at 40 how often its schema was replaced.
    """
    content = bytearray(file)
    content[18:20] = b"\1\1"
    for place in (24, 40, 92):
        content[place : place + 4] = bytes(4)
    return bytes(content)


def _rows(connection: Connection, table: str) -> bytes:
    cursor = connection.connection.cursor()
    with closing(cursor), cursor.copy(_copy(table, "TO STDOUT")) as copied:
        return b"".join(copied)


def _put_rows(connection: Connection, table: str, rows: bytes) -> None:
    cursor = connection.connection.cursor()
    with closing(cursor), cursor.copy(_copy(table, "FROM STDIN")) as copied:
        copied.write(rows)


def _copy(table: str, direction: str) -> sql.Composed:
    return sql.SQL("COPY {} {} (FORMAT binary)").format(
        sql.Identifier(table), sql.SQL(direction)
    )
