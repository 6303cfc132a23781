"""The schema of the database: which version it has, and how to bring it up to date."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, func, select

from scalewatch.errors import SchemaNotMigrated
from scalewatch.resources import bundled
from scalewatch.storage.database.session import writing_engine

LOCK: Final = 0x5CA1E
"""The advisory lock that whoever migrates a database of PostgreSQL holds."""

LONGEST_SECONDS: Final = 3_600
"""How long a process waits for another one that migrates SQLite."""


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Run the migrations that are missing, up to a revision, all of them or none.

    Two processes may start at once: the second one waits and finds nothing to do.

    Raises
    ------
    SchemaNotMigrated
        If the database belongs to a later version.
    """
    _require_known(version(engine))
    with migrating(engine) as config:
        command.upgrade(config, revision)


@contextmanager
def migrating(engine: Engine) -> Iterator[Config]:
    """Lend what a command of Alembic needs, in a transaction of its own."""
    config = _config()
    with writing_engine(engine).connect() as connection:
        if engine.dialect.name == "sqlite":
            # Outside a transaction, or it has no effect: a table that a migration
            # copies and drops must not take the rows that refer to it along.
            cursor = connection.connection.cursor()
            cursor.execute("PRAGMA foreign_keys = OFF")
            cursor.execute(f"PRAGMA busy_timeout = {LONGEST_SECONDS * 1000}")
        with connection.begin():
            if engine.dialect.name == "postgresql":
                connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
            config.attributes["connection"] = connection
            yield config
        # The connection keeps the pragma, so it does not go back to the pool.
        connection.invalidate()


def version(engine: Engine) -> str | None:
    """Return the revision of the database, None where there is no schema."""
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


@cache
def newest() -> str | None:
    """Return the revision that this version of the product needs."""
    return _scripts().get_current_head()


def require_newest(engine: Engine) -> None:
    """Make sure that the database has the schema that this version needs.

    Raises
    ------
    SchemaNotMigrated
        If it is to be migrated first, or belongs to a later version.
    """
    present = version(engine)
    if present == newest():
        return
    _require_known(present)
    raise SchemaNotMigrated(present, newest(), "run `scalewatch migrate`")


def _require_known(present: str | None) -> None:
    """Make sure that a database is not of a later version of the product."""
    known = {each.revision for each in _scripts().walk_revisions()}
    if present is not None and present not in known:
        remedy = "it belongs to a later version, which is to be installed here"
        raise SchemaNotMigrated(present, newest(), remedy)


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(bundled("migrations")))
    return config
