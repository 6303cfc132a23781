"""Settings and a database with its schema, for all commands of the server."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import click
from alembic.util import CommandError
from pydantic import ValidationError
from sqlalchemy import Engine
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from scalewatch.errors import SchemaNotMigrated
from scalewatch.settings import Settings, get_settings
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import connect

PAUSE_SECONDS: Final = 0.5
"""Between two attempts to reach the database."""


def configured() -> Settings:
    """Return the settings, or end in one line that names the wrong variable."""
    try:
        return get_settings()
    except ValidationError as error:
        first = error.errors()[0]
        variable = f"SCALEWATCH_{first['loc'][0]}".upper()
        setting = f"{variable}={first['input']}"
        raise click.ClickException(f"{setting}: {first['msg']}") from None


@contextmanager
def opened(settings: Settings) -> Iterator[Engine]:
    """Open the database; end in one line where it cannot be reached or read."""
    try:
        engine = connect(settings.database_url)
    except OSError as error:
        raise click.ClickException(
            f"no database can be made in {error.filename}: {error.strerror}; name "
            "another folder by SCALEWATCH_HOME"
        ) from None
    except (ArgumentError, ModuleNotFoundError) as error:
        raise click.ClickException(
            f"SCALEWATCH_DATABASE_URL: {error}; write sqlite:////absolute/path.db or "
            "postgresql+psycopg://USER@HOST/DATABASE"
        ) from None
    try:
        _reach(engine, settings.database_wait_seconds)
        yield engine
    except (CommandError, DBAPIError) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        in_one_line = " ".join(str(cause).split())
        raise click.ClickException(f"{shown(engine)}: {in_one_line}") from error
    finally:
        engine.dispose()


def _reach(engine: Engine, seconds: float) -> None:
    """Wait for a database that starts beside us; SQLite's is always there."""
    deadline = time.monotonic() + seconds
    while engine.dialect.name != "sqlite":
        try:
            with engine.connect():
                return
        except OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(PAUSE_SECONDS)


def prepare(engine: Engine) -> None:
    """Migrate an embedded database; ask for that where others depend on it too."""
    if engine.dialect.name == "sqlite":
        schema.upgrade(engine)
    else:
        require_newest(engine)


def require_newest(engine: Engine) -> None:
    """End in one line where the database has not the schema of this version."""
    try:
        schema.require_newest(engine)
    except SchemaNotMigrated as error:
        raise click.ClickException(f"{shown(engine)}: {error}") from None


def shown(engine: Engine) -> str:
    """Return the URL of a database without its password."""
    return engine.url.render_as_string(hide_password=True)
