"""Inserts of one row or of many, on SQLite and PostgreSQL alike.

An insert tolerates a row that is already there: a transaction that meets a row of
another one, not yet committed, waits for it instead of failing. Many rows of equal
columns need neither the object-relational mapper nor answers from the database. Rows
with JSON are found by its digest, the same whatever the order of keys.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from typing import Any, Final

import orjson
from sqlalchemy import JSON, Connection, Dialect, Executable, Uuid, select
from sqlalchemy import Table as Relation
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from scalewatch.storage.tables import Instant, Table

Row = Mapping[str, Any]


Insert = sqlite.Insert | postgresql.Insert


FEW: Final = 8
"""So many rows are sooner inserted than copied."""


def canonical(content: Any) -> bytes:
    """Return content as JSON with sorted keys."""
    return orjson.dumps(content, option=orjson.OPT_SORT_KEYS)


def digest_of(content: bytes) -> str:
    """Return the SHA-256 digest of canonical JSON."""
    return sha256(content).hexdigest()


def insert_for(dialect: str, table: Relation) -> Insert:
    """Return an INSERT that knows ON CONFLICT, for a kind of database."""
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)


def insert_missing(session: Session, table: type[Table], rows: Sequence[Row]) -> None:
    """Insert rows, except those whose key exists."""
    if not rows:
        return
    session.flush()
    connection = session.connection()
    connection.execute(_missing(connection.dialect.name, table), rows)


def insert_new(session: Session, table: type[Table], row: Row) -> int | None:
    """Insert a row and return its id; None if it collides with one."""
    connection = session.connection()
    statement = _missing(connection.dialect.name, table)
    created: int | None = connection.scalar(statement, row)
    return created


def insert_or_find(session: Session, table: type[Table], keys: Row, others: Row) -> int:
    """Insert a row, or find the one with these keys; return its id."""
    created = insert_new(session, table, {**keys, **others})
    if created is not None:
        return created
    wanted = select(table.metadata.tables[table.__tablename__].c.id).filter_by(**keys)
    known: int = session.execute(wanted).scalar_one()
    return known


# What answers with its rows is sent as one statement of many rows instead of many
# statements, and as several where a database takes no more parameters in one.


@cache
def _missing(dialect: str, table: type[Table]) -> Executable:
    relation = table.metadata.tables[table.__tablename__]
    statement = insert_for(dialect, relation).on_conflict_do_nothing()
    return statement.returning(*relation.primary_key)


Encoder = Callable[[Any], Any]


@contextmanager
def together(session: Session) -> Iterator[None]:
    """Pipeline the inserts of the block: send all before reading the answers.

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
    encoders = [_encoder(connection.dialect, relation, name) for name in names]
    values = [tuple(row.values()) for row in rows]
    if any(encoders):
        values = [_encoded(row, encoders) for row in values]
    if connection.dialect.name == "postgresql" and len(rows) > FEW:
        _copy(connection, relation, names, values)
    else:
        statement = _insert(connection.dialect.name, relation, names)
        connection.exec_driver_sql(statement, values if values[1:] else values[0])


def add_missing(session: Session, table: type[Table], rows: Sequence[Row]) -> None:
    """Insert rows of equal columns, except those whose key exists."""
    _add_unless(session, table, rows, "NOTHING")


def put(
    session: Session, table: type[Table], rows: Sequence[Row], keys: Sequence[str]
) -> None:
    """Insert rows of equal columns, or replace those that agree with them in `keys`.

    No two of the rows agree in them. A transaction that meets a row of another one,
    not yet committed, waits for it instead of failing.
    """
    others = (name for name in (rows[0] if rows else ()) if name not in keys)
    changes = ", ".join(f"{name} = excluded.{name}" for name in others)
    _add_unless(session, table, rows, f"UPDATE SET {changes}", f"({', '.join(keys)})")


def _add_unless(
    session: Session,
    table: type[Table],
    rows: Sequence[Row],
    otherwise: str,
    keys: str = "",
) -> None:
    """Insert rows with an ON CONFLICT clause."""
    if not rows:
        return
    session.flush()
    connection = session.connection()
    dialect = connection.dialect
    relation = table.metadata.tables[table.__tablename__]
    names = tuple(rows[0])
    values: Any
    if dialect.name == "sqlite":
        statement = _insert("sqlite", relation, names)
        encoders = [_encoder(dialect, relation, name) for name in names]
        values = [_encoded(tuple(row.values()), encoders) for row in rows]
    else:
        # PostgreSQL parses thousands of parameters more slowly than it inserts.
        statement = _insert_document(dialect, relation, names)
        values = (_json(rows),)
    connection.exec_driver_sql(f"{statement} ON CONFLICT {keys} DO {otherwise}", values)


@cache
def _insert_document(
    dialect: Dialect, relation: Relation, names: tuple[str, ...]
) -> str:
    """Return a statement whose one parameter holds all rows as JSON."""
    columns = ", ".join(names)
    types = (relation.columns[name].type.compile(dialect) for name in names)
    typed = ", ".join(map(" ".join, zip(names, types, strict=True)))
    return (
        f"INSERT INTO {relation.name} ({columns}) "  # noqa: S608 - our own names
        f"SELECT {columns} FROM json_to_recordset(%s::json) AS given ({typed})"
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
    statement = f"COPY {relation.name} ({columns}) FROM STDIN (FORMAT binary)"
    kinds = (relation.columns[name].type for name in names)
    types = [
        ("text" if isinstance(kind, JSON) else kind.compile(connection.dialect).lower())
        for kind in kinds
    ]
    with (
        _driver(connection, statement) as driver,
        driver.cursor() as cursor,
        cursor.copy(statement) as copy,
    ):
        copy.set_types(types)
        for row in rows:
            copy.write_row(row)


@contextmanager
def _driver(connection: Connection, statement: str) -> Iterator[Any]:
    """Yield the driver's connection; translate its outages into SQLAlchemy's error."""
    driver = connection.connection.dbapi_connection
    dbapi = connection.dialect.loaded_dbapi
    try:
        yield driver
    except (dbapi.OperationalError, dbapi.InternalError) as error:
        connection.invalidate(error)
        raise OperationalError(statement, None, error) from error


def _encoded(
    row: tuple[Any, ...], encoders: Sequence[Encoder | None]
) -> tuple[Any, ...]:
    return tuple(
        value if encode is None or value is None else encode(value)
        for encode, value in zip(encoders, row, strict=True)
    )


@cache
def _encoder(dialect: Dialect, relation: Relation, name: str) -> Encoder | None:
    """Return the encoder of a column's values for the driver, None for none."""
    kind = relation.columns[name].type
    if isinstance(kind, Instant | Uuid):
        return kind.dialect_impl(dialect).bind_processor(dialect)
    return _json if isinstance(kind, JSON) else None


def _json(value: Any) -> str:
    options = orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY
    return orjson.dumps(value, _hexadecimal, option=options).decode()


def _hexadecimal(content: Any) -> str:
    """Write bytes as PostgreSQL reads them."""
    if not isinstance(content, bytes):
        raise TypeError
    return f"\\x{content.hex()}"
