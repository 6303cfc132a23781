"""Machines: what they are, and when they were last heard of."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from scalewatch.storage.access import projects
from scalewatch.storage.machines import machines


@dataclass(frozen=True, slots=True)
class Machine:
    """A platform as one project names it.

    Parameters
    ----------
    fingerprint
        Hardware, network and software as its last run told.
    provenance
        Where its numbers come from, if nobody measured them there.
    """

    name: str
    last_run_at: datetime
    runs: int
    fingerprint: Mapping[str, Any]
    provenance: str | None


def machines_of(session: Session, project: str) -> tuple[Machine, ...]:
    """Return a project's machines in the order in which they appeared.

    Raises
    ------
    NotFound
        If no run of such a project was ever posted.
    """
    project_id = projects.existing(session, project).id
    facts = machines.newest_facts(session, project_id)
    origins = {name: text for _, name, text in machines.provenances(session, project)}
    return tuple(
        Machine(name, last_run_at, runs, facts[name], origins.get(name))
        for name, last_run_at, runs in machines.last_seen(session, project_id)
    )


def newest_fingerprint(
    session: Session, project: str, machine: str
) -> Mapping[str, Any]:
    """Return what the last run on a machine told about it."""
    project_id = projects.existing(session, project).id
    return machines.newest_facts(session, project_id).get(machine, {})
