"""Exported measurements, and what tells their series groups apart."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

MACHINE: Final = "machine"


@dataclass(frozen=True, slots=True)
class Exported:
    """The repetitions of a metric of a region in one run.

    Parameters
    ----------
    quartiles
        Lower, median and upper, in `unit`.
    values
        All repetitions, in `unit`.
    """

    project: str
    commit: str
    machine: str
    region: str
    metric: str
    unit: str
    coordinate: Mapping[str, Any]
    configuration: Mapping[str, Any]
    quartiles: tuple[float, float, float]
    values: tuple[float, ...]

    @property
    def subject(self) -> tuple[object, ...]:
        """What all measurements of a series have in common."""
        settings = tuple(self.configuration.items())
        return self.region, self.metric, self.unit, self.machine, settings

    def settings(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the machine and settings of these names, as far as it has them."""
        known = {MACHINE: self.machine, **self.configuration}
        return {name: known[name] for name in names if name in known}


def differing(measured: Sequence[Exported]) -> list[str]:
    """Return the names of settings, the machine among them, that are not all alike."""
    every = [{MACHINE: each.machine, **each.configuration} for each in measured]
    names = dict.fromkeys(name for settings in every for name in sorted(settings))
    absent = object()
    return [
        name
        for name in names
        if len({repr(settings.get(name, absent)) for settings in every}) > 1
    ]
