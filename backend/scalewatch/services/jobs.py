"""The queue of jobs: enqueue, claim, extend, finish, fail.

A job is a row in the same transaction as the data that cause it, so neither can be
lost without the other. A worker claims it for the time of a lease and extends that
while it works. A lost worker delays its job until the lease ends, and a job may be
done twice: doing it twice must give the same result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, Self

from sqlalchemy.orm import Session

from scalewatch.errors import LeaseLost, NotFound
from scalewatch.services.access.callers import Role, caller_of
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.tables import now
from scalewatch.storage.work import jobs
from scalewatch.storage.work.jobs import Claim

LEASE: Final = timedelta(seconds=30)
"""How long after its worker's last sign of life another one takes a job over."""

LONGEST: Final = timedelta(minutes=10)
"""Jobs that take longer hang: they are ended, together with their process."""

MAX_ATTEMPTS: Final = 5
"""How often a job is tried before it has failed."""

MAX_OVERDUE: Final = 3
"""How often, if it takes too long: each attempt keeps a worker busy all the time."""

FIRST_PAUSE: Final = timedelta(seconds=2)
"""Time until the second attempt; each further pause is four times as long."""

QUEUED: Final = "queued"
"""Key in the `info` of a session of the ids of the jobs that it has queued."""


class JobKind(StrEnum):
    """The kinds of jobs."""

    ANALYSE = "analyse"
    """Model and judge all series of a commit on a machine."""

    REJUDGE = "rejudge"
    """Analyse again the commits that a changed expectation concerns."""

    REANALYSE = "reanalyse"
    """Analyse again all times of a project for which processes shared cores."""

    WATCH = "watch"
    """Look for changes in the histories of a project."""

    NOTIFY = "notify"
    """Deliver an event of a regression to a webhook."""

    THIN = "thin"
    """Export old repetitions of a project, and keep some of them."""


@dataclass(frozen=True, slots=True)
class JobTerms:
    """The lease of a job without a heartbeat, and its longest duration."""

    lease: timedelta = LEASE
    longest: timedelta = LONGEST

    @classmethod
    def of_seconds(cls, lease: float, longest: float) -> Self:
        """Return terms given in seconds."""
        return cls(timedelta(seconds=lease), timedelta(seconds=longest))


@dataclass(frozen=True, slots=True)
class AnalysedCommit:
    """The subject of an analysis: all that a machine measured of a commit."""

    commit_id: int
    machine_id: int

    def __str__(self) -> str:
        return f"{self.commit_id}/{self.machine_id}"

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the subject that was written as `text`."""
        commit_id, machine_id = text.split("/")
        return cls(int(commit_id), int(machine_id))


@dataclass(frozen=True, slots=True)
class Job:
    """A job as its users see it."""

    id: int
    kind: str
    state: str
    attempts: int
    reason: str | None
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class Queue:
    """How much is to be done, and since when."""

    open: int
    failed: int
    oldest_open_at: datetime | None


def enqueue(
    session: Session, kind: JobKind, project_id: int, subject: str | None = None
) -> int:
    """Queue a job of a project for the end of this transaction and return its id.

    Parameters
    ----------
    subject
        The part or event that it is about; the project as a whole where None.
    """
    subject = str(project_id) if subject is None else subject
    job_id, is_new = jobs.enqueue(session, kind, project_id, subject)
    if is_new:  # workers alone know of jobs of other kinds
        session.info.setdefault(QUEUED, {})[job_id] = None
    return job_id


def latest(session: Session, kind: JobKind, project_id: int, subject: str) -> int:
    """Return the id of the newest job for a subject, queued now if there is none."""
    job = jobs.newest(session, kind, subject)
    return job.id if job else enqueue(session, kind, project_id, subject)


def is_due(session: Session) -> bool:
    """Tell, without a lock, whether a job is due."""
    return jobs.is_due(session)


def due(session: Session, limit: int) -> Sequence[int]:
    """Return the ids of due jobs, longest due first."""
    return jobs.due(session, limit)


def claim(session: Session, owner: str, *, lease: timedelta = LEASE) -> Claim | None:
    """Take the next job that is due; projects take turns.

    A job whose workers were lost each time has failed: it may well be the reason.
    """
    while taken := jobs.claim(session, owner, lease):
        if taken.attempts <= MAX_ATTEMPTS:
            return taken
        reason = f"its worker was lost {MAX_ATTEMPTS} times"
        _release(session, taken, state="failed", reason=reason)
    return None


def extend(session: Session, claim: Claim, lease: timedelta) -> None:
    """Let the lease of a job end later.

    Raises
    ------
    LeaseLost
        If it has ended before, and another worker may have the job.
    """
    if not jobs.extend(session, claim, lease):
        raise LeaseLost(claim.id, claim.owner)


def finish(session: Session, claim: Claim) -> None:
    """Mark a job done, in the transaction of its result.

    Raises
    ------
    LeaseLost
        If it took longer than its lease; the result must not be kept.
    """
    _release(session, claim, state="done")


def fail(session: Session, claim: Claim, reason: str, *, for_good: bool) -> None:
    """Queue a job again for later or, after its last attempt, give it up.

    Parameters
    ----------
    for_good
        Whether another attempt could only fail in the same way.

    Raises
    ------
    LeaseLost
        If another worker may have it.
    """
    if for_good or claim.attempts >= MAX_ATTEMPTS:
        _release(session, claim, state="failed", reason=reason)
    elif jobs.is_queued(session, claim.kind, claim.subject):
        _release(session, claim, state="superseded", reason=reason)
    else:
        pause = FIRST_PAUSE * 4 ** (claim.attempts - 1)
        held = jobs.release(
            session, claim, state="queued", reason=reason, due_at=now() + pause
        )
        if not held:
            raise LeaseLost(claim.id, claim.owner)


def end_overdue(session: Session, claim: Claim, longest: timedelta) -> None:
    """Queue a job again whose process is ended since it takes too long, or give it up.

    Raises
    ------
    LeaseLost
        If it has ended meanwhile, or another worker may have it.
    """
    reason = f"it took longer than {longest.total_seconds():g} s and was ended"
    fail(session, claim, reason, for_good=claim.attempts >= MAX_OVERDUE)


def give_back(session: Session, owner: str) -> None:
    """Queue the job of a worker that ends, as if it had not begun."""
    jobs.give_back(session, owner)
    jobs.forget_worker(session, owner)


def job_of(session: Session, job_id: int) -> Job:
    """Return a job.

    Raises
    ------
    NotFound
        If there is none with this id that the caller may see.
    """
    row = jobs.identified(session, job_id)
    if not is_visible(session, row):
        raise NotFound("job", job_id)
    return Job(
        id=row.id,
        kind=row.kind,
        state=row.state,
        attempts=row.attempts,
        reason=row.reason,
        created_at=row.created_at,
        finished_at=row.finished_at,
    )


def is_visible(session: Session, job: tables.Job) -> bool:
    """Tell whether the session may read the subject of a job."""
    if caller_of(session).may(Role.READ, None):
        return True
    # Deliveries tell what an address answered.
    return job.kind != JobKind.NOTIFY and projects.is_found(session, job.project_id)


def queue(session: Session) -> Queue:
    """Return the state of the queue."""
    counts = jobs.counts(session)
    return Queue(
        open=sum(counts.get(state, 0) for state in jobs.OPEN),
        failed=counts.get("failed", 0),
        oldest_open_at=jobs.oldest_open(session),
    )


def waiting_since(session: Session) -> datetime | None:
    """Return since when the oldest open job waits, if there is one."""
    return jobs.oldest_open(session)


def _release(
    session: Session, claim: Claim, *, state: str, reason: str | None = None
) -> None:
    held = jobs.release(
        session, claim, state=state, reason=reason, due_at=None, finished_at=now()
    )
    if not held:
        raise LeaseLost(claim.id, claim.owner)
