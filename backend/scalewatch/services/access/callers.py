"""Callers of the product: their roles, and how a request is admitted.

`admit` identifies the caller of the session that serves a request. From then on it
finds only what the caller may see, and `permit` checks what they may do. A session
without a caller is the operator's: of a command line or a job.
"""

import hmac
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.errors import NotPermitted, TokenNeeded, TokenUnknown
from scalewatch.storage import tables
from scalewatch.storage.access import projects, tokens
from scalewatch.storage.tables import now

MARK: Final = "swt"
"""How every token begins, so that it is recognised where it does not belong."""

FORM: Final = re.compile(rf"({MARK}_[0-9a-f]{{8}})_")
"""How a token begins: the part of it that may be shown."""

NOTING_PAUSE: Final = timedelta(minutes=1)
"""The last use of a token is known to within this."""

_KEY: Final = "caller"
_NO_DIGEST: Final = sha256(b"").hexdigest()


class Role(StrEnum):
    """The right that a token gives; each includes those before it."""

    READ = "read"
    INGEST = "ingest"
    ADMIN = "admin"

    def covers(self, other: "Role") -> bool:
        """Tell whether this role may do what the other may."""
        ranks = tuple(Role)
        return ranks.index(self) >= ranks.index(other)


@dataclass(frozen=True, slots=True)
class Caller:
    """The one who sends a request, or gives a command.

    Parameters
    ----------
    name
        As the audit log has it.
    role
        None: may read what is public.
    project
        The only one that the role is for; None: all of them.
    """

    name: str
    role: Role | None
    project: str | None = None
    token_id: int | None = None
    last_used_at: datetime | None = None

    def may(self, role: Role, project: str | None) -> bool:
        """Tell whether the caller has a role for a project, or (None) for all."""
        return (
            self.role is not None
            and self.role.covers(role)
            and self.project in {None, project}
        )

    @property
    def is_use_to_be_noted(self) -> bool:
        """Whether the last use of the token was noted too long ago."""
        if self.token_id is None:
            return False
        return self.last_used_at is None or self.last_used_at < now() - NOTING_PAUSE


OPERATOR: Final = Caller("operator", Role.ADMIN)
"""The user of the command line, and with it of the database."""

ANYBODY: Final = Caller("anybody", Role.ADMIN)
"""The caller of a server without any token: its single user."""

STRANGER: Final = Caller("stranger", None)
"""A caller without a token, where tokens were made."""


def admit(
    session: Session, secret: str | None, login: str | None, *, is_trusted: bool
) -> Caller:
    """Identify the caller of a request, and restrict the session to what they may read.

    Parameters
    ----------
    secret
        The token that was sent with the request.
    login
        The cookie of a browser that has logged in.
    is_trusted
        Whether callers may do everything as long as no token was ever made.

    Raises
    ------
    TokenUnknown
        If a token was sent that is not, or no longer, good.
    """
    caller = _bearer_of(session, secret, login)
    if caller is None:
        is_owner = is_trusted and not tokens.is_any(session)
        caller = ANYBODY if is_owner else STRANGER
    session.info[_KEY] = caller
    if not caller.may(Role.READ, None):
        projects.restrict(session, caller.project)
    return caller


def caller_of(session: Session) -> Caller:
    """Return the caller of a session."""
    caller: Caller = session.info.get(_KEY, OPERATOR)
    return caller


def may(session: Session, role: Role, project: str | None) -> bool:
    """Tell whether the caller has a role for a project, or (None) for all."""
    return caller_of(session).may(role, project)


def permit(session: Session, role: Role, project: str | None) -> Caller:
    """Return the caller, if they have `role` for a project, or (None) for all.

    Raises
    ------
    TokenNeeded
        If they have shown no token.
    NotPermitted
        If their token is not for that.
    """
    caller = caller_of(session)
    if caller.may(role, project):
        return caller
    if caller.role is None:
        raise TokenNeeded(role, project)
    raise NotPermitted(caller.name, role, project)


def note_use(session: Session, caller: Caller) -> None:
    """Note when a caller's token was last used."""
    if caller.token_id is not None and caller.is_use_to_be_noted:
        tokens.note_use(session, caller.token_id, NOTING_PAUSE)


def digest_of(secret: str) -> str:
    """Return the SHA-256 of a secret; its entropy makes salting needless."""
    return sha256(secret.encode()).hexdigest()


def is_good(token: tables.Token) -> bool:
    """Tell whether a token has neither expired nor been revoked."""
    is_fresh = token.expires_at is None or token.expires_at > now()
    return is_fresh and token.revoked_at is None


def known_token(
    session: Session, secret: str
) -> tuple[tables.Token, str | None] | None:
    """Return the good token with this secret, and the name of its project."""
    form = FORM.match(secret)
    row = tokens.by_prefix(session, form[1]) if form else None
    # Compare in constant time: an unknown prefix takes as long as a wrong secret.
    stored = row[0].digest if row else _NO_DIGEST
    is_same = hmac.compare_digest(stored, digest_of(secret))
    if row is None or not is_same or not is_good(row[0]):
        return None
    return row[0], row[1]


def _bearer_of(
    session: Session, secret: str | None, login: str | None
) -> Caller | None:
    if secret is not None:
        known = known_token(session, secret)
        if known is None:
            raise TokenUnknown(tokens.count(session))
        return _bearer(*known)
    if login is not None:
        row = tokens.by_login(session, digest_of(login))
        if row is not None and is_good(row[0]):
            return _bearer(row[0], row[1])
    return None


def _bearer(token: tables.Token, project: str | None) -> Caller:
    return Caller(token.name, Role(token.role), project, token.id, token.last_used_at)
