"""`scalewatch import`: post the measurements of foreign files."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

import click
import httpx2
import orjson
import zstandard

from scalewatch.cli.ci.remote import server_options
from scalewatch.cli.files.model import ColumnMapping
from scalewatch.cli.files.preview import show, tell
from scalewatch.cli.files.setting_options import (
    BetterDirections,
    setting_options,
    setting_rules,
)
from scalewatch.errors import ScalewatchError
from scalewatch.importers import read_files
from scalewatch.importers.formats import FORMATS
from scalewatch.services.files.imports import SUITE, ImportOrigin, profiles_of, runs_of
from scalewatch.wire import RunReport

EPILOG: Final = """
\b
Examples:
  scalewatch import sweep.txt --project code --machine jureca --commit v1.2
  scalewatch import *.jsonl --project code --machine jureca --commit 1a2b3c --dry-run
  scalewatch import times.csv --column p=ranks --column value=seconds \\
      --project code --machine jureca --commit v1.2 --server http://perf:8000
  gprof -b -p code gmon.out > p8.txt
  scalewatch import p8.txt --profile --at p=8 \\
      --project code --machine jureca --commit v1.2

Importing a file twice changes nothing.

\b
Exit codes:
  0  imported            3  a file cannot be read, or makes no run; nothing is posted
  2  wrong usage         4  the server did not take it
"""

BATCH: Final = 200
"""Runs that are posted together."""

UNREADABLE: Final = 3
REFUSED: Final = 4


@click.command("import", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--project", required=True, help="Whose measurements they are.")
@click.option("--machine", help="Where they were taken, if no file says so.")
@click.option("--commit", metavar="SHA", help="Hash or tag, if no file says so.")
@click.option("--branch", help="Of the commit.")
@click.option(
    "--parent", "parents", multiple=True, metavar="SHA", help="Of the commit."
)
@click.option(
    "--committed-at",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    help="Time of the commit, in UTC.",
)
@click.option("--suite", default=SUITE, help="What the runs are called.")
@click.option(
    "--format",
    "file_format",
    type=click.Choice(FORMATS),
    default="auto",
    help="Format of the files; auto looks at their content.",
)
@click.option(
    "--column",
    "columns",
    type=ColumnMapping(),
    multiple=True,
    help="Meaning of a table's column, as for `scalewatch model`.",
)
@setting_options
@click.option(
    "--profile",
    "are_profiles",
    is_flag=True,
    help="Regions are functions, and their own times the profile of a run.",
)
@click.option(
    "--better",
    type=BetterDirections(),
    default="",
    help="Which way a metric is better, where its unit does not say it: higher, or "
    "'FOM=higher,load=lower'.",
)
@click.option("--dry-run", is_flag=True, help="Tell what would be posted, no more.")
@server_options
@click.pass_context
def command(
    ctx: click.Context, /, files: Sequence[str], file_format: str, **options: Any
) -> None:
    """Post the measurements of foreign files as runs of a commit on a machine.

    Reads what `scalewatch model` reads: Extra-P's text, JSON and JSON Lines, tables
    with a header (CSV), and run reports, whose project, machine and commit are then
    those named here; and gprof's flat profiles; "-" is standard input.
    """
    columns: dict[str, list[str]] = {}
    for meaning, name in options["columns"]:
        columns.setdefault(meaning, []).append(name)
    reading = read_files(files, file_format, columns, setting_rules(options))
    tell(reading)
    if reading.unreadable:
        ctx.exit(UNREADABLE)
    try:
        make = profiles_of if options["are_profiles"] else runs_of
        runs = make(reading.scans.measurements(), _origin(options))
    except ScalewatchError as error:
        click.echo(f"Error: {error}", err=True)
        ctx.exit(UNREADABLE)
    words = _words(runs)
    if options["dry_run"]:
        show(reading, options["better"])
        click.echo(f"{words} would be posted to {options['server']}; nothing was.")
        return
    server = options["server"].rstrip("/")
    for start in range(0, len(runs), BATCH):
        if why := _refusal(server, options["token"], runs[start : start + BATCH]):
            click.echo(f"Error: {server} did not take the runs: {why}", err=True)
            ctx.exit(REFUSED)
    click.echo(f"{words} posted: {server}/p/{options['project']}")


def _words(runs: Sequence[RunReport]) -> str:
    results = sum(len(run.results) for run in runs)
    functions = sum(len(run.profile.functions) for run in runs if run.profile)
    counted = f"{results} results" if results else f"profiles of {functions} functions"
    return f"{len(runs)} run{'s' * (len(runs) != 1)} with {counted}"


def _origin(options: dict[str, Any]) -> ImportOrigin:
    moment: datetime | None = options["committed_at"]
    stated = {
        "sha": options["commit"],
        "branch": options["branch"],
        "parents": options["parents"] or None,
        "committed_at": moment and moment.replace(tzinfo=UTC).isoformat(),
    }
    commit = {name: value for name, value in stated.items() if value is not None}
    return ImportOrigin(
        options["project"],
        options["machine"],
        commit if options["commit"] else None,
        options["suite"],
        options["better"],
    )


def _refusal(server: str, token: str | None, runs: Sequence[RunReport]) -> str | None:
    """Post runs, all of them or none; return why they were not taken."""
    body = orjson.dumps([run.model_dump(mode="json", by_alias=True) for run in runs])
    headers = {"Content-Type": "application/json", "Content-Encoding": "zstd"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    try:
        answer = httpx2.post(
            f"{server}/api/v1/runs",
            content=zstandard.compress(body),
            headers=headers,
            timeout=120.0,
        )
    except httpx2.HTTPError as error:
        return f"it does not answer ({error})"
    if answer.is_success:
        return None
    try:
        return str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return f"it answered {answer.status_code}"
