"""Configurations: which settings scans share, and in which they differ."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class ConfiguredSeries(Protocol):
    """A series of a region on a machine, as a scan or a cell knows it."""

    @property
    def region(self) -> str:
        """What is timed."""

    @property
    def machine(self) -> str:
        """Where."""

    @property
    def configuration(self) -> Mapping[str, Any]:
        """What it holds fixed."""


def is_chosen(scan: ConfiguredSeries, settings: Mapping[str, str]) -> bool:
    """Tell whether a scan has these settings; one it does not know does not count."""
    return not settings or all(
        str(scan.configuration[name]) == text
        for name, text in settings.items()
        if name in scan.configuration
    )


def choices_among(scans: Sequence[ConfiguredSeries]) -> dict[str, tuple[Any, ...]]:
    """Return the settings in which scans of one region on one machine differ."""
    places = [(scan.machine, scan.region) for scan in scans]
    several = {place for place, number in Counter(places).items() if number > 1}
    alternatives: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for place, scan in zip(places, scans, strict=True) if several else ():
        if place in several:
            alternatives[place].append(scan.configuration)
    names = {
        name
        for configurations in alternatives.values()
        for name in set().union(*configurations) - shared(configurations).keys()
    }
    return {
        name: tuple(
            sorted(
                {
                    repr(scan.configuration[name]): scan.configuration[name]
                    for scan in scans
                    if name in scan.configuration
                }.values(),
                key=lambda value: (value is None, isinstance(value, str), value),
            )
        )
        for name in sorted(names)
    }


def shared(configurations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the settings that all configurations have in common."""
    if not configurations:
        return {}
    # Hundreds of series share one configuration object: look at each object once.
    first, *others = {id(each): each for each in configurations}.values()
    return {
        name: value
        for name, value in first.items()
        if all(name in other and repr(other[name]) == repr(value) for other in others)
    }


def key_of(configuration: Mapping[str, Any], names: Sequence[str]) -> tuple[Any, ...]:
    """Return a key of settings: true differs from 1, and null from absence."""
    return tuple(
        repr(configuration[name]) if name in configuration else None for name in names
    )
