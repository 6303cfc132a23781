"""Tokens, policies of projects, and the audit log."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from scalewatch.storage.tables.base import Table, now


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
