"""Tokens: make them, list them, revoke them, log in with them."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from pydantic import TypeAdapter, ValidationError
from sqlalchemy.orm import Session

from scalewatch.errors import InvalidReport, NotFound, TokenUnknown
from scalewatch.services.access import audit
from scalewatch.services.access.callers import (
    MARK,
    Role,
    digest_of,
    is_good,
    known_token,
)
from scalewatch.storage import tables
from scalewatch.storage.access import projects, tokens
from scalewatch.storage.tables import now
from scalewatch.wire import Name

_NAME: Final = TypeAdapter(Name)

LOGIN: Final = timedelta(days=30)
"""How long a browser stays logged in."""


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it may be shown.

    Parameters
    ----------
    prefix
        Its beginning; the rest is known to its bearer alone.
    project
        None: for all projects.
    """

    name: str
    prefix: str
    role: Role
    project: str | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    is_good: bool


def create(
    session: Session,
    name: str,
    role: Role,
    project: str | None,
    *,
    lifetime: timedelta | None = None,
) -> tuple[Token, str]:
    """Make a token, for a project that may be new, or (None) for all of them.

    Returns
    -------
        The token and its secret, which is nowhere stored.

    Raises
    ------
    InvalidReport
        If a name is none that an address can hold.
    """
    _check("name", name)
    if project is not None:
        _check("project", project)
    owner = None if project is None else projects.find_or_create(session, project)
    prefix = f"{MARK}_{secrets.token_hex(4)}"
    secret = f"{prefix}_{secrets.token_urlsafe(32)}"
    row = tokens.add(
        session,
        name=name,
        prefix=prefix,
        digest=digest_of(secret),
        role=role,
        project_id=owner and owner.id,
        expires_at=lifetime and now() + lifetime,
    )
    audit.note(session, "token created", project, prefix, name=name, role=role)
    return _token(row, project), secret


def listed(session: Session, project: str | None = None) -> tuple[Token, ...]:
    """Return the tokens for a project, or (None) all of them, oldest first."""
    return tuple(_token(row, owner) for row, owner in tokens.listed(session, project))


def revoke(session: Session, prefix: str, project: str | None = None) -> Token:
    """End a token for good, together with all logins with it.

    Raises
    ------
    NotFound
        If there is no such token (for this project, if one is named).
    """
    known = tokens.by_prefix(session, prefix)
    if known is None or project not in {None, known[1]}:
        raise NotFound("token", prefix)
    row, owner = known
    if row.revoked_at is None:
        row.revoked_at = now()
        tokens.remove_logins(session, row.id)
        audit.note(session, "token revoked", owner, prefix, name=row.name)
        session.flush()
    return _token(row, owner)


def log_in(session: Session, secret: str) -> tuple[str, datetime]:
    """Log a browser in; return its cookie and when that expires.

    Raises
    ------
    TokenUnknown
        If the token is not good.
    """
    known = known_token(session, secret.strip())
    if known is None:
        raise TokenUnknown(tokens.count(session))
    row, _ = known
    login = secrets.token_urlsafe(32)
    expires_at = now() + LOGIN
    if row.expires_at is not None:
        expires_at = min(expires_at, row.expires_at)
    tokens.add_login(session, row.id, digest_of(login), expires_at)
    return login, expires_at


def log_out(session: Session, login: str) -> None:
    """Forget a login."""
    tokens.remove_login(session, digest_of(login))


def is_any(session: Session) -> bool:
    """Tell whether a token was ever made."""
    return tokens.is_any(session)


def _check(field: str, name: str) -> None:
    try:
        _NAME.validate_python(name)
    except ValidationError as error:
        raise InvalidReport([(field, error.errors()[0]["msg"])]) from None


def _token(row: tables.Token, project: str | None) -> Token:
    return Token(
        name=row.name,
        prefix=row.prefix,
        role=Role(row.role),
        project=project,
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        revoked_at=row.revoked_at,
        is_good=is_good(row),
    )
