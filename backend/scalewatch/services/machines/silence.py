"""Machines that stopped measuring, which would else vanish without a word."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.storage import machines
from scalewatch.storage.access import projects

SILENCE: Final = timedelta(days=14)
"""A machine whose last run is this much older than the project's has stopped."""


@dataclass(frozen=True, slots=True)
class SilentMachine:
    """A machine that sends no runs while others of its project do."""

    machine: str
    last_run_at: datetime


def silent_in(session: Session, project_name: str) -> tuple[SilentMachine, ...]:
    """Return the machines of a project that stopped measuring.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    seen = machines.last_seen(session, project.id)
    return silent_machines([(name, last) for name, last, _ in seen])


def silent_machines(
    seen: Iterable[tuple[str, datetime]],
) -> tuple[SilentMachine, ...]:
    """Return the machines that stopped measuring, the longest silent one first.

    Parameters
    ----------
    seen
        Machines of a project with the time of their last run.
    """
    seen = [*seen]
    newest = max((last for _, last in seen), default=None)
    if newest is None:
        return ()
    silent = [
        SilentMachine(name, last) for name, last in seen if newest - last > SILENCE
    ]
    return tuple(sorted(silent, key=lambda machine: machine.last_run_at))
