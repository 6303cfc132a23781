"""`scalewatch restore`: fill an empty database from a backup."""

from pathlib import Path
from typing import Final

import click

from scalewatch.cli.server.database import configured, opened, shown
from scalewatch.storage.database import backups, schema

EPILOG: Final = """
\b
Example:
  SCALEWATCH_DATABASE_URL=postgresql+psycopg://… scalewatch restore FILE
"""


@click.command("restore", epilog=EPILOG)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def command(*, file: Path) -> None:
    """Read FILE, which `scalewatch backup` has written, into an empty database."""
    with opened(configured()) as engine:
        schema.upgrade(engine)
        restored = backups.restore(engine, file)
        click.echo(f"{restored.rows:,} rows of {file} are in {shown(engine)}.")
        if restored.mended:
            click.echo(
                f"{restored.mended:,} of them had a NUL in a text, which became "
                f"'{backups.MENDED}': PostgreSQL cannot hold it."
            )
