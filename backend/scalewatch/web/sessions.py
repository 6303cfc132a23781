"""Sessions of a request: a route or a page names the one that it needs.

A session knows who asks (`services.access`): it finds what the caller may see, and
nothing else. Three kinds of session say what the caller is allowed to do with it:

`session: ReadingDep`
    Reads. A private project is not found without a token for it, nor is anything
    that a query joins with it.
`session: WritingDep`
    Writes. The route itself asks `access.permit(session, role, project)`.
`session: AdminDep`
    Writes, for who administers the `{project}` of the route: 404 for others if the
    project is private, else 401 without a token and 403 with a lesser one; document
    them by `problems(403, 404)`. What you change belongs into the audit log:
    `services.audit.note(session, "thing changed", project, subject, detail=…)`; who
    changes it is `services.access.caller_of(session)`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final

from fastapi import BackgroundTasks, Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.orm import Session

from scalewatch.errors import TokenUnknown
from scalewatch.services.access import callers
from scalewatch.storage.access import projects
from scalewatch.storage.database.session import Sessions, transact
from scalewatch.web.protection.headers import Protection, is_loopback
from scalewatch.web.protection.shares import Shares, address_of

BEARER: Final = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="Made by `scalewatch token create`; reading a public project and a "
    "server without any token need none.",
)

LOGIN: Final = "scalewatch_login"
"""The cookie of a browser that has logged in."""


CALLER: Final = "caller"
"""Where the state of a request holds who asks, once a session was told."""

SESSION: Final = "session"
"""Where it holds the session that a route reads with."""


class RequestSessions:
    """The sessions of a request, each restricted to what its caller may read."""

    def __init__(
        self, request: Request, tasks: BackgroundTasks, secret: str | None
    ) -> None:
        self.sessions: Sessions = request.app.state.sessions
        self._tasks = tasks
        self._request = request
        self._secret = secret
        self._login = request.cookies.get(LOGIN)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Open a session for reading."""
        with self.sessions.reading() as session:
            self._note(self.admit(session))
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Open a transaction: commit on success, roll back on error."""
        with self.sessions.writing.begin() as session:
            callers.note_use(session, self.admit(session))
            yield session

    def admit(self, session: Session) -> callers.Caller:
        """Admit the caller of the request to a session.

        Raises
        ------
        TokenUnknown
            If a token was sent that is not, or no longer, good.
        TooManyGuesses
            If too many of them were, or too many logins that are not good.
        """
        is_trusted = _is_trusted(self._request)
        with noting_tokens(self._request, self._secret):
            caller = callers.admit(
                session, self._secret, self._login, is_trusted=is_trusted
            )
        setattr(self._request.state, CALLER, caller)
        if self._secret is None and self._login and caller is callers.STRANGER:
            shares: Shares = self._request.app.state.shares
            shares.note_ended(address_of(self._request.scope), self._login)
        return caller

    def _note(self, caller: callers.Caller) -> None:
        """Note the use of a token after the answer: writing may have to wait."""
        if caller.is_use_to_be_noted:
            self._tasks.add_task(
                transact,
                self.sessions,
                lambda session: callers.note_use(session, caller),
            )


@contextmanager
def noting_tokens(request: Request, secret: str | None) -> Iterator[None]:
    """Note whether a token is good, which is looked up inside the block."""
    shares: Shares = request.app.state.shares
    try:
        yield
    except TokenUnknown:
        shares.note_wrong(address_of(request.scope), secret or "")
        raise
    if secret is not None:
        shares.note_good(secret)


def _is_trusted(request: Request) -> bool:
    """Tell whether requests of this origin administer the server while it has no token.

    A request that names another host than this machine's own came through a proxy,
    or from a page that had its name point here.
    """
    protection: Protection = request.app.state.protection
    return protection.is_open or is_loopback(request.url.hostname or "")


# Async: a dependency that only reads the request needs no thread.
async def door(
    request: Request,
    tasks: BackgroundTasks,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Security(BEARER)],
) -> RequestSessions:
    """Return the door through which a request comes in."""
    return RequestSessions(request, tasks, bearer.credentials if bearer else None)


DoorDep = Annotated[RequestSessions, Depends(door)]


async def alarming_share(request: Request) -> float:
    """Return the share of histories of 200 commits that may alarm in vain, as set."""
    share: float = request.app.state.alarming_share
    return share


AlarmingShareDep = Annotated[float, Depends(alarming_share)]


async def key_file(request: Request) -> Path:
    """Return the file with the key of webhooks' secrets, as set."""
    file: Path = request.app.state.key_file
    return file


KeyFileDep = Annotated[Path, Depends(key_file)]


def open_reading(request: Request, door: DoorDep) -> Iterator[Session]:
    """Open a session for reading; the request knows it as long as it is open."""
    with door.reading() as session:
        setattr(request.state, SESSION, session)
        try:
            yield session
        finally:
            setattr(request.state, SESSION, None)


def open_writing(door: DoorDep) -> Iterator[Session]:
    """One request is one transaction: commit on success, roll back on error."""
    with door.writing() as session:
        yield session


def open_administering(door: DoorDep, project: str) -> Iterator[Session]:
    """Open a transaction for who administers a project."""
    with door.writing() as session:
        projects.existing(session, project)
        callers.permit(session, callers.Role.ADMIN, project)
        yield session


# scope="function": commit before the response is sent, so that a client never reads
# of success for a transaction that fails or that the next request cannot see.
ReadingDep = Annotated[Session, Depends(open_reading, scope="function")]
WritingDep = Annotated[Session, Depends(open_writing, scope="function")]
AdminDep = Annotated[Session, Depends(open_administering, scope="function")]
