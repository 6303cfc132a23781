"""Work and access: jobs, workers, webhooks, confirming runs, tokens, the audit log."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from scalewatch.storage.tables.base import Table, now


class Confirmation(Table):
    """A commit that a machine is to measure once more, and why.

    `state` is open, running, done, failed or withdrawn. `due_at` says when an agent
    may take it: while running, the end of the lease; once it is over, never (null).
    """

    __tablename__ = "confirmation"
    __table_args__ = (
        Index(None, "project_id"),
        Index(None, "machine_id", "due_at"),
        # What is suspected twice is measured once.
        Index(
            "uq_confirmation_open",
            "commit_id",
            "machine_id",
            unique=True,
            sqlite_where=text("due_at IS NOT NULL"),
            postgresql_where=text("due_at IS NOT NULL"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(
        ForeignKey("project.id", ondelete="cascade")
    )
    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"))
    machine_id: Mapped[int] = mapped_column(ForeignKey("machine.id"))
    reason: Mapped[str]
    state: Mapped[str] = mapped_column(default="open")
    due_at: Mapped[datetime | None] = mapped_column(default=now)
    agent: Mapped[str | None]
    attempts: Mapped[int] = mapped_column(default=0)
    outcome: Mapped[str | None]
    asked_at: Mapped[datetime] = mapped_column(default=now)
    finished_at: Mapped[datetime | None]


class WaitingAgent(Table):
    """An agent that asks for such runs of a machine, whatever the project."""

    __tablename__ = "attendant"

    machine: Mapped[str] = mapped_column(primary_key=True)
    agent: Mapped[str] = mapped_column(primary_key=True)
    seen_at: Mapped[datetime] = mapped_column(default=now)


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
        # Projects take turns: the due jobs of each, and when it had its last turn.
        Index(
            "ix_job_project_due",
            "project_id",
            "due_at",
            sqlite_where=text("due_at IS NOT NULL"),
            postgresql_where=text("due_at IS NOT NULL"),
        ),
        Index(None, "project_id", "begun_at"),
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
    project_id: Mapped[int] = mapped_column(server_default="0")  # whose turn it takes
    subject: Mapped[str]  # what it is about, as kind-specific text
    state: Mapped[str] = mapped_column(default="queued")
    due_at: Mapped[datetime | None] = mapped_column(default=now)
    attempts: Mapped[int] = mapped_column(default=0)
    owner: Mapped[str | None]
    reason: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(default=now)
    begun_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class Worker(Table):
    """A process that does jobs, and when it last said so."""

    __tablename__ = "worker"

    name: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    started_at: Mapped[datetime] = mapped_column(default=now)
    seen_at: Mapped[datetime] = mapped_column(default=now)


class Webhook(Table):
    """An address, and the secret by which it knows us.

    Both are kept sealed, as `services.access.sealing` does: path and query of an
    address may hold a secret, too. `host` tells where it is, `last_answer` what it said
    to the newest delivery.
    """

    __tablename__ = "webhook"
    __table_args__ = (Index(None, "project_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(
        ForeignKey("project.id", ondelete="cascade")
    )
    host: Mapped[str] = mapped_column(server_default="")
    url: Mapped[str]
    secret: Mapped[str]
    author: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=now)
    last_answer: Mapped[str | None]
    last_at: Mapped[datetime | None]


class Policy(Table):
    """How a project is treated; a project without one is public, and keeps all.

    Repetitions of runs that are older than `retention_days` are thinned to
    `kept_repetitions` of each measurement; None keeps them all. The code lies at
    `repository`, None as runs say; `forge` is what answers there, None by the address.
    `owners` holds pairs of a pattern of regions and whose these are; the first that
    fits a region counts.
    """

    __tablename__ = "policy"

    project_id: Mapped[int] = mapped_column(
        ForeignKey("project.id", ondelete="cascade"), primary_key=True
    )
    is_private: Mapped[bool] = mapped_column(default=False)
    retention_days: Mapped[int | None]
    kept_repetitions: Mapped[int | None]
    repository: Mapped[str | None]
    forge: Mapped[str | None]
    owners: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")


class Token(Table):
    """A secret that lets its bearer do something, known only by its digest.

    `prefix` is the part of it that may be shown; without a project it is for all.
    """

    __tablename__ = "token"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    prefix: Mapped[str] = mapped_column(unique=True)
    digest: Mapped[str]
    role: Mapped[str]
    project_id: Mapped[int | None] = mapped_column(
        ForeignKey("project.id", ondelete="cascade")
    )
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class Login(Table):
    """A browser that has logged in with a token; its cookie is known by its digest."""

    __tablename__ = "login"

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(unique=True)
    token_id: Mapped[int] = mapped_column(ForeignKey("token.id", ondelete="cascade"))
    created_at: Mapped[datetime] = mapped_column(default=now)
    expires_at: Mapped[datetime]


class AuditEntry(Table):
    """An administrative change: who did what, to what, and when.

    The project is named, not referred to: what was done outlives it.
    """

    __tablename__ = "audit"
    __table_args__ = (Index(None, "project", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[datetime] = mapped_column(default=now)
    actor: Mapped[str]
    action: Mapped[str]
    project: Mapped[str | None]
    subject: Mapped[str | None]
    details: Mapped[dict[str, Any]]
