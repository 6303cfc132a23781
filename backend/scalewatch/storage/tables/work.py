"""Runs that were asked for to confirm a suspicion, and who is there to make them."""

from datetime import datetime

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
