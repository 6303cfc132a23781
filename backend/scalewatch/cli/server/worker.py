"""`scalewatch worker`: does the jobs that the server has queued."""

import logging
import os
import signal
import sys
import time
from typing import Final

import click
from sqlalchemy import Engine

from scalewatch.cli.server import database
from scalewatch.jobs.endings import heed_hangup, start_anew
from scalewatch.jobs.periodic import schedule
from scalewatch.jobs.worker import POLL_SECONDS, Worker
from scalewatch.services.jobs import JobTerms
from scalewatch.storage.database.session import sessions_of

NICENESS: Final = 5
"""How much a worker gives way, as `nice` counts it."""

EAGER_POLL_SECONDS: Final = 0.2
"""How often the worker of a single user looks for jobs: someone waits for them."""

FOLLOW_SECONDS: Final = 0.25
"""How soon a worker notices that it is to stop, or that its server was killed."""

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
"""Signals that ask a worker to stop; a terminal that closes sends the second."""

EPILOG: Final = """
\b
Examples:
  SCALEWATCH_DATABASE_URL=postgresql+psycopg://… scalewatch worker
  SCALEWATCH_BROKER_URL=redis://… SCALEWATCH_DATABASE_URL=… scalewatch worker
"""


@click.command("worker", epilog=EPILOG)
@click.option(
    "--processes",
    type=click.IntRange(1),
    default=os.cpu_count,
    show_default="one per core",
    help="Processes that work, where there is a broker.",
)
@click.option("--beside-server", "server", type=int, hidden=True)
def command(*, processes: int, server: int | None) -> None:
    """Analyse what is posted, until Ctrl-C.

    With $SCALEWATCH_BROKER_URL, Celery's workers are woken by messages; without, a
    single process looks for jobs in the database every second. `scalewatch serve`
    without a broker has a worker of its own; this one is for further processes or
    machines. A job that is being done is finished first, if that takes no longer than
    some seconds, or else left to another worker. Workers give way to whatever else
    wants the processor: posting does not wait for analysis.
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    logging.getLogger("scalewatch").setLevel(logging.INFO)
    heed_hangup()
    settings = database.configured()
    database.check_broker(settings)
    terms = JobTerms.of_seconds(settings.lease_seconds, settings.job_seconds)
    with database.opened(settings) as engine:
        database.prepare(engine)
        shown = database.shown(engine)
        if settings.broker_url is None:
            with schedule(sessions_of(engine), settings.thin_hours):
                _work(engine, terms, server)
            return
    # They take a while to import, and a single user needs none.
    from kombu.utils.url import sanitize_url  # noqa: PLC0415

    from scalewatch.jobs import celery_worker  # noqa: PLC0415

    woken = sanitize_url(settings.broker_url)  # without its password
    click.echo(f"Working on {shown}, woken by {woken}  (Ctrl-C stops it)")
    os.nice(NICENESS)
    code = celery_worker.run(
        settings.database_url,
        settings.broker_url,
        processes=processes,
        terms=terms,
        thin_hours=settings.thin_hours,
    )
    sys.exit(code)


def _work(engine: Engine, terms: JobTerms, server: int | None) -> None:
    """Do jobs until a signal comes, or the server is gone that this is beside."""
    worker = Worker(
        sessions_of(engine),
        terms=terms,
        poll_seconds=POLL_SECONDS if server is None else EAGER_POLL_SECONDS,
        overdue=start_anew,
    )
    signals: list[int] = []
    for number in SIGNALS:
        signal.signal(number, lambda number, _: signals.append(number))
    click.echo(f"Working on {database.shown(engine)}  (Ctrl-C stops it)")
    # Not before: to start is no analysis. Nor again, once started anew.
    os.nice(max(0, NICENESS - os.nice(0)))
    worker.start()
    while not signals and server in {None, os.getppid()}:
        time.sleep(FOLLOW_SECONDS)
    if not worker.stop():
        os._exit(0)  # the thread that is still busy would hold up any other way out
