"""Values of a comparison: sides, and the rows of series on them, most apart first."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

from scalewatch.modelling import Growth, Model, SideBySide, side_by_side
from scalewatch.services.commits.find import Commit
from scalewatch.services.expectations.in_force import Expectation
from scalewatch.services.selection.pages import InPages
from scalewatch.services.selection.view import key_of
from scalewatch.services.series.judged import Judged, Middles
from scalewatch.services.series.standing import UNMEASURED, Standing


class SideKind(StrEnum):
    """Whether machines or commits are compared."""

    MACHINE = "machine"
    COMMIT = "commit"


@dataclass(frozen=True, slots=True)
class ComparedSide:
    """A machine or a commit that is compared.

    Parameters
    ----------
    name
        As an address writes it.
    slot
        It fixes the colour: the machine's own, else the place among the sides.
    missing
        Rows that it has not measured while another side has.
    """

    name: str
    slot: int
    missing: int


@dataclass(frozen=True, slots=True)
class ComparedSeries:
    """A side of a row.

    Parameters
    ----------
    series_id
        Of the series that stands there; None where nothing was measured.
    against
        How its model differs from that of the first side.
    ratio, at
        Measured median over that of the first side, at the largest setting that both
        measured.
    value
        Median of a series with one setting; None of others.
    """

    standing: Standing
    series_id: int | None = None
    against: SideBySide | None = None
    ratio: float | None = None
    at: float | None = None
    value: float | None = None


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A region, with a place for each side.

    Parameters
    ----------
    machine
        Where commits are compared; None where machines are.
    """

    region: str
    machine: str | None
    configuration: Mapping[str, Any]
    unit: str
    better: str
    parameter: str
    expectation: Expectation | None
    places: tuple[ComparedSeries, ...]

    @property
    def difference(self) -> tuple[Growth | None, float]:
        """The largest difference of growth among its places, then of measurements."""
        growths = [each.against.growth for each in self.places if each.against]
        apart = [_apart(growth) for growth in growths]
        ratios = [each.ratio for each in self.places if each.ratio]
        return (
            max(apart, default=None),
            max((max(ratio, 1 / ratio) for ratio in ratios), default=0.0),
        )


@lru_cache(maxsize=4096)
def _apart(growth: Growth) -> Growth:
    """Return a quotient of growths, or its inverse, whichever grows."""
    return max(growth, growth**-1)


@dataclass(frozen=True, slots=True)
class ComparedSides(InPages):
    """Machines at a commit, or commits on machines, side by side; most apart first."""

    LISTED = "rows"

    project: str
    kind: SideKind
    sides: tuple[ComparedSide, ...]
    commit: Commit
    metric: str
    metrics: tuple[str, ...]
    rows: tuple[ComparedRow, ...]

    @property
    def has_one_setting(self) -> bool:
        """Whether no series has a growth: each was measured at one setting."""
        measured = [
            place for row in self.rows for place in row.places if place.series_id
        ]
        return bool(measured) and all(each.value is not None for each in measured)


ROW_KILOBYTES: Final = 1.0


@dataclass(frozen=True, slots=True)
class MeasuredSide:
    """A series of a side, with its medians."""

    series: Judged
    middles: Middles | None


def rows_of(
    by_side: Mapping[str, Sequence[MeasuredSide]],
    common: Mapping[str, Mapping[str, Any]],
    *,
    by_machine_too: bool,
) -> tuple[ComparedRow, ...]:
    """Return the rows of a comparison, most apart first.

    Parameters
    ----------
    by_side
        The series that each side measured.
    common
        Settings that all series of a side share.
    by_machine_too
        Whether only series of the same machine are compared.
    """
    aligned = _aligned(by_side, common, by_machine_too=by_machine_too)
    rows = [_row(key, measured, list(by_side)) for key, measured in aligned.items()]
    rows.sort(key=lambda row: (row.region, row.machine or ""))
    rows.sort(key=_order, reverse=True)
    return tuple(rows)


Aligned = dict[tuple[Any, ...], dict[str, MeasuredSide]]


def _aligned(
    by_side: Mapping[str, Sequence[MeasuredSide]],
    common: Mapping[str, Mapping[str, Any]],
    *,
    by_machine_too: bool,
) -> Aligned:
    """Align the series of all sides, by the settings that a side varies."""
    aligned: Aligned = defaultdict(dict)
    for side, members in by_side.items():
        for member in members:
            series = member.series
            names = sorted(series.configuration.keys() - common[side].keys())
            settings = tuple(
                zip(names, key_of(series.configuration, names), strict=True)
            )
            place = series.machine if by_machine_too else None
            aligned[series.region, place, settings][side] = member
    return aligned


def _order(row: ComparedRow) -> tuple[bool, Any, float]:
    growth, ratio = row.difference
    return growth is not None, growth or Growth(), ratio


def _row(
    key: tuple[Any, ...],
    measured: Mapping[str, MeasuredSide],
    names: Sequence[str],
) -> ComparedRow:
    region, machine, settings = key
    some = next(iter(measured.values()))
    distinct = {name for name, _ in settings}
    first = measured.get(names[0])
    return ComparedRow(
        region=region,
        machine=machine,
        configuration={
            name: value
            for name, value in some.series.configuration.items()
            if name in distinct
        },
        unit=some.series.unit,
        better=some.series.better,
        parameter=some.middles.parameter if some.middles else "p",
        expectation=some.series.expectation,
        places=tuple(_place(first, measured.get(name)) for name in names),
    )


def _place(first: MeasuredSide | None, other: MeasuredSide | None) -> ComparedSeries:
    if other is None:
        return ComparedSeries(UNMEASURED)
    series = other.series
    medians = [*other.middles.values.values()] if other.middles else []
    value = medians[0] if len(medians) == 1 else None
    if first is None or first is other:
        return ComparedSeries(series.standing, series.series_id, value=value)
    at, ratio = _ratio(first.middles, other.middles)
    against = _against(first, other)
    return ComparedSeries(series.standing, series.series_id, against, ratio, at, value)


def _ratio(
    first: Middles | None, other: Middles | None
) -> tuple[float | None, float | None]:
    """Return the largest common setting, and the ratio of medians there."""
    if first is None or other is None or first.parameter != other.parameter:
        return None, None
    common = first.values.keys() & other.values.keys()
    if not common or not first.values[max(common)]:
        return None, None
    at = max(common)
    return at, other.values[at] / first.values[at]


def _against(first: MeasuredSide, other: MeasuredSide) -> SideBySide | None:
    models = (first.series.standing.explaining, other.series.standing.explaining)
    if None in models or first.middles is None or other.middles is None:
        return None
    start = max(min(first.middles.values), min(other.middles.values))
    return _side_by_side(models[0], models[1], first.middles.parameter, start)


@lru_cache(maxsize=8192)
def _side_by_side(
    model: Model, other: Model, parameter: str, start: float
) -> SideBySide | None:
    """Compare two models, cached by both."""
    return side_by_side(model, other, parameter, start=start)
