"""Settings, database and broker, as all commands of the server come to them."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

import click
from alembic.util import CommandError
from pydantic import ValidationError
from sqlalchemy import Engine
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from scalewatch.errors import SchemaNotMigrated
from scalewatch.services.access import sealing
from scalewatch.settings import Settings, get_settings
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import Sessions, connect, sessions_of, transact

PAUSE_SECONDS: Final = 0.5
"""Between two attempts to reach the database."""

_WRITABLE: Final = (
    "let its folder be writable, or name another one by SCALEWATCH_HOME; to only read "
    "a database, copy it there"
)

_UNWRITABLE: Final = frozenset(
    {
        "attempt to write a readonly database",
        "unable to open database file",
    }
)
"""Words of SQLite for a file, or a folder, that is only to be read."""


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
            f"no database can be made: {error.filename}: {error.strerror}; {_WRITABLE}"
        ) from None
    except (ArgumentError, ModuleNotFoundError) as error:
        raise click.ClickException(
            f"SCALEWATCH_DATABASE_URL: {error}; write sqlite:////absolute/path.db or "
            "postgresql+psycopg://USER@HOST/DATABASE"
        ) from None
    deadline = time.monotonic() + settings.database_wait_seconds
    try:
        # A server's database may start beside us; SQLite's is always there.
        while engine.dialect.name != "sqlite":
            try:
                with engine.connect():
                    break
            except OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(PAUSE_SECONDS)
        yield engine
    except (CommandError, DBAPIError, SchemaNotMigrated) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        in_one_line = " ".join(str(cause).split())
        if in_one_line in _UNWRITABLE:
            in_one_line = f"it cannot be written ({in_one_line}); {_WRITABLE}"
        raise click.ClickException(f"{shown(engine)}: {in_one_line}") from error
    finally:
        engine.dispose()


@contextmanager
def sessions() -> Iterator[Sessions]:
    """Open the configured database in its newest schema."""
    with opened(configured()) as engine:
        prepare(engine)
        yield sessions_of(engine)


def prepare(engine: Engine) -> None:
    """Migrate an embedded database; ask for that where others depend on it too."""
    if engine.dialect.name == "sqlite":
        schema.upgrade(engine)
        seal_secrets(engine)
    else:
        schema.require_newest(engine)


def seal_secrets(engine: Engine) -> None:
    """Seal secrets and addresses of webhooks that an earlier release did not."""
    with sessions_of(engine).reading() as session:
        if not sealing.is_any_plain(session):
            return
    seal = partial(sealing.seal_all, key_file=get_settings().key_file)
    transact(sessions_of(engine), seal)


def shown(engine: Engine) -> str:
    """Return the URL of a database without its password."""
    return engine.url.render_as_string(hide_password=True)


def check_broker(settings: Settings) -> None:
    """End in one line where no broker can be at the URL that is set."""
    if settings.broker_url is None:
        return
    # A single user has none, and need not wait until Celery is loaded.
    from scalewatch.jobs.broker import fault_of  # noqa: PLC0415

    if fault := fault_of(settings.broker_url):
        raise click.ClickException(
            f"SCALEWATCH_BROKER_URL: {fault}; write redis://HOST:6379/0"
        )
