"""Workers, by when they last noted that they live."""

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from scalewatch.storage.tables.base import Table, now


class Worker(Table):
    """A process that does jobs, and when it last said so."""

    __tablename__ = "worker"

    name: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    started_at: Mapped[datetime] = mapped_column(default=now)
    seen_at: Mapped[datetime] = mapped_column(default=now)
