"""Queries on the processes that do jobs."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import bindparam, delete, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database import bulk
from scalewatch.storage.tables import now

# Built once: every page asks whether a worker is there.
_SEEN_SINCE: Final = (
    select(tables.Worker)
    .where(tables.Worker.seen_at > bindparam("moment"))
    .order_by(tables.Worker.started_at, tables.Worker.name)
)


def seen(session: Session, name: str, kind: str) -> None:
    """Note that a worker lives; delete notes older than a day."""
    moment = now()
    row = {"name": name, "kind": kind, "started_at": moment, "seen_at": moment}
    known = session.get(tables.Worker, name)
    if known is None:
        bulk.put(session, tables.Worker, [row], keys=("name",))
        forgotten = tables.Worker.seen_at < moment - timedelta(days=1)
        session.execute(delete(tables.Worker).where(forgotten))
    else:
        known.seen_at = moment


def gone(session: Session, name: str) -> None:
    """Forget a worker that has ended."""
    session.execute(delete(tables.Worker).where(tables.Worker.name == name))


def seen_since(session: Session, moment: datetime) -> Sequence[tables.Worker]:
    """Return the workers seen after a moment, oldest first."""
    return session.scalars(_SEEN_SINCE, {"moment": moment}).all()
