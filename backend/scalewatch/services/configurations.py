"""Configurations: which settings scans share, and in which they differ."""

from collections.abc import Mapping, Sequence
from typing import Any

from scalewatch.services.scans import Scan


def is_chosen(scan: Scan, settings: Mapping[str, str]) -> bool:
    """Tell whether a scan has these settings; one it does not know does not count."""
    return all(
        str(scan.configuration[name]) == text
        for name, text in settings.items()
        if name in scan.configuration
    )


def choices_among(scans: Sequence[Scan]) -> dict[str, tuple[Any, ...]]:
    """Return the settings in which scans of one region on one machine differ."""
    alternatives: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for scan in scans:
        at = alternatives.setdefault((scan.machine, scan.region), [])
        at.append(scan.configuration)
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
    first, *others = configurations
    return {
        name: value
        for name, value in first.items()
        if all(name in other and repr(other[name]) == repr(value) for other in others)
    }


def key_of(configuration: Mapping[str, Any], names: Sequence[str]) -> tuple[Any, ...]:
    """Return what tells settings apart: true is not 1, and no value not absence."""
    return tuple(
        repr(configuration[name]) if name in configuration else None for name in names
    )
