"""Inserts that tolerate a row that is already there, on SQLite and PostgreSQL alike.

A transaction that meets a row of another one, not yet committed, waits for it instead
of failing.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Table as Relation
from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from scalewatch.storage.tables import Table

Row = Mapping[str, Any]
Insert = sqlite.Insert | postgresql.Insert


def insert(session: Session, table: type[Table]) -> Insert:
    """Return an INSERT that knows ON CONFLICT, for the database of the session."""
    return insert_for(session.get_bind().dialect.name, table)


def insert_for(dialect: str, table: type[Table] | Relation) -> Insert:
    """Return an INSERT that knows ON CONFLICT, for a kind of database."""
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)


def insert_missing(session: Session, table: type[Table], rows: Sequence[Row]) -> None:
    """Insert the rows that collide with none."""
    if rows:
        session.execute(insert(session, table).on_conflict_do_nothing(), rows)


def find_or_insert(session: Session, table: type[Table], keys: Row, others: Row) -> int:
    """Return the id of the row with these keys, new or not."""
    wanted = select(table.metadata.tables[table.__tablename__].c.id).filter_by(**keys)
    found: int | None = session.scalar(wanted)
    if found is None:
        insert_missing(session, table, [{**keys, **others}])
        found = session.execute(wanted).scalar_one()
    return found


def upsert(
    session: Session, table: type[Table], rows: Sequence[Row], keys: Sequence[str]
) -> None:
    """Insert rows, or bring those up to date that agree with them in `keys`."""
    if not rows:
        return
    statement = insert(session, table)
    changed = {name: statement.excluded[name] for name in rows[0] if name not in keys}
    session.execute(
        statement.on_conflict_do_update(index_elements=keys, set_=changed), rows
    )
