"""How the machines and settings of two commits differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from scalewatch.storage import runs


@dataclass(frozen=True, slots=True)
class EnvironmentChange:
    """A fact of a machine, or a setting of its runs, that is not what it was.

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
    session: Session, before_id: int, after_id: int
) -> tuple[EnvironmentChange, ...]:
    """Return what differs on the machines that measured both commits."""
    before = _environments(session, before_id)
    after = _environments(session, after_id)
    return tuple(
        EnvironmentChange(machine, name, old, new)
        for machine in after
        if machine in before
        for name in sorted({*before[machine], *after[machine]})
        for old in (before[machine].get(name),)
        for new in (after[machine].get(name),)
        if old != new
    )


def _environments(session: Session, commit_id: int) -> dict[str, dict[str, str]]:
    """Return facts and settings of a commit's runs by machine, all values of each."""
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
