"""`scalewatch status`: the state of database, queue and workers."""

from typing import Final

import click

from scalewatch.cli.server.database import configured, opened, require_newest, shown
from scalewatch.exporters.documents import json_text
from scalewatch.services.operations.failed_jobs import FailedJob
from scalewatch.services.operations.status import Status, status
from scalewatch.storage.database.session import sessions_of

EPILOG: Final = """
\b
Example:
  scalewatch status --json
"""


@click.command("status", epilog=EPILOG)
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def command(*, as_json: bool) -> None:
    """Tell what is stored and what is still to be analysed.

    Reads the database, whether a server runs or not.
    """
    with opened(configured()) as engine:
        require_newest(engine)
        with sessions_of(engine).reading() as session:
            current = status(session)
        if as_json:
            click.echo(json_text(current, indented=True))
        else:
            click.echo(f"{shown(engine)}\n{_sentence(current)}")


def _sentence(status: Status) -> str:
    queue = status.jobs
    since = ""
    if queue.oldest_open_at is not None:
        since = f", the oldest since {queue.oldest_open_at:%Y-%m-%d %H:%M:%S} UTC"
    summary = (
        f"{status.runs} runs of {status.projects} projects; "
        f"{queue.open} jobs to be done{since}; {queue.failed} failed"
    )
    return "\n".join([summary, *map(_failure, status.failed_jobs)])


def _failure(job: FailedJob) -> str:
    about = " ".join(filter(None, (job.project, job.about)))
    return f"job {job.id} ({job.kind} {about}) failed: {job.reason}"
