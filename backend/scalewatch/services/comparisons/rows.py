"""The rows of a comparison: a series of each side, the rows most apart first."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.modelling import Growth, Model, SideBySide, side_by_side
from scalewatch.services.caches.editions import kept_at
from scalewatch.services.caches.lru import Kept
from scalewatch.services.comparisons.values import ComparedRow, ComparedSeries
from scalewatch.services.expectations.composed import promised_ids
from scalewatch.services.selection.settings import key_of
from scalewatch.services.series.at_commit import Judged
from scalewatch.services.series.medians import Middles
from scalewatch.services.series.standing import UNMEASURED
from scalewatch.storage.judgements import editions

KEPT: Final = 20_000
"""Rows that are kept by commits: 1 kB each."""

_ROWS: Final = Kept[tuple[ComparedRow, ...]](KEPT, len)


@dataclass(frozen=True, slots=True)
class MeasuredSide:
    """A series of a side, with its medians."""

    series: Judged
    middles: Middles | None

    @property
    def asked(self) -> tuple[object, ...]:
        """What a row depends on beside editions: giving up an analysis renews none."""
        standing = self.series.standing
        return self.series.series_id, standing.state.value, standing.reason


def rows_of(  # noqa: PLR0913 - one per part of what is asked
    session: Session,
    project_id: int,
    commit_ids: Sequence[int],
    by_side: Mapping[str, Sequence[MeasuredSide]],
    common: Mapping[str, Mapping[str, Any]],
    *,
    by_machine_too: bool,
) -> tuple[ComparedRow, ...]:
    """Return the rows of a comparison, cached by the editions of its commits.

    Parameters
    ----------
    by_side
        What each side measured.
    common
        Settings that all series of a side share.
    by_machine_too
        Whether only series of the same machine are compared.
    """

    def read() -> tuple[ComparedRow, ...]:
        return _rows(by_side, common, by_machine_too=by_machine_too)

    known = editions.at(session, commit_ids)
    if not known.keys() >= {*commit_ids}:
        return read()
    asked = (
        commit_ids,
        sorted(known.items()),
        promised_ids(session, project_id),
        [(side, [each.asked for each in own]) for side, own in by_side.items()],
        by_machine_too,
    )
    return kept_at(session, commit_ids[-1], _ROWS, asked, read)


def _rows(
    by_side: Mapping[str, Sequence[MeasuredSide]],
    common: Mapping[str, Mapping[str, Any]],
    *,
    by_machine_too: bool,
) -> tuple[ComparedRow, ...]:
    aligned = _aligned(by_side, common, by_machine_too=by_machine_too)
    rows = [_row(key, measured, list(by_side)) for key, measured in aligned.items()]
    rows.sort(key=lambda row: (row.region, row.machine or ""))
    rows.sort(key=_apart, reverse=True)
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
    for side, own in by_side.items():
        for each in own:
            series = each.series
            names = sorted(series.configuration.keys() - common[side].keys())
            settings = tuple(
                zip(names, key_of(series.configuration, names), strict=True)
            )
            place = series.machine if by_machine_too else None
            aligned[series.region, place, settings][side] = each
    return aligned


def _apart(row: ComparedRow) -> tuple[bool, Any, float]:
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


def _place(first: MeasuredSide | None, own: MeasuredSide | None) -> ComparedSeries:
    if own is None:
        return ComparedSeries(UNMEASURED)
    series = own.series
    if first is None or first is own:
        return ComparedSeries(series.standing, series.series_id)
    at, ratio = _ratio(first.middles, own.middles)
    return ComparedSeries(
        series.standing, series.series_id, _against(first, own), ratio, at
    )


def _ratio(
    first: Middles | None, own: Middles | None
) -> tuple[float | None, float | None]:
    """Return the largest common setting, and the ratio of medians there."""
    if first is None or own is None or first.parameter != own.parameter:
        return None, None
    common = first.values.keys() & own.values.keys()
    if not common or not first.values[max(common)]:
        return None, None
    at = max(common)
    return at, own.values[at] / first.values[at]


def _against(first: MeasuredSide, own: MeasuredSide) -> SideBySide | None:
    models = (first.series.standing.model, own.series.standing.model)
    if None in models or first.middles is None or own.middles is None:
        return None
    start = max(min(first.middles.values), min(own.middles.values))
    return _side_by_side(models[0], models[1], first.middles.parameter, start)


@lru_cache(maxsize=8192)
def _side_by_side(
    model: Model, other: Model, parameter: str, start: float
) -> SideBySide | None:
    """Compare two models, cached by both."""
    return side_by_side(model, other, parameter, start=start)
