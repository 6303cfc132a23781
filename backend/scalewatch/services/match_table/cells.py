"""Cells, rows and columns of the match table."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scalewatch.modelling import Mark
from scalewatch.services.commit_reports.pairs import WORSE, ChangeKind
from scalewatch.services.expectations.composed import ComposedExpectation
from scalewatch.services.expectations.in_force import Expectation
from scalewatch.services.match_table.recent_changes import RecentChange
from scalewatch.services.selection.settings import key_of, shared
from scalewatch.services.series.at_commit import Judged
from scalewatch.services.series.standing import UNMEASURED, Standing
from scalewatch.storage.runs.flags import Flag

SEVERITY: Final = {
    Mark.MISMATCH: 5,
    Mark.APPROXIMATE: 4,
    Mark.UNDECIDED: 3,
    Mark.BETTER: 2,
    Mark.MATCH: 1,
}


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
    """

    machine: str
    standing: Standing
    configuration: Mapping[str, Any]
    flags: Mapping[Flag, tuple[float, ...]]
    series: int | None = None
    change: ChangeKind | None = None
    recent: RecentChange | None = None
    broken: tuple[str, ...] = ()


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
        each = [SEVERITY[mark] for mark in _marks(self.cells)]
        return max(each, default=0), each.count(max(each, default=0))

    @property
    def is_changed(self) -> bool:
        """Whether a cell differs from the baseline."""
        same = {ChangeKind.UNCHANGED, ChangeKind.UNDECIDED, None}
        return any(cell.change not in same for cell in self.cells)

    @property
    def is_worse(self) -> bool:
        """Whether a cell is worse than at the baseline."""
        return any(cell.change in WORSE for cell in self.cells)


@dataclass(frozen=True, slots=True)
class MatchColumn:
    """A machine of the table; its slot fixes its colour."""

    machine: str
    slot: int
    counts: Mapping[Mark, int]
    configuration: Mapping[str, Any]


def counts(cells: Iterable[Cell]) -> Mapping[Mark, int]:
    """Count the marks among cells; every mark has an entry."""
    found = Counter(_marks(cells))
    return {mark: found[mark] for mark in Mark}


def rows_of(
    judged: Sequence[Judged],
    distinguishing: Sequence[str],
    cell_of: Callable[[Judged], Cell],
) -> tuple[MatchRow, ...]:
    """Return rows, worst first, with a cell for each machine of any of them.

    Parameters
    ----------
    distinguishing
        Settings that make a row of their own.
    """
    machines = _machines(judged)
    grouped: dict[tuple[Any, ...], dict[str, Judged]] = {}
    for each in judged:
        settings = key_of(each.configuration, distinguishing)
        grouped.setdefault((each.region, each.metric, *settings), {})[each.machine] = (
            each
        )
    rows = [
        _row(by_machine, machines, distinguishing, cell_of)
        for by_machine in grouped.values()
    ]
    rows.sort(key=lambda row: (row.region, row.metric, str(row.configuration)))
    return tuple(sorted(rows, key=lambda row: row.severity, reverse=True))


def columns_of(
    judged: Sequence[Judged], rows: Sequence[MatchRow]
) -> tuple[MatchColumn, ...]:
    """Return the machines of rows, with what all their series hold fixed."""
    common = shared([each.configuration for each in judged])
    by_machine: dict[str, list[Judged]] = defaultdict(list)
    for each in judged:
        by_machine[each.machine].append(each)
    columns = []
    for position, machine in enumerate(_machines(judged)):
        own = by_machine[machine]
        constant = shared([each.configuration for each in own])
        columns.append(
            MatchColumn(
                machine=machine,
                slot=own[0].slot,
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
