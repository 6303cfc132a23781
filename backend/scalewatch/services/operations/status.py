"""The status of the server: queue, failed jobs, workers, agents, database."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from importlib.metadata import version
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.errors import JobNotFailed, NotFound
from scalewatch.services import jobs
from scalewatch.services.access import audit
from scalewatch.services.access.callers import Role, may, permit
from scalewatch.services.commits.find import label_of
from scalewatch.services.confirmations.requests import PRESENCE as ATTENDANCE
from scalewatch.services.confirmations.requests import Confirmation, confirmations_of
from scalewatch.services.jobs import AnalysedCommit, JobKind, Queue
from scalewatch.storage import machines, tables
from scalewatch.storage.access import projects
from scalewatch.storage.database import sizes
from scalewatch.storage.histories import regressions
from scalewatch.storage.tables import now
from scalewatch.storage.work import jobs as stored_jobs
from scalewatch.storage.work.confirmations import attended

PRESENCE: Final = timedelta(minutes=1)
"""A worker that was not seen for longer is not there; they say so more often."""

PATIENCE: Final = timedelta(minutes=5)
"""A job that waits longer says that analysis is behind."""

MOST: Final = 20
"""Failed jobs that the status lists, the newest ones."""


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A job that was given up.

    Parameters
    ----------
    about
        The part of the project that it was to treat, in words; empty for all of it.
    attempts
        How often it was begun.
    may_retry
        Whether the caller may have it tried again.
    """

    id: int
    kind: str
    project: str
    about: str
    attempts: int
    reason: str
    failed_at: datetime | None
    may_retry: bool


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


def status_of(session: Session, project: str) -> Status:
    """Return the status, with what is of one project alone in its lists."""
    whole = status(session)
    return replace(
        whole,
        failed_jobs=tuple(e for e in whole.failed_jobs if e.project == project),
        agents=tuple(e for e in whole.agents if e.project == project),
        confirmations=tuple(e for e in whole.confirmations if e.project == project),
        alarms=tuple(e for e in whole.alarms if e.project == project),
    )


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
    expected = {each.machine for each in agents}
    alarms = []
    for project in projects.listed(session):
        detection = regressions.detection_of(session, project.id)
        details = detection.details if detection else {}
        if (reached := details.get("alarming")) is not None:
            by_chance = details["alarming_share"]
            alarms.append(Alarms(project.name, min(reached, 1.0), by_chance))
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
            if machine in expected
        ),
        alarms=tuple(alarms),
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


@dataclass(frozen=True, slots=True)
class _Subject:
    """The project that a job is about, and which part of it."""

    project: str
    about: str = ""


def failed(session: Session) -> tuple[FailedJob, ...]:
    """Return the newest failed jobs, as far as the caller may know of them."""
    rows = [
        (row, _subject(session, row))
        for row in stored_jobs.newest_failed(session, MOST)
        if jobs.is_visible(session, row)
    ]
    return tuple(
        FailedJob(
            id=row.id,
            kind=row.kind,
            project=subject.project,
            about=subject.about,
            attempts=row.attempts,
            reason=row.reason or "",
            failed_at=row.finished_at,
            may_retry=may(session, Role.ADMIN, subject.project),
        )
        for row, subject in rows
        if subject is not None
    )


def retry(session: Session, job_id: int) -> None:
    """Try a failed job again, as if it were new.

    Raises
    ------
    NotFound
        If there is none with this id that the caller may know of.
    TokenNeeded, NotPermitted
        If the caller does not administer its project.
    JobNotFailed
        If it has not failed.
    """
    row = stored_jobs.identified(session, job_id)
    subject = _subject(session, row)
    if subject is None or not jobs.is_visible(session, row):
        raise NotFound("job", job_id)
    permit(session, Role.ADMIN, subject.project)
    if row.state != "failed":
        raise JobNotFailed(job_id, row.state)
    stored_jobs.queue_again(session, row)
    audit.note(
        session, "job tried again", subject.project, str(job_id), kind=str(row.kind)
    )


def _subject(session: Session, job: tables.Job) -> _Subject | None:
    """Return the subject of a job, None once that was removed."""
    about = ""
    if job.kind == JobKind.ANALYSE:
        at = AnalysedCommit.read(job.subject)
        commit = session.get(tables.Commit, at.commit_id)
        machine = session.get(tables.Machine, at.machine_id)
        if commit is None or machine is None:
            return None
        project_id = commit.project_id
        about = f"{label_of(commit.sha, commit.tag)} on {machine.name}"
    else:
        number = int(job.subject.partition("/")[0])
        if job.kind == JobKind.NOTIFY:
            webhook = session.get(tables.Webhook, number)
            if webhook is None:
                return None
            project_id, about = webhook.project_id, f"webhook {number}"
        else:
            project_id = number
    project = session.get(tables.Project, project_id)
    return _Subject(project.name, about) if project else None


def _workers(session: Session, moment: datetime) -> tuple[Worker, ...]:
    return tuple(
        Worker(row.name, row.kind, row.started_at, row.seen_at)
        for row in stored_jobs.workers_since(session, moment - PRESENCE)
    )


def _is_behind(
    waiting_since: datetime | None, present: tuple[Worker, ...], moment: datetime
) -> bool:
    if waiting_since is None:
        return False
    waited = moment - waiting_since
    # A worker that has just begun, or that another process wakes, needs a moment.
    return waited > PATIENCE or (not present and waited > timedelta(seconds=10))
