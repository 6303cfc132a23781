"""Many rows at once, as fast as the database takes them.

The rows of a run know all their columns, defaults and identities included, so they
need neither the object-relational mapper nor answers from the database.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import orjson
from sqlalchemy import JSON, Connection, insert
from sqlalchemy import Table as Relation
from sqlalchemy.orm import Session

from scalewatch.storage.inserts import Row
from scalewatch.storage.tables import Table

FEW: Final = 8
"""So many rows are sooner inserted than copied."""


def add(session: Session, table: type[Table], rows: Sequence[Row]) -> None:
    """Insert rows of equal columns, by COPY where PostgreSQL gets more than a few."""
    if not rows:
        return
    connection = session.connection()
    relation = table.metadata.tables[table.__tablename__]
    if connection.dialect.name == "postgresql" and len(rows) > FEW:
        _copy(connection, relation, rows)
    else:
        connection.execute(insert(relation), list(rows))


def _copy(connection: Connection, relation: Relation, rows: Sequence[Row]) -> None:
    names = list(rows[0])
    quote = connection.dialect.identifier_preparer.quote
    columns = ", ".join(map(quote, names))
    encoders = [_encoder(relation, name) for name in names]
    driver: Any = connection.connection.dbapi_connection
    with (
        driver.cursor() as cursor,
        cursor.copy(f"COPY {quote(relation.name)} ({columns}) FROM STDIN") as copy,
    ):
        for row in rows:
            copy.write_row(
                [
                    value if encode is None or value is None else encode(value)
                    for encode, value in zip(encoders, row.values(), strict=True)
                ]
            )


def _encoder(relation: Relation, name: str) -> Callable[[Any], str] | None:
    return _json if isinstance(relation.columns[name].type, JSON) else None


def _json(value: Any) -> str:
    return orjson.dumps(value).decode()
