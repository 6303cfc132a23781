"""`scalewatch worker`: does the jobs that the server has queued."""

import logging
import signal
from typing import Final

import click

from scalewatch.cli.database import configured, opened, prepare, shown
from scalewatch.jobs.worker import Worker
from scalewatch.storage.session import sessions_of

EPILOG: Final = """
\b
Example:
  SCALEWATCH_DATABASE_URL=postgresql+psycopg://… scalewatch worker
"""


@click.command("worker", epilog=EPILOG)
def command() -> None:
    """Analyse what is posted, until Ctrl-C.

    `scalewatch serve` has a worker of its own; this one is for further processes or
    machines. A job that is being done is finished first.
    """
    logging.basicConfig(level=logging.INFO, format="%(levelname)s: %(message)s")
    with opened(configured()) as engine:
        prepare(engine)
        worker = Worker(sessions_of(engine))
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: worker.request_stop())
        click.echo(f"Working on {shown(engine)}  (Ctrl-C stops it)")
        worker.run()
