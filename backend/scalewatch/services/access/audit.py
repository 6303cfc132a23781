"""The audit log: who changed what, and when."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from scalewatch.services.access.callers import caller_of
from scalewatch.storage.access import audit


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An administrative change."""

    id: int
    at: datetime
    actor: str
    action: str
    project: str | None
    subject: str | None
    details: Mapping[str, Any]


def note(
    session: Session,
    action: str,
    project: str | None,
    subject: str | None = None,
    **details: Any,
) -> None:
    """Note, in the transaction of a change, what it is and who makes it.

    Parameters
    ----------
    action
        Noun and verb: `token created`, `expectations saved`.
    details
        What JSON can hold.
    """
    audit.add(
        session,
        {
            "actor": caller_of(session).name,
            "action": action,
            "project": project,
            "subject": subject,
            "details": details,
        },
    )


def entries(
    session: Session, project: str | None, *, limit: int, before: int | None = None
) -> tuple[AuditEntry, ...]:
    """Return the changes to a project, or (None) all, newest first."""
    return tuple(
        AuditEntry(
            row.id,
            row.at,
            row.actor,
            row.action,
            row.project,
            row.subject,
            row.details,
        )
        for row in audit.newest(session, project, limit=limit, before=before)
    )
