"""What a reading route may ask for."""

from typing import Annotated

from fastapi import Depends, Query

from scalewatch.services.selection.view import View


async def view(
    project: str,
    commit: Annotated[
        str | None, Query(description="Hash, its beginning, or tag; else the newest.")
    ] = None,
    metric: Annotated[str | None, Query(description="Time unless given.")] = None,
    machine: Annotated[str | None, Query(description="All unless given.")] = None,
    configuration: Annotated[
        list[str] | None, Query(examples=[["message_bytes=256"]])
    ] = None,
) -> View:
    """Read which measurements are looked at."""
    return View.stated(project, commit, metric, machine, configuration or [])


ViewDep = Annotated[View, Depends(view)]
