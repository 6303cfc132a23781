"""Queries on tokens and on the browsers that have logged in with them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Row, delete, exists, func, or_, select, update
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.tables import now

# Built once: every request without a token asks it.
_IS_ANY: Final = select(exists().select_from(tables.Token.__table__))


def is_any(session: Session) -> bool:
    """Tell whether any token was ever made, expired and revoked ones included."""
    return bool(session.connection().execute(_IS_ANY).scalar_one())


def count(session: Session) -> int:
    """Return how many tokens were ever made, expired and revoked ones included."""
    made = select(func.count()).select_from(tables.Token.__table__)
    return int(session.connection().execute(made).scalar_one())


def add(session: Session, **columns: Any) -> tables.Token:
    """Insert a token."""
    token = tables.Token(**columns)
    session.add(token)
    session.flush()
    return token


def by_prefix(session: Session, prefix: str) -> Row[tables.Token, str | None] | None:
    """Return the token that begins like this, and the name of its project."""
    return session.execute(
        _with_project().where(tables.Token.prefix == prefix)
    ).one_or_none()


def by_login(
    session: Session, login_digest: str
) -> Row[tables.Token, str | None] | None:
    """Return the token that a browser has logged in with, and its project."""
    return session.execute(
        _with_project()
        .join(tables.Login, tables.Login.token_id == tables.Token.id)
        .where(tables.Login.digest == login_digest, tables.Login.expires_at > now())
    ).one_or_none()


def listed(
    session: Session, project: str | None
) -> Sequence[Row[tables.Token, str | None]]:
    """Return the tokens for a project, or all of them, in the order of their making."""
    wanted = _with_project().order_by(tables.Token.id)
    if project is not None:
        wanted = wanted.where(tables.Project.name == project)
    return session.execute(wanted).all()


def note_use(session: Session, token_id: int, pause: timedelta) -> None:
    """Note that a token is used now, unless that was noted within the last `pause`."""
    moment = now()
    session.execute(
        update(tables.Token)
        .where(
            tables.Token.id == token_id,
            or_(
                tables.Token.last_used_at.is_(None),
                tables.Token.last_used_at < moment - pause,
            ),
        )
        .values(last_used_at=moment)
    )


def add_login(
    session: Session, token_id: int, digest: str, expires_at: datetime
) -> None:
    """Insert a login; those that have expired are forgotten."""
    session.execute(delete(tables.Login).where(tables.Login.expires_at <= now()))
    session.add(tables.Login(token_id=token_id, digest=digest, expires_at=expires_at))
    session.flush()


def remove_login(session: Session, digest: str) -> None:
    """Forget a login."""
    session.execute(delete(tables.Login).where(tables.Login.digest == digest))


def remove_logins(session: Session, token_id: int) -> None:
    """Forget all logins with a token."""
    session.execute(delete(tables.Login).where(tables.Login.token_id == token_id))


def _with_project() -> Any:
    return select(tables.Token, tables.Project.name).outerjoin(
        tables.Project, tables.Project.id == tables.Token.project_id
    )
