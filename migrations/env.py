"""Alembic environment, the same in a checkout and in an installed wheel."""

from typing import Any, Literal

from alembic import context
from sqlalchemy import Connection

from scalewatch.settings import get_settings
from scalewatch.storage.database.session import connect, writing_engine
from scalewatch.storage.tables import Instant, Table


def migrate(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=Table.metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        render_item=column_type,
    )
    with context.begin_transaction():
        context.run_migrations()


def column_type(_kind: str, item: Any, _context: Any) -> str | Literal[False]:
    """Write plain types into new migrations, which outlive our own."""
    return "sa.DateTime(timezone=True)" if isinstance(item, Instant) else False


if given := context.config.attributes.get("connection"):
    migrate(given)
else:  # alembic's own command line, in a checkout
    engine = connect(get_settings().database_url)
    with writing_engine(engine).begin() as connection:
        migrate(connection)
    engine.dispose()
