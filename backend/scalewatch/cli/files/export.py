"""`scalewatch export`: the measurements of a commit for other programs."""

import sys
from pathlib import Path
from typing import Any, Final

import click

from scalewatch.cli.server.database import configured, opened, prepare
from scalewatch.exporters.measurements import WRITERS
from scalewatch.services.files.exports import exported
from scalewatch.services.selection.view import View
from scalewatch.storage.database.session import sessions_of

EPILOG: Final = """
\b
Examples:
  scalewatch export --project mpich --format csv > mpich.csv
  scalewatch export --project mpich --commit v5.0.2 --region MPI_Bcast \\
      --format gnuplot --output bcast.dat
  scalewatch export --project mpich --format jsonl | scalewatch model -

`scalewatch model` and `scalewatch import` read csv and jsonl.
"""


@click.command("export", epilog=EPILOG)
@click.option("--project", required=True, help="Whose measurements they are.")
@click.option("--commit", help="Hash, its beginning or tag; the newest unless given.")
@click.option("--region", help="Only this one.")
@click.option("--metric", help="Only this one.")
@click.option("--machine", help="Only this one.")
@click.option(
    "--configuration",
    multiple=True,
    metavar="NAME=VALUE",
    help="Only series with this setting.",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(list(WRITERS)),
    default="csv",
    show_default=True,
    help="csv and parquet: a row per repetition; jsonl: Extra-P's JSON Lines; gnuplot: "
    "a block per series; latex: a table of quartiles; bmf: Bencher's metric format; "
    "list: name, unit and median.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A file instead of standard output.",
)
def command(*, output: Path | None, kind: str, region: str | None, **view: Any) -> None:
    """Write the measurements of a commit, with all repetitions.

    Reads the database that `scalewatch serve` uses; the server may go on.
    """
    settings = view.pop("configuration")
    selection = View.stated(settings=settings, **view)
    with opened(configured()) as engine:
        prepare(engine)
        with sessions_of(engine).reading() as session:
            measured = list(exported(session, selection, region))
    if output is None:
        WRITERS[kind](measured, sys.stdout.buffer)
        return
    try:
        with output.open("wb") as file:
            WRITERS[kind](measured, file)
    except OSError as error:
        raise click.ClickException(f"{output}: {error.strerror}") from None
    click.echo(f"{len(measured):,} measurements are in {output}.")
