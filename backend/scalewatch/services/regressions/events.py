"""What happens to regressions: written down, and told to whoever wants to know."""

from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.jobs import JobKind, enqueue
from scalewatch.storage import tables
from scalewatch.storage.tables import now
from scalewatch.storage.work import webhooks

WATCHER: Final = "scalewatch"
"""Who acts where nobody does."""


def record_event(  # noqa: PLR0913, what happened and whether it is told
    session: Session,
    row: tables.Regression,
    actor: str,
    action: str,
    note: str | None,
    *,
    is_told: bool = True,
) -> None:
    """Write down what happened to a regression, and queue its deliveries."""
    row.changed_at = now()
    event = tables.RegressionEvent(
        regression_id=row.id, actor=actor, action=action, note=note
    )
    session.add(event)
    session.flush()
    told = webhooks.of_project(session, row.project_id) if is_told else ()
    for webhook in told:
        enqueue(session, JobKind.NOTIFY, f"{webhook.id}/{event.id}")
