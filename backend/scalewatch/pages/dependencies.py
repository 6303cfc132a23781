"""What a page may ask for."""

from typing import Annotated

from fastapi import Depends, Query

from scalewatch.services.views import View
from scalewatch.web.sessions import AdminDep, WritingDep
from scalewatch.web.sessions import ReadingDep as SessionDep

__all__ = ["AdminDep", "SessionDep", "ViewDep", "WritingDep", "view"]


def view(
    project: str,
    commit: str | None = None,
    metric: str | None = None,
    machine: str | None = None,
    configuration: Annotated[list[str] | None, Query()] = None,
) -> View:
    """Read ?commit=v5.0.2&metric=time&configuration=message_bytes=256."""
    return View.stated(project, commit, metric, machine, configuration or [])


ViewDep = Annotated[View, Depends(view)]
