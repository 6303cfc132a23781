"""Preview of files: a row per series, before anything is recorded or modelled."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scalewatch.importers import ImportedMeasurement
from scalewatch.importers.series import Setting
from scalewatch.wire.fields import Direction, stated_direction, told_direction

CONTENT = "content"


@dataclass(frozen=True, slots=True)
class PreviewedSetting:
    """A parameter or a setting of a series, its levels and where it comes from."""

    name: str
    levels: tuple[Setting, ...]
    source: str


@dataclass(frozen=True, slots=True)
class PreviewedSeries:
    """A series in files, as a preview shows it.

    Parameters
    ----------
    parameters, configuration
        Settings that vary, and those that are held fixed.
    values
        Number of values, over all repetitions.
    origin
        File, commit and machine, as far as the series has one of them.
    dependent
        Settings that follow from those that vary.
    is_direction_assumed
        Whether neither the user nor unit or name say which way is better.
    """

    region: str
    metric: str
    unit: str
    better: Direction
    parameters: tuple[PreviewedSetting, ...]
    configuration: tuple[PreviewedSetting, ...]
    values: int
    origin: Mapping[str, Setting]
    is_direction_assumed: bool = False
    dependent: tuple[PreviewedSetting, ...] = ()


def previewed(
    measurements: Iterable[ImportedMeasurement],
    better: Mapping[str, Direction],
    folder: str = "",
) -> list[PreviewedSeries]:
    """Return a row per series, in order of appearance; files lie below `folder`."""
    groups: dict[object, list[ImportedMeasurement]] = {}
    for measurement in measurements:
        groups.setdefault(measurement.subject, []).append(measurement)
    return [_series(held, better, folder) for held in groups.values()]


def _series(
    held: list[ImportedMeasurement], better: Mapping[str, Direction], folder: str
) -> PreviewedSeries:
    subject, sources = held[0].subject, dict(held[0].sources)
    unit = subject.usual_unit
    direction = stated_direction(better, subject.metric) or told_direction(
        subject.metric, unit
    )
    return PreviewedSeries(
        subject.region,
        subject.metric,
        unit,
        direction or "lower",
        parameters=tuple(
            PreviewedSetting(
                name,
                tuple(sorted({each.coordinate[at] for each in held})),
                sources.get(name, CONTENT),
            )
            for at, name in enumerate(subject.parameters)
        ),
        configuration=tuple(
            PreviewedSetting(name, (setting,), sources.get(name, CONTENT))
            for name, setting in subject.configuration
        ),
        values=sum(value == value for each in held for value in each.values),  # noqa: PLR0124
        origin={
            key: value.removeprefix(folder) if isinstance(value, str) else value
            for key, value in subject.origin
        },
        is_direction_assumed=direction is None,
        dependent=tuple(
            PreviewedSetting(
                name,
                tuple(sorted({dict(each.dependent)[name] for each in held})),
                "follows",
            )
            for name, _ in held[0].dependent
            if all(name in dict(each.dependent) for each in held)
        ),
    )
