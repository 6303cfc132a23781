"""Where the time of runs went, and where their regions lie in the source."""

from sqlalchemy import ForeignKey, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from scalewatch.storage.tables.base import Table


class Profile(Table):
    """The seconds of all functions of one run in one blob, see `storage.profiles`."""

    __tablename__ = "profile"

    run_id: Mapped[int] = mapped_column(
        ForeignKey("run.id", ondelete="cascade"), primary_key=True
    )
    blob: Mapped[bytes] = mapped_column(LargeBinary)


class SourceLocations(Table):
    """Where the regions of one run lie, in one blob, see `storage.source_locations`."""

    __tablename__ = "source_locations"

    run_id: Mapped[int] = mapped_column(
        ForeignKey("run.id", ondelete="cascade"), primary_key=True
    )
    blob: Mapped[bytes] = mapped_column(LargeBinary)
