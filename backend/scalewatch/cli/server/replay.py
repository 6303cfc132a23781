"""`scalewatch replay`: read posted payloads again."""

from functools import partial
from typing import Final

import click

from scalewatch.cli.server.database import configured, opened, prepare
from scalewatch.services.operations import replay
from scalewatch.storage.access import projects
from scalewatch.storage.database.session import sessions_of, transact
from scalewatch.storage.runs import payloads

AT_ONCE: Final = 20
"""Runs of one transaction: agents post meanwhile."""

EPILOG: Final = """
\b
Example:
  scalewatch replay --project mpich
"""


@click.command("replay", epilog=EPILOG)
@click.option("--project", help="Only its runs.")
def command(*, project: str | None) -> None:
    """Make all measurements anew from the runs as they were posted.

    For after a mistake in how the server read them. They are analysed again. Runs
    whose repetitions were thinned stay as they are. Doing it twice changes nothing.
    """
    with opened(configured()) as engine:
        prepare(engine)
        sessions = sessions_of(engine)
        if project is not None:
            with sessions.reading() as session:
                projects.existing(session, project)
        after, done = 0, 0
        while True:
            with sessions.reading() as session:
                ids = payloads.runs_after(
                    session, after, project=project, limit=AT_ONCE
                )
            if not ids:
                break
            for run_id in ids:
                transact(sessions, partial(replay.replay, run_id=run_id))
            after, done = ids[-1], done + len(ids)
        transact(sessions, partial(replay.note, project=project, runs=done))
        click.echo(f"{done:,} runs were replayed; their analysis is queued.")
