"""How the machines and settings of two commits differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.services.caches.editions import kept_at
from scalewatch.services.caches.lru import Kept
from scalewatch.storage.runs import runs

Environments = Mapping[str, Mapping[str, str]]
"""Facts and settings of runs by machine, all values of each in words."""

_ENVIRONMENTS: Final = Kept[Environments](64)


@dataclass(frozen=True, slots=True)
class EnvironmentChange:
    """A fact of a machine, or a setting of its runs, that changed.

    Parameters
    ----------
    name
        Of the fact or the setting.
    before, after
        Its values in words; None where it was not stated.
    """

    machine: str
    name: str
    before: str | None
    after: str | None


def environment_changes(
    before: Environments, after: Environments
) -> tuple[EnvironmentChange, ...]:
    """Return the changed facts of machines that measured both of two commits."""
    return tuple(
        EnvironmentChange(machine, name, old, new)
        for machine in after
        if machine in before
        for name in sorted({*before[machine], *after[machine]})
        for old in (before[machine].get(name),)
        for new in (after[machine].get(name),)
        if old != new
    )


def environments_at(session: Session, commit_id: int) -> Environments:
    """Return the environments in which a commit was measured, by first appearance."""
    return kept_at(
        session, commit_id, _ENVIRONMENTS, (), lambda: _read(session, commit_id)
    )


def _read(session: Session, commit_id: int) -> Environments:
    values: dict[str, dict[str, set[str]]] = {}
    for machine, facts, settings in runs.environments_of(session, commit_id):
        known = values.setdefault(machine, {})
        for name, value in (*_flat(facts), *_flat(settings)):
            known.setdefault(name, set()).add(value)
    return {
        machine: {name: ", ".join(sorted(each)) for name, each in known.items()}
        for machine, known in values.items()
    }


def _flat(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(name, str(value)) for name, value in values.items() if value is not None]
