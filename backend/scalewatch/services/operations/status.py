"""The status of the server: queue, workers, agents, database."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.metadata import version
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services import jobs
from scalewatch.services.confirmations.requests import PRESENCE as ATTENDANCE
from scalewatch.services.confirmations.requests import Confirmation, confirmations_of
from scalewatch.services.jobs import Queue
from scalewatch.services.operations.failed_jobs import FailedJob, failed
from scalewatch.storage.access import projects
from scalewatch.storage.database import sizes
from scalewatch.storage.histories import regressions
from scalewatch.storage.machines import machines
from scalewatch.storage.tables import now
from scalewatch.storage.work import workers
from scalewatch.storage.work.confirmations import attended

PRESENCE: Final = timedelta(minutes=1)
"""A worker that was not seen for longer is not there; they say so more often."""

PATIENCE: Final = timedelta(minutes=5)
"""A job that waits longer says that analysis is behind."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that does jobs."""

    name: str
    kind: str
    started_at: datetime
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class Agent:
    """A machine of a project that posts runs."""

    project: str
    machine: str
    last_run_at: datetime
    runs: int


@dataclass(frozen=True, slots=True)
class WaitingAgent:
    """A machine whose agent waits for confirming runs."""

    machine: str
    seen_at: datetime


@dataclass(frozen=True, slots=True)
class Alarms:
    """How many histories of a project alarm, for 200 commits each.

    Parameters
    ----------
    reached
        Share of those in which something was noticed, real changes as well.
    by_chance
        Share that may alarm by chance, at most.
    """

    project: str
    reached: float
    by_chance: float


@dataclass(frozen=True, slots=True)
class Ingest:
    """How many runs and measurements arrived lately."""

    runs_last_minute: int
    measurements_last_minute: int
    runs_last_hour: int


@dataclass(frozen=True, slots=True)
class Status:
    """The status of the server.

    Parameters
    ----------
    is_behind
        Whether jobs wait that nobody does, or for more than five minutes.
    failed_jobs
        The newest jobs that were given up, and why.
    confirmations
        Confirming runs that were asked for, newest first.
    """

    version: str
    database: str
    database_bytes: int
    projects: int
    runs: int
    jobs: Queue
    failed_jobs: tuple[FailedJob, ...]
    is_behind: bool
    workers: tuple[Worker, ...]
    agents: tuple[Agent, ...]
    confirmations: tuple[Confirmation, ...]
    waiting_agents: tuple[WaitingAgent, ...]
    alarms: tuple[Alarms, ...]
    ingest: Ingest


def status(session: Session) -> Status:
    """Return the status, as far as the session may read."""
    moment = now()
    queue = jobs.queue(session)
    present = _workers(session, moment)
    agents = tuple(
        Agent(project.name, *seen)
        for project in projects.listed(session)
        for seen in machines.last_seen(session, project.id)
    )
    waiting = attended(session, moment - ATTENDANCE)
    return Status(
        version=version("scalewatch"),
        database=session.get_bind().dialect.name,
        database_bytes=sizes.database_bytes(session),
        projects=projects.count(session),
        runs=sum(agent.runs for agent in agents),
        jobs=queue,
        failed_jobs=failed(session),
        is_behind=_is_behind(queue.oldest_open_at, present, moment),
        workers=present,
        agents=agents,
        confirmations=confirmations_of(session),
        waiting_agents=tuple(
            WaitingAgent(machine, seen_at)
            for machine, seen_at in waiting.items()
            if machine in {each.machine for each in agents}
        ),
        alarms=tuple(_alarms(session)),
        ingest=Ingest(
            runs_last_minute=sizes.runs_since(session, moment - timedelta(minutes=1)),
            measurements_last_minute=sizes.measurements_since(
                session, moment - timedelta(minutes=1)
            ),
            runs_last_hour=sizes.runs_since(session, moment - timedelta(hours=1)),
        ),
    )


def is_behind(session: Session) -> bool:
    """Tell whether jobs wait without a worker, or for too long."""
    waiting_since = jobs.waiting_since(session)
    moment = now()
    return _is_behind(waiting_since, _workers(session, moment), moment)


def _workers(session: Session, moment: datetime) -> tuple[Worker, ...]:
    return tuple(
        Worker(row.name, row.kind, row.started_at, row.seen_at)
        for row in workers.seen_since(session, moment - PRESENCE)
    )


def _alarms(session: Session) -> Iterable[Alarms]:
    for project in projects.listed(session):
        detection = regressions.detection_of(session, project.id)
        details = detection.details if detection else {}
        if details.get("alarming") is not None:
            yield Alarms(
                project.name, min(details["alarming"], 1.0), details["alarming_share"]
            )


def _is_behind(
    waiting_since: datetime | None, present: tuple[Worker, ...], moment: datetime
) -> bool:
    if waiting_since is None:
        return False
    waited = moment - waiting_since
    # A worker that has just begun, or that another process wakes, needs a moment.
    return waited > PATIENCE or (not present and waited > timedelta(seconds=10))
