"""Queries on webhooks."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row, delete, or_, select, update
from sqlalchemy.orm import Session

from scalewatch.errors import NotFound
from scalewatch.storage import tables


def of_project(session: Session, project_id: int) -> Sequence[tables.Webhook]:
    """Return the webhooks of a project, oldest first."""
    return session.scalars(
        select(tables.Webhook)
        .where(tables.Webhook.project_id == project_id)
        .order_by(tables.Webhook.id)
    ).all()


def identified(session: Session, project_id: int, webhook_id: int) -> tables.Webhook:
    """Return a webhook of a project.

    Raises
    ------
    NotFound
        If it has none with this id.
    """
    row = session.scalar(
        select(tables.Webhook).where(
            tables.Webhook.id == webhook_id, tables.Webhook.project_id == project_id
        )
    )
    if row is None:
        raise NotFound("webhook", webhook_id)
    return row


def with_other_secrets(session: Session, beginning: str) -> Sequence[tables.Webhook]:
    """Return the webhooks whose secret or address does not begin like this."""
    is_other = or_(
        *(
            column.not_like(f"{beginning}%")
            for column in (tables.Webhook.secret, tables.Webhook.url)
        )
    )
    return session.scalars(select(tables.Webhook).where(is_other)).all()


def any_secret(session: Session, beginning: str) -> str | None:
    """Return a secret that begins like this, if there is any."""
    begins = tables.Webhook.secret.startswith(beginning)
    return session.scalar(select(tables.Webhook.secret).where(begins).limit(1))


def deliveries(
    session: Session, kind: str, webhook_id: int
) -> Sequence[Row[str, str | None]]:
    """Return state and last reason of the jobs that tell a webhook, newest first."""
    job = tables.Job
    return session.execute(
        select(job.state, job.reason)
        .where(job.kind == kind, job.subject.startswith(f"{webhook_id}/"))
        .order_by(job.id.desc())
    ).all()


def add(session: Session, row: dict[str, Any]) -> tables.Webhook:
    """Insert a webhook and return it."""
    added = tables.Webhook(**row)
    session.add(added)
    session.flush()
    return added


def remove(session: Session, project_id: int, webhook_id: int) -> None:
    """Delete a webhook of a project.

    Raises
    ------
    NotFound
        If it has none with this id.
    """
    gone = session.scalar(
        delete(tables.Webhook)
        .where(tables.Webhook.id == webhook_id, tables.Webhook.project_id == project_id)
        .returning(tables.Webhook.id)
    )
    if gone is None:
        raise NotFound("webhook", webhook_id)


def change(session: Session, webhook_id: int, **values: Any) -> None:
    """Change a webhook, if it is still there."""
    session.execute(
        update(tables.Webhook).where(tables.Webhook.id == webhook_id).values(**values)
    )
