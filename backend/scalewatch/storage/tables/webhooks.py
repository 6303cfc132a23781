"""Addresses that are told what happens to regressions."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from scalewatch.storage.tables.base import Table, now


class Webhook(Table):
    """An address, and the secret by which it knows us.

    The secret itself is kept, since signing needs it. `last_answer` is what the
    address said to the newest delivery.
    """

    __tablename__ = "webhook"
    __table_args__ = (Index(None, "project_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(
        ForeignKey("project.id", ondelete="cascade")
    )
    url: Mapped[str]
    secret: Mapped[str]
    author: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=now)
    last_answer: Mapped[str | None]
    last_at: Mapped[datetime | None]
