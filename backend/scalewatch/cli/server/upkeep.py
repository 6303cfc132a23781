"""`scalewatch migrate`, `backup`, `restore` and `status`: the database as a whole."""

import socket
from pathlib import Path

import click

from scalewatch.cli.server import database
from scalewatch.exporters.documents import json_text
from scalewatch.services.operations import status
from scalewatch.storage.database import backups, schema
from scalewatch.storage.database.session import sessions_of


def _example(line: str) -> str:
    """Return the epilog of a command that one line explains."""
    return f"\n\b\nExample:\n  {line}\n"


@click.command(
    "migrate",
    epilog=_example(
        "SCALEWATCH_DATABASE_URL=postgresql+psycopg://… scalewatch migrate"
    ),
)
def migrate() -> None:
    """Create the database's schema, or bring it up to date."""
    with database.opened(database.configured()) as engine:
        before = schema.version(engine)
        schema.upgrade(engine)
        after = schema.version(engine)
        done = "is up to date with" if before == after else "now has"
        click.echo(f"{database.shown(engine)} {done} schema {after}.")


@click.command(
    "backup",
    epilog=_example("scalewatch backup scalewatch-2026-11-21.zst"),
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def backup(*, file: Path) -> None:
    """Write everything that is stored into FILE, as it is at one moment.

    The server may go on. `scalewatch restore` reads FILE on SQLite and on PostgreSQL,
    whichever it was written from.
    """
    with database.opened(database.configured()) as engine:
        database.prepare(engine)
        try:
            rows = backups.write(engine, file)
        except OSError as error:
            raise click.ClickException(f"{file}: {error.strerror}") from None
        shown, size = database.shown(engine), file.stat().st_size
        click.echo(f"{rows:,} rows of {shown} are in {file} ({size:,} bytes).")


@click.command(
    "restore",
    epilog=_example(
        "SCALEWATCH_DATABASE_URL=postgresql+psycopg://… scalewatch restore FILE"
    ),
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def restore(*, file: Path) -> None:
    """Read FILE, which `scalewatch backup` has written, into an empty database."""
    with database.opened(database.configured()) as engine:
        schema.upgrade(engine)
        restored = backups.restore(engine, file)
        click.echo(f"{restored.rows:,} rows of {file} are in {database.shown(engine)}.")
        if restored.mended:
            click.echo(
                f"{restored.mended:,} of them had a NUL in a text, which became "
                f"'{backups.MENDED}': PostgreSQL cannot hold it."
            )


@click.command(
    "status",
    epilog=_example("scalewatch status --json"),
)
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.option(
    "--worker",
    "needs_worker",
    is_flag=True,
    help="End with code 1 unless a worker of this host lives: a check of its health.",
)
def show_status(*, as_json: bool, needs_worker: bool) -> None:
    """Tell what is stored and what is still to be analysed.

    Reads the database, whether a server runs or not. Workers note there every 15 s that
    they live.
    """
    with database.opened(database.configured()) as engine:
        schema.require_newest(engine)
        with sessions_of(engine).reading() as session:
            current = status.status(session)
        shown = database.shown(engine)
    here = f"{socket.gethostname()}:"
    if needs_worker and not any(w.name.startswith(here) for w in current.workers):
        raise click.ClickException(
            f"no worker of this host has said within {status.PRESENCE.seconds} s that "
            "it lives: start it anew, `scalewatch worker`"
        )
    if as_json:
        click.echo(json_text(current, indented=True))
        return
    jobs = current.jobs
    since = ""
    if jobs.oldest_open_at is not None:
        since = f", the oldest since {jobs.oldest_open_at:%Y-%m-%d %H:%M:%S} UTC"
    click.echo(
        f"{shown}\n{current.runs} runs of {current.projects} projects; "
        f"{jobs.open} jobs to be done{since}; {jobs.failed} failed"
    )
    for job in current.failed_jobs:
        about = " ".join(filter(None, (job.project, job.about)))
        click.echo(f"job {job.id} ({job.kind} {about}) failed: {job.reason}")
