"""`scalewatch export`, `replay`, `thin` and `remove`: what becomes of stored runs."""

import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import click
from sqlalchemy.orm import Session

from scalewatch.cli.server import database
from scalewatch.errors import ScalewatchError
from scalewatch.exporters.measurements import WRITERS
from scalewatch.services.access import policies
from scalewatch.services.files import bulk, kept_files
from scalewatch.services.files.reader_processes import configured_readers
from scalewatch.services.operations import removals, retention
from scalewatch.services.selection.view import View
from scalewatch.storage.access import projects
from scalewatch.storage.database.session import transact
from scalewatch.storage.runs import payloads

AT_ONCE: Final = 20
"""Runs that are replayed in one transaction: agents post meanwhile."""

EXPORTED: Final = """
\b
Examples:
  scalewatch export --project mpich --format csv > mpich.csv
  scalewatch export --project mpich --commit v5.0.2 --region MPI_Bcast \\
      --format gnuplot --output bcast.dat
  scalewatch export --project mpich --format jsonl | scalewatch model -

`scalewatch model` and `scalewatch import` read csv and jsonl.
"""

REPLAYED: Final = """
\b
Example:
  scalewatch replay --project mpich
"""

THINNED: Final = """
\b
Example:
  scalewatch thin --export /archive/scalewatch
"""

REMOVED: Final = """
\b
Examples:
  scalewatch remove commit 3f2a9c1d --project mpich --dry-run
  scalewatch remove machine jureca --project mpich
  scalewatch remove run 8c6f2f0e-9a0c-4f57-8f0c-2d8f6a1f3b11 --yes
  scalewatch remove project mpich

All of it goes in one transaction: wholly, or not at all. Meanwhile nothing is posted.
What is left of a project and depended on it is analysed anew. The audit log says what
was removed; only a backup brings it back.
"""


@click.command("export", epilog=EXPORTED)
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
def export_runs(
    *, output: Path | None, kind: str, region: str | None, **view: Any
) -> None:
    """Write the measurements of a commit, with all repetitions.

    Reads the database that `scalewatch serve` uses; the server may go on.
    """
    selection = View.stated(settings=view.pop("configuration"), **view)
    with database.sessions() as sessions, sessions.reading() as session:
        measured = list(bulk.exported(session, selection, region))
    if output is None:
        WRITERS[kind](measured, sys.stdout.buffer)
        return
    try:
        with output.open("wb") as file:
            WRITERS[kind](measured, file)
    except OSError as error:
        raise click.ClickException(f"{output}: {error.strerror}") from None
    click.echo(f"{len(measured):,} measurements are in {output}.")


@click.command("replay", epilog=REPLAYED)
@click.option("--project", help="Only its runs.")
def replay_runs(*, project: str | None) -> None:
    """Make all measurements anew from the runs as they were posted.

    For after a mistake in how the server read them; files of other tools that were
    posted to the server are read again, too, within its limits. They are analysed
    again. Runs whose repetitions were thinned stay as they are. Doing it twice changes
    nothing.
    """
    readers = configured_readers(database.configured())
    with database.sessions() as sessions, closing(readers):
        if project is not None:
            with sessions.reading() as session:
                projects.existing(session, project)
        run_id, runs = 0, 0
        while True:
            with sessions.reading() as session:
                ids = payloads.runs_after(
                    session, run_id, project=project, limit=AT_ONCE
                )
            if not ids:
                break
            for run_id in ids:
                try:
                    transact(sessions, partial(kept_files.replay, run_id=run_id))
                    runs += 1
                except ScalewatchError as error:
                    click.echo(
                        f"Warning: a run stays as it was read: {error}", err=True
                    )
        file_id, files = 0, 0
        while True:
            with sessions.reading() as session:
                following = payloads.file_after(session, file_id, project)
            if following is None:
                break
            file_id = following
            try:
                kept_files.read_again(sessions, file_id, readers)
                files += 1
            except ScalewatchError as error:
                click.echo(f"Warning: a file stays as it was read: {error}", err=True)
        transact(sessions, partial(kept_files.note_replay, project=project, runs=runs))
    reread = f" and {files:,} files were read again" if files else ""
    click.echo(f"{runs:,} runs were replayed{reread}; their analysis is queued.")


@click.command("thin", epilog=THINNED)
@click.option("--project", help="Only this one.")
@click.option(
    "--export",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where what is removed goes.  [default: exports below $SCALEWATCH_HOME]",
)
def thin(*, project: str | None, folder: Path | None) -> None:
    """Thin repetitions that are older than the settings of their project say.

    The runs as they were posted are exported first, as JSON Lines that can be posted
    again. Summaries stay: no page loses a number. Workers do the same by themselves
    every $SCALEWATCH_THIN_HOURS (24; 0 for never).
    """
    folder = folder or database.configured().home / "exports"
    with database.sessions() as sessions:
        with sessions.reading() as session:
            names = [project] if project else list(policies.administered(session))
            limits = {name: policies.policy_of(session, name) for name in names}
        thinned = [n for n in names if limits[n].kept_repetitions is not None]
        for name in thinned:
            last, runs = 0, 0
            while True:
                with sessions.reading() as session:
                    try:
                        batch = retention.export_next(session, name, last, folder)
                    except OSError as error:
                        place = error.filename or folder
                        raise click.ClickException(
                            f"{place}: {error.strerror}; nothing of it was removed"
                        ) from None
                if batch is None:
                    break
                transact(sessions, partial(retention.thin_all, batch=batch))
                last, runs = batch.runs[-1], runs + len(batch.runs)
            click.echo(f"{name}: {runs:,} runs were thinned.")
    if not thinned:
        click.echo("No project thins its repetitions: its settings would say so.")


@click.group("remove", epilog=REMOVED)
def remove() -> None:
    """Remove a run, commit, machine or project, with all that hangs on it."""


def _options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that all removals have."""
    yes = click.option("--yes", is_flag=True, help="Do not ask.")
    dry = click.option(
        "--dry-run", is_flag=True, help="Say what would go, and remove nothing."
    )
    return dry(yes(command))


_of_project: Final = click.option("--project", required=True, help="Of this project.")


@remove.command("run", epilog=REMOVED)
@click.argument("uuid", type=click.UUID)
@_options
def run(*, uuid: UUID, **how: Any) -> None:
    """Remove the run with an id, as its page shows it."""
    _remove(partial(removals.remove_run, uuid=uuid), **how)


@remove.command("commit", epilog=REMOVED)
@click.argument("sha")
@_of_project
@_options
def commit(*, sha: str, project: str, **how: Any) -> None:
    """Remove the commit that a hash, its beginning or a tag means."""
    _remove(partial(removals.remove_commit, project_name=project, reference=sha), **how)


@remove.command("machine", epilog=REMOVED)
@click.argument("name")
@_of_project
@_options
def machine(*, name: str, project: str, **how: Any) -> None:
    """Remove a machine of a project."""
    _remove(partial(removals.remove_machine, project_name=project, name=name), **how)


@remove.command("project", epilog=REMOVED)
@click.argument("name")
@_options
def project(*, name: str, **how: Any) -> None:
    """Remove a project with its settings, tokens and webhooks."""
    _remove(partial(removals.remove_project, name=name), **how)


def _remove(
    removal: Callable[[Session], removals.Removed], *, dry_run: bool, yes: bool
) -> None:
    with database.sessions() as sessions:
        if dry_run or not yes:
            with sessions.writing() as session:
                tried = _sentence(removal(session))
                session.rollback()
            if dry_run:
                click.echo(f"Would remove {tried}")
                return
            if not sys.stdin.isatty():
                raise click.UsageError(
                    "nobody is there to be asked: say --yes, or --dry-run"
                )
            click.confirm(f"Remove {tried}\nGo on?", abort=True)
        removed = _sentence(transact(sessions, removal))
        click.echo(f"Removed {removed}")


def _sentence(removed: removals.Removed) -> str:
    rows = ", ".join(f"{number:,} {noun}" for noun, number in removed.rows.items())
    anew = f" {removed.analyses:,} analyses are made anew." if removed.analyses else ""
    return f"{removed.what}: {rows}.{anew}"
