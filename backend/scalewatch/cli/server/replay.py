"""`scalewatch replay`: read posted payloads again."""

from functools import partial
from typing import Final

import click

from scalewatch.cli.server.database import configured, opened, prepare
from scalewatch.errors import ScalewatchError
from scalewatch.services.files import kept_files
from scalewatch.services.operations import replay
from scalewatch.storage.access import projects
from scalewatch.storage.database.session import Sessions, sessions_of, transact
from scalewatch.storage.runs import imported_files, payloads

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

    For after a mistake in how the server read them; files of other tools that were
    posted to the server are read again, too. They are analysed again. Runs
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
        files = _files_read_again(sessions, project)
        transact(sessions, partial(replay.note, project=project, runs=done))
        reread = f" and {files:,} files were read again" if files else ""
        click.echo(f"{done:,} runs were replayed{reread}; their analysis is queued.")


def _files_read_again(sessions: Sessions, project: str | None) -> int:
    """Read posted files of other tools as this version does; return how many."""
    file_id, done = 0, 0
    while True:
        with sessions.reading() as session:
            following = imported_files.after(session, file_id, project)
        if following is None:
            return done
        file_id = following
        again = partial(kept_files.read_again, file_id=file_id, limit=kept_files.LIMIT)
        try:
            transact(sessions, again)
            done += 1
        except ScalewatchError as error:
            click.echo(f"Warning: a file stays as it was read: {error}", err=True)
