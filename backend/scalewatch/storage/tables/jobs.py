"""The outbox: jobs to be done later."""

from datetime import datetime

from sqlalchemy import Index, text
from sqlalchemy.orm import Mapped, mapped_column

from scalewatch.storage.tables.base import Table, now


class Job(Table):
    """Something to be done later.

    `state` is queued, running, done, failed, or superseded by a later job for the
    same subject. `due_at` says when a worker may take it: while queued, the time to
    run; while running, the end of the lease; otherwise never (null).
    """

    __tablename__ = "job"
    __table_args__ = (
        Index(
            "ix_job_due_at",
            "due_at",
            sqlite_where=text("due_at IS NOT NULL"),
            postgresql_where=text("due_at IS NOT NULL"),
        ),
        Index(None, "kind", "subject"),
        Index(None, "finished_at"),
        # Few among tens of thousands that are done.
        Index(
            "ix_job_failed",
            "id",
            sqlite_where=text("state = 'failed'"),
            postgresql_where=text("state = 'failed'"),
        ),
        # Jobs for the same subject coalesce while none of them has begun.
        Index(
            "uq_job_queued",
            "kind",
            "subject",
            unique=True,
            sqlite_where=text("state = 'queued'"),
            postgresql_where=text("state = 'queued'"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    subject: Mapped[str]  # what it is about, as kind-specific text
    state: Mapped[str] = mapped_column(default="queued")
    due_at: Mapped[datetime | None] = mapped_column(default=now)
    attempts: Mapped[int] = mapped_column(default=0)
    owner: Mapped[str | None]
    reason: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(default=now)
    finished_at: Mapped[datetime | None]
