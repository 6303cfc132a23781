"""Jobs that were given up: their subjects, the reasons, another attempt."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.errors import JobNotFailed, NotFound
from scalewatch.services import jobs
from scalewatch.services.access import audit
from scalewatch.services.access.callers import Role, may, permit
from scalewatch.services.commits.find import label_of
from scalewatch.services.jobs import AnalysedCommit, JobKind
from scalewatch.storage import tables
from scalewatch.storage.work import jobs as stored_jobs

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
