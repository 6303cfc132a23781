"""Views: the selection of a project's measurements that a request shows."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from scalewatch.errors import NotFound
from scalewatch.wire import TIME


@dataclass(frozen=True, slots=True)
class View:
    """A choice among a project's measurements.

    Parameters
    ----------
    commit
        A hash, the beginning of one, or a tag; None is the newest.
    metric
        None is time or, where that was not measured, the first by name.
    machine
        None is all of them.
    configuration
        Settings, as text; those not named may have any value.
    """

    project: str
    commit: str | None = None
    metric: str | None = None
    machine: str | None = None
    configuration: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def stated(
        cls,
        project: str,
        commit: str | None,
        metric: str | None,
        machine: str | None,
        settings: Sequence[str],
    ) -> Self:
        """Return the view that a query states; empty parameters are not stated."""
        pairs = (setting.partition("=") for setting in settings)
        return cls(
            project=project,
            commit=commit or None,
            metric=metric or None,
            machine=machine or None,
            configuration={name: text for name, _, text in pairs if name and text},
        )

    @property
    def settings(self) -> list[str]:
        """The configuration as a query states it, such as `message_bytes=256`."""
        return [f"{name}={text}" for name, text in self.configuration.items()]


class ConfiguredOnMachine(Protocol):
    """Measurements of a machine that hold some settings fixed."""

    @property
    def machine(self) -> str:
        """Name of the machine."""

    @property
    def configuration(self) -> Mapping[str, Any]:
        """Settings that they hold fixed."""


class ConfiguredSeries(ConfiguredOnMachine, Protocol):
    """A series of a region on a machine, as a scan or a cell knows it."""

    @property
    def region(self) -> str:
        """The region that is timed."""


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


def alternatives(kind: str, names: Iterable[str], shown: str) -> dict[str, str]:
    """Return the names of other sides of a comparison, by the text for `vs`."""
    return {f"{kind}={name}": f"{kind} {name}" for name in names if name != shown}


def other_configurations(
    shown: ConfiguredOnMachine, others: Iterable[ConfiguredOnMachine]
) -> dict[str, str]:
    """Return settings of others on the same machine that the one shown does not have.

    Each by the text for `vs`, such as `configuration=threads=4`.
    """
    settings = [
        f"{name}={value}"
        for other in others
        if other.machine == shown.machine
        for name, value in other.configuration.items()
        if shown.configuration.get(name) != value
    ]
    return {f"configuration={each}": each for each in settings}


def choose_metric(metrics: Sequence[str], wanted: str | None) -> str:
    """Return the metric that is wanted, else time, else whichever comes first.

    Raises
    ------
    NotFound
        If it was not measured.
    """
    if wanted is None and metrics:
        return TIME if TIME in metrics else metrics[0]
    if wanted is None or wanted not in metrics:
        raise NotFound("metric", wanted)
    return wanted
