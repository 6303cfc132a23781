"""Foreign files that were posted, and the runs that were read from them."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, LargeBinary, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from scalewatch.storage.tables.base import Table, now


class ImportedFile(Table):
    """A foreign file as it was posted, compressed, to be read again.

    `stated` is all that was said of it, and the digest is of both.
    """

    __tablename__ = "imported_file"
    __table_args__ = (UniqueConstraint("project_id", "digest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    digest: Mapped[str]
    name: Mapped[str]
    stated: Mapped[dict[str, Any]]
    body: Mapped[bytes] = mapped_column(LargeBinary)
    received_at: Mapped[datetime] = mapped_column(default=now)


class ImportedRun(Table):
    """A run that a posted file was the first to tell of."""

    __tablename__ = "imported_run"

    run_id: Mapped[int] = mapped_column(
        ForeignKey("run.id", ondelete="cascade"), primary_key=True
    )
    file_id: Mapped[int] = mapped_column(ForeignKey("imported_file.id"), index=True)
