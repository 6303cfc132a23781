"""What the tables of a database occupy."""

from collections.abc import Mapping
from typing import Final

from sqlalchemy import text

from scalewatch.storage.database.session import Sessions

REPETITIONS: Final = ("samples", "payload")
"""Tables that hold repetitions, as numbers and as they were posted."""


def besides(sizes: Mapping[str, float]) -> float:
    """Return what all tables take but those of repetitions."""
    return sum(size for name, size in sizes.items() if name not in REPETITIONS)


def sweep(sessions: Sessions) -> None:
    """Give the space of rows back that were written anew.

    PostgreSQL does so in time; SQLite has none of it.
    """
    with sessions.reading() as session:
        engine = session.get_bind().engine
    if engine.dialect.name == "postgresql":
        with engine.connect() as connection:
            own = connection.execution_options(isolation_level="AUTOCOMMIT")
            own.execute(text("VACUUM FULL"))
            own.execute(text("VACUUM ANALYZE"))  # the former forgets what all may see


def occupied(sessions: Sessions) -> dict[str, int]:
    """Return the bytes of each table with its indices."""
    statement = (
        "SELECT m.tbl_name, sum(d.pgsize) FROM dbstat AS d "
        "JOIN sqlite_master AS m ON m.name = d.name GROUP BY m.tbl_name"
    )
    with sessions.reading() as session:
        if session.get_bind().dialect.name == "postgresql":
            statement = (
                "SELECT relname, pg_total_relation_size(oid) FROM pg_class "
                "WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
            )
        sizes = {name: int(size) for name, size in session.execute(text(statement))}
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))
