"""Machines of a project: facts, last runs, provenance of simulated numbers."""

from collections import defaultdict
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
        Hardware, network and software, by its last run.
    provenance
        Source of its numbers, if they were not measured there.
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
    """Return the facts of a machine by its last run."""
    project_id = projects.existing(session, project).id
    return machines.newest_facts(session, project_id).get(machine, {})


@dataclass(frozen=True, slots=True)
class Provenance:
    """The source of numbers of some machines, in words of those who posted them."""

    machines: tuple[str, ...]
    text: str


def origins_of(session: Session, project: str) -> tuple[Provenance, ...]:
    """Return the origins of simulated and published machines of a project."""
    return all_origins(session, project).get(project, ())


def all_origins(
    session: Session, project: str | None = None
) -> Mapping[str, tuple[Provenance, ...]]:
    """Return the origins of one project, or of each that has some."""
    named: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for owner, machine, text in machines.provenances(session, project):
        if text:
            named[owner][text].append(machine)
    return {
        owner: tuple(Provenance(tuple(names), text) for text, names in texts.items())
        for owner, texts in named.items()
    }


@dataclass(frozen=True, slots=True)
class ChangedFact:
    """A fact that differs between two states; None where a state lacks it."""

    fact: str
    before: Any
    after: Any


def changed_facts(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[ChangedFact, ...]:
    """Return the facts that differ, by name."""
    names = sorted({**before, **after})
    return tuple(
        ChangedFact(name, before.get(name), after.get(name))
        for name in names
        if repr(before.get(name)) != repr(after.get(name))
    )
