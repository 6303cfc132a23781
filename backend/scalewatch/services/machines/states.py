"""How two states of a machine differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


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
