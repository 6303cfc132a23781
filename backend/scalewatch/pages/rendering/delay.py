"""The notice that analysis is behind or has no worker."""

from typing import Final

from fastapi import Depends, Request
from sqlalchemy.orm import Session

from scalewatch.services.operations.status import is_behind
from scalewatch.web.sessions import SESSION

STATE: Final = "shows_analysis"


def note_delay(request: Request) -> None:
    """Note for the templates whether analysis is behind."""
    setattr(request.state, STATE, True)


DELAY: Final = [Depends(note_delay)]
"""For pages that show what jobs find."""


def has_delay(request: Request) -> bool:
    """Tell whether a page depends on jobs, and these are behind."""
    session: Session | None = getattr(request.state, SESSION, None)
    shows_analysis = getattr(request.state, STATE, False)
    return shows_analysis and session is not None and is_behind(session)
