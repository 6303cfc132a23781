"""Many rows at once, as fast as the database takes them.

The rows of a run know all their columns, defaults and identities included, so they
need neither the object-relational mapper nor answers from the database.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

import orjson
from sqlalchemy import JSON, Connection, Dialect
from sqlalchemy import Table as Relation
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from scalewatch.storage.inserts import Row
from scalewatch.storage.tables import Table

FEW: Final = 8
"""So many rows are sooner inserted than copied."""


@contextmanager
def together(session: Session) -> Iterator[None]:
    """Send what is added inside the block without waiting for each answer.

    Nothing may be read there, nor so many rows be added that they are copied.
    """
    connection = session.connection()
    if connection.dialect.name != "postgresql":
        yield
        return
    with _driver(connection, "pipeline") as driver, driver.pipeline():
        yield


def add(session: Session, table: type[Table], rows: Sequence[Row]) -> None:
    """Insert rows of equal columns, by COPY where PostgreSQL gets more than a few."""
    if not rows:
        return
    connection = session.connection()
    relation = table.metadata.tables[table.__tablename__]
    names = tuple(rows[0])
    encoders = [_encoder(relation, name) for name in names]
    values = [tuple(row.values()) for row in rows]
    if any(encoders):
        values = [_encoded(row, encoders) for row in values]
    if connection.dialect.name == "postgresql" and len(rows) > FEW:
        _copy(connection, relation, names, values)
    else:
        statement = _insert(connection.dialect.name, relation, names)
        connection.exec_driver_sql(statement, values if values[1:] else values[0])


def add_missing(session: Session, table: type[Table], rows: Sequence[Row]) -> None:
    """Insert those rows of equal columns, none of them JSON, that collide with none."""
    if not rows:
        return
    connection = session.connection()
    relation = table.metadata.tables[table.__tablename__]
    names = tuple(rows[0])
    if connection.dialect.name == "sqlite":
        statement = f"{_insert('sqlite', relation, names)} ON CONFLICT DO NOTHING"
        values: Any = [tuple(row.values()) for row in rows]
    else:
        # A statement with parameters for every row takes longer to read than to obey.
        statement = _insert_columns(connection.dialect, relation, names)
        values = tuple([row[name] for row in rows] for name in names)
    connection.exec_driver_sql(statement, values)


@cache
def _insert_columns(
    dialect: Dialect, relation: Relation, names: tuple[str, ...]
) -> str:
    types = (relation.columns[name].type.compile(dialect) for name in names)
    arrays = ", ".join(f"%s::{each}[]" for each in types)
    return (
        f"INSERT INTO {relation.name} ({', '.join(names)}) "  # noqa: S608 - our own names
        f"SELECT * FROM unnest({arrays}) ON CONFLICT DO NOTHING"
    )


@cache
def _insert(dialect: str, relation: Relation, names: tuple[str, ...]) -> str:
    mark = "?" if dialect == "sqlite" else "%s"
    columns, marks = ", ".join(names), ", ".join(mark for _ in names)
    return f"INSERT INTO {relation.name} ({columns}) VALUES ({marks})"  # noqa: S608 - our own names


def _copy(
    connection: Connection,
    relation: Relation,
    names: Sequence[str],
    rows: Sequence[tuple[Any, ...]],
) -> None:
    columns = ", ".join(names)
    statement = f"COPY {relation.name} ({columns}) FROM STDIN"
    with (
        _driver(connection, statement) as driver,
        driver.cursor() as cursor,
        cursor.copy(statement) as copy,
    ):
        for row in rows:
            copy.write_row(row)


@contextmanager
def _driver(connection: Connection, statement: str) -> Iterator[Any]:
    """Lend the connection of the driver; a lost one is told as by the engine itself."""
    driver = connection.connection.dbapi_connection
    try:
        yield driver
    except connection.dialect.loaded_dbapi.OperationalError as error:
        connection.invalidate(error)
        raise OperationalError(statement, None, error) from error


def _encoded(
    row: tuple[Any, ...], encoders: Sequence[Callable[[Any], str] | None]
) -> tuple[Any, ...]:
    return tuple(
        value if encode is None or value is None else encode(value)
        for encode, value in zip(encoders, row, strict=True)
    )


def _encoder(relation: Relation, name: str) -> Callable[[Any], str] | None:
    return _json if isinstance(relation.columns[name].type, JSON) else None


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
