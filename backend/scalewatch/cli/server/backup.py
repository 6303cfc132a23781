"""`scalewatch backup`: everything in one file."""

from pathlib import Path
from typing import Final

import click

from scalewatch.cli.server.database import configured, opened, prepare, shown
from scalewatch.storage.database import backups

EPILOG: Final = """
\b
Example:
  scalewatch backup scalewatch-2026-11-21.zst
"""


@click.command("backup", epilog=EPILOG)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def command(*, file: Path) -> None:
    """Write everything that is stored into FILE, as it is at one moment.

    The server may go on. `scalewatch restore` reads FILE on SQLite and on PostgreSQL,
    whichever it was written from.
    """
    with opened(configured()) as engine:
        prepare(engine)
        try:
            rows = backups.write(engine, file)
        except OSError as error:
            raise click.ClickException(f"{file}: {error.strerror}") from None
        size = file.stat().st_size
        click.echo(f"{rows:,} rows of {shown(engine)} are in {file} ({size:,} bytes).")
