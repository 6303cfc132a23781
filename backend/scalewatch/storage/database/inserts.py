"""Inserts that tolerate a row that is already there, on SQLite and PostgreSQL alike.

A transaction that meets a row of another one, not yet committed, waits for it instead
of failing.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Executable, select
from sqlalchemy import Table as Relation
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from scalewatch.storage.tables import Table

Row = Mapping[str, Any]
Insert = sqlite.Insert | postgresql.Insert


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
