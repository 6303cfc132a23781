"""What a route may ask for."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from scalewatch.storage.session import Sessions


def sessions(request: Request) -> Sessions:
    """Return the sessions of the application."""
    found: Sessions = request.app.state.sessions
    return found


SessionsDep = Annotated[Sessions, Depends(sessions)]


def open_reading(sessions: SessionsDep) -> Iterator[Session]:
    """Open a session for reading."""
    with sessions.reading() as session:
        yield session


def open_writing(sessions: SessionsDep) -> Iterator[Session]:
    """One request is one transaction: commit on success, roll back on error."""
    with sessions.writing.begin() as session:
        yield session


# scope="function": commit before the response is sent, so that a client never reads
# of success for a transaction that fails or that the next request cannot see.
ReadingDep = Annotated[Session, Depends(open_reading, scope="function")]
WritingDep = Annotated[Session, Depends(open_writing, scope="function")]
