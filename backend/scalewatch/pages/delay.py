"""Pages work while nobody does the jobs, and say so."""

from fastapi import Request

from scalewatch.pages.dependencies import SessionDep
from scalewatch.services.status import is_behind

STATE = "is_behind"


def note_delay(request: Request, session: SessionDep) -> None:
    """Let the page say that analysis is behind, if it is."""
    setattr(request.state, STATE, is_behind(session))
