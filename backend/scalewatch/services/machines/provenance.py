"""Where numbers come from that nobody measured: simulations, published models."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

from scalewatch.storage.machines import machines


@dataclass(frozen=True, slots=True)
class Provenance:
    """What some machines of a project are, in words of those who posted their runs."""

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
