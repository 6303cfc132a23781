"""Queries on jobs that were given up."""

from collections.abc import Sequence

from sqlalchemy import literal_column, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.tables import now
from scalewatch.storage.work import jobs


def newest(session: Session, limit: int) -> Sequence[tables.Job]:
    """Return the failed jobs, newest first, at most `limit`."""
    return session.scalars(
        select(tables.Job)
        # The same words as in the partial index, so that it serves.
        .where(tables.Job.state == literal_column("'failed'"))
        .order_by(tables.Job.id.desc())
        .limit(limit)
    ).all()


def queue_again(session: Session, job: tables.Job) -> None:
    """Let a failed job be done as a new one, unless its equal waits already."""
    if jobs.is_queued(session, job.kind, job.subject):
        job.state = "superseded"
        return
    job.state, job.due_at, job.attempts = "queued", now(), 0
    job.reason = job.finished_at = None
