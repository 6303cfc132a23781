"""What a page may ask for."""

from collections.abc import Iterator
from typing import Annotated

from fastapi import Depends, Query, Request
from sqlalchemy.orm import Session

from scalewatch.services.views import View


def open_session(request: Request) -> Iterator[Session]:
    """Open a session for reading."""
    with request.app.state.sessions.reading() as session:
        yield session


def view(
    project: str,
    commit: str | None = None,
    metric: str | None = None,
    machine: str | None = None,
    configuration: Annotated[list[str] | None, Query()] = None,
) -> View:
    """Read ?commit=v5.0.2&metric=time&configuration=message_bytes=256."""
    return View.stated(project, commit, metric, machine, configuration or [])


SessionDep = Annotated[Session, Depends(open_session, scope="function")]
ViewDep = Annotated[View, Depends(view)]
