"""Cells, rows and columns of the match table."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from scalewatch.modelling import CONSTANT, Growth, Mark
from scalewatch.services.commit_reports.pairs import (
    WORSE,
    ChangeKind,
    SeriesOutcome,
)
from scalewatch.services.expectations.in_force import ComposedExpectation, Expectation
from scalewatch.services.match_table.single_values import SingleValue
from scalewatch.services.selection.view import key_of, shared
from scalewatch.services.series.judged import FailedSeries, Judged
from scalewatch.services.series.standing import UNMEASURED, Standing, crowded_among
from scalewatch.storage.runs.points import Flag

SEVERITY: Final = {
    Mark.MISMATCH: 5,
    Mark.APPROXIMATE: 4,
    Mark.UNDECIDED: 3,
    Mark.BETTER: 2,
    Mark.MATCH: 1,
}

CELL_KILOBYTES: Final = 0.3


@dataclass(frozen=True, slots=True)
class RecentChange:
    """A change of a series, and the regression that records it."""

    at: datetime
    is_worse: bool
    regression: int


@dataclass(frozen=True, slots=True)
class Cell:
    """A region on a machine.

    Parameters
    ----------
    series
        Names its line among those of the history; None where nothing was measured.
    change
        How it differs from the baseline, if the table has one.
    recent
        How it changed in the weeks before the commit, if it did.
    broken
        Guidelines of this region that it breaks, or will at a larger scale, in words.
    value
        All that is known of it, where no series of the commit has several settings.
    failures
        Where no run succeeded though others did, and why: `p = 32: out of memory`.
    parameter
        Of the settings at which flags were raised.
    """

    machine: str
    standing: Standing
    configuration: Mapping[str, Any]
    flags: Mapping[Flag, tuple[float, ...]]
    series: int | None = None
    change: ChangeKind | None = None
    recent: RecentChange | None = None
    broken: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    value: SingleValue | None = None
    parameter: str = field(default="p", repr=False)

    @property
    def is_changed(self) -> bool:
        """Whether it differs from the baseline."""
        if self.value is not None:
            return self.value.is_changed
        return self.change not in {ChangeKind.UNCHANGED, ChangeKind.UNDECIDED, None}

    @property
    def is_worse(self) -> bool:
        """Whether it is worse than at the baseline."""
        if self.value is not None:
            return self.value.is_worse
        return self.change in WORSE


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A region's metric, with a cell for each machine of the table.

    Parameters
    ----------
    configuration
        Only what tells this row from others of the same region.
    composition
        A composed model that is expected instead of a growth.
    """

    region: str
    metric: str
    configuration: Mapping[str, Any]
    unit: str
    expectation: Expectation | None
    composition: ComposedExpectation | None
    cells: tuple[Cell, ...]

    @property
    def counts(self) -> Mapping[Mark, int]:
        """Number of its cells per mark."""
        return counts(self.cells)

    @property
    def severity(self) -> tuple[int, int]:
        """How bad its worst cell is, and how many are that bad."""
        ranks = [SEVERITY[mark] for mark in _marks(self.cells)]
        return max(ranks, default=0), ranks.count(max(ranks, default=0))

    @property
    def steepness(self) -> tuple[bool, Growth]:
        """Its growth on the machine where that is steepest, as a sort key."""
        growths = [cell.standing.growth for cell in self.cells if cell.standing.growth]
        return bool(growths), max(growths, default=CONSTANT)

    @property
    def is_changed(self) -> bool:
        """Whether a cell differs from the baseline."""
        return any(cell.is_changed for cell in self.cells)

    @property
    def is_worse(self) -> bool:
        """Whether a cell is worse than at the baseline."""
        return any(cell.is_worse for cell in self.cells)


@dataclass(frozen=True, slots=True)
class MatchColumn:
    """A machine of the table; its slot fixes its colour."""

    machine: str
    slot: int
    counts: Mapping[Mark, int]
    configuration: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows, worst first, and columns of a match table.

    Parameters
    ----------
    series, crowded
        Number of cells that were measured, and of those that cannot be judged because
        processes shared cores.
    failed
        Series of which runs failed.
    """

    columns: tuple[MatchColumn, ...]
    rows: tuple[MatchRow, ...]
    series: int
    crowded: int
    failed: tuple[FailedSeries, ...]

    @property
    def kilobytes(self) -> float:
        """Memory of its cells; their standings are kept by the snapshot anyway."""
        return CELL_KILOBYTES * len(self.rows) * len(self.columns)


def grid_of(
    judged: Sequence[Judged],
    distinguishing: Sequence[str],
    kinds: Mapping[int, ChangeKind],
    recent: Mapping[int, RecentChange],
    broken: Mapping[int, tuple[str, ...]],
) -> Grid:
    """Return the rows and columns of series of a commit.

    Parameters
    ----------
    distinguishing
        Settings that make a row of their own.
    kinds, recent, broken
        Changes since the baseline, changes lately, and broken guidelines, by series.
    """

    def cell_of(series: Judged) -> Cell:
        return Cell(
            machine=series.machine,
            standing=series.standing,
            configuration=series.configuration,
            flags=series.flags,
            parameter=series.parameter,
            series=series.series_id,
            change=kinds.get(series.series_id),
            recent=recent.get(series.series_id),
            broken=broken.get(series.series_id, ()),
            failures=series.failures,
        )

    rows = _rows(judged, distinguishing, cell_of)
    crowded = crowded_among(each.standing for each in judged)
    failed = FailedSeries.among(judged)
    return Grid(_columns(judged, rows), rows, len(judged), crowded, failed)


def with_values(
    rows: Iterable[MatchRow], values: Mapping[int, SingleValue]
) -> tuple[MatchRow, ...]:
    """Return rows with the single values of their cells, worst first."""
    valued = [
        replace(
            row,
            cells=tuple(
                replace(cell, value=values.get(cell.series))
                if cell.series is not None
                else cell
                for cell in row.cells
            ),
        )
        for row in rows
    ]
    return tuple(sorted(valued, key=_urgency))


def _urgency(row: MatchRow) -> tuple[int, bool]:
    """Order rows by what the gate says of them, then what became worse lately."""
    known = [cell.value.urgency for cell in row.cells if cell.value is not None]
    lately = any(cell.recent and cell.recent.is_worse for cell in row.cells)
    return min(known, default=len(SeriesOutcome)), not lately


def counts(cells: Iterable[Cell]) -> Mapping[Mark, int]:
    """Count the marks among cells; every mark has an entry."""
    number = Counter(_marks(cells))
    return {mark: number[mark] for mark in Mark}


def _rows(
    judged: Sequence[Judged],
    distinguishing: Sequence[str],
    cell_of: Callable[[Judged], Cell],
) -> tuple[MatchRow, ...]:
    """Return rows, worst first, with a cell for each machine of any of them."""
    machines = _machines(judged)
    grouped: dict[tuple[Any, ...], dict[str, Judged]] = {}
    for series in judged:
        settings = key_of(series.configuration, distinguishing)
        row = grouped.setdefault((series.region, series.metric, *settings), {})
        row[series.machine] = series
    rows = [
        _row(by_machine, machines, distinguishing, cell_of)
        for by_machine in grouped.values()
    ]
    rows.sort(key=lambda row: (row.region, row.metric, str(row.configuration)))
    return tuple(sorted(rows, key=lambda row: row.severity, reverse=True))


def _columns(
    judged: Sequence[Judged], rows: Sequence[MatchRow]
) -> tuple[MatchColumn, ...]:
    """Return the machines of rows, with what all their series hold fixed."""
    common = shared([each.configuration for each in judged])
    by_machine: dict[str, list[Judged]] = defaultdict(list)
    for series in judged:
        by_machine[series.machine].append(series)
    columns = []
    for position, machine in enumerate(_machines(judged)):
        measured = by_machine[machine]
        constant = shared([each.configuration for each in measured])
        columns.append(
            MatchColumn(
                machine=machine,
                slot=measured[0].slot,
                counts=counts(row.cells[position] for row in rows),
                configuration={
                    name: value
                    for name, value in constant.items()
                    if name not in common
                },
            )
        )
    return tuple(columns)


def _row(
    by_machine: Mapping[str, Judged],
    machines: Sequence[str],
    distinguishing: Sequence[str],
    cell_of: Callable[[Judged], Cell],
) -> MatchRow:
    first = next(iter(by_machine.values()))
    return MatchRow(
        region=first.region,
        metric=first.metric,
        configuration={
            name: first.configuration[name]
            for name in distinguishing
            if name in first.configuration
        },
        unit=first.unit,
        expectation=first.expectation,
        composition=first.composition,
        cells=tuple(
            cell_of(by_machine[machine])
            if machine in by_machine
            else Cell(machine, UNMEASURED, {}, {})
            for machine in machines
        ),
    )


def _machines(judged: Sequence[Judged]) -> list[str]:
    slots = {each.machine: each.slot for each in judged}
    return sorted(slots, key=slots.__getitem__)


def _marks(cells: Iterable[Cell]) -> list[Mark]:
    marks = (cell.standing.mark for cell in cells)
    return [mark for mark in marks if mark is not None]
