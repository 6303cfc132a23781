"""`scalewatch migrate`: brings the database up to date."""

from typing import Final

import click

from scalewatch.cli.server.database import configured, opened, shown
from scalewatch.storage.database import schema

EPILOG: Final = """
\b
Example:
  SCALEWATCH_DATABASE_URL=postgresql+psycopg://… scalewatch migrate
"""


@click.command("migrate", epilog=EPILOG)
def command() -> None:
    """Create the database's schema, or bring it up to date."""
    with opened(configured()) as engine:
        before = schema.version(engine)
        schema.upgrade(engine)
        after = schema.version(engine)
        done = "is up to date with" if before == after else "now has"
        click.echo(f"{shown(engine)} {done} schema {after}.")
