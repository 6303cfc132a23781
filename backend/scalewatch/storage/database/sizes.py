"""How much there is, and how fast it grows."""

from datetime import datetime

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from scalewatch.storage import tables


def database_bytes(session: Session) -> int:
    """Return what the database occupies."""
    if session.get_bind().dialect.name == "sqlite":
        pages = session.scalar(text("SELECT page_count FROM pragma_page_count()"))
        size = session.scalar(text("SELECT page_size FROM pragma_page_size()"))
        return int(pages or 0) * int(size or 0)
    size = session.scalar(text("SELECT pg_database_size(current_database())"))
    return int(size or 0)


def runs_since(session: Session, moment: datetime) -> int:
    """Return how many runs were received after a moment."""
    counted = select(func.count()).select_from(tables.Run)
    return session.scalar(counted.where(tables.Run.received_at > moment)) or 0


def measurements_since(session: Session, moment: datetime) -> int:
    """Return how many measurements the runs brought that came after a moment."""
    return (
        session.scalar(
            select(func.count())
            .select_from(tables.Point)
            .join(tables.Run, tables.Run.id == tables.Point.run_id)
            .where(tables.Run.received_at > moment)
        )
        or 0
    )
