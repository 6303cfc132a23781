"""Rows and columns of match tables, kept while nothing changes at their commits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scalewatch.services.caches.lru import Kept, key_of
from scalewatch.services.commit_reports.pairs import ChangeKind
from scalewatch.services.match_table.cells import (
    Cell,
    MatchColumn,
    MatchRow,
    columns_of,
    rows_of,
)
from scalewatch.services.match_table.recent_changes import RecentChange
from scalewatch.services.series.at_commit import Judged

KEPT: Final = 40_000
"""Series whose cells are kept; what they hold is held anyway."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Makes a cell of a series: its changes and broken guidelines, by series."""

    kinds: Mapping[int, ChangeKind]
    recent: Mapping[int, RecentChange]
    broken: Mapping[int, tuple[str, ...]]

    def __call__(self, each: Judged) -> Cell:
        """Return the cell of a series."""
        return Cell(
            machine=each.machine,
            standing=each.standing,
            configuration=each.configuration,
            flags=each.flags,
            series=each.series_id,
            change=self.kinds.get(each.series_id),
            recent=self.recent.get(each.series_id),
            broken=self.broken.get(each.series_id, ()),
        )


@dataclass(frozen=True, slots=True)
class Judgements:
    """What is known of a commit and of its baseline, the same until that changes."""

    judged: tuple[Judged, ...]
    before: tuple[Judged, ...] = ()


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows and columns; it holds what they tell, so that none else has its place."""

    told: Judgements
    columns: tuple[MatchColumn, ...]
    rows: tuple[MatchRow, ...]


_GRIDS: Final = Kept[Grid](KEPT, lambda grid: len(grid.told.judged))


def grid_of(
    told: Judgements,
    shown: Sequence[Judged],
    distinguishing: Sequence[str],
    cells: Cells,
) -> Grid:
    """Return the rows and columns of some of the series of a commit, as kept.

    Parameters
    ----------
    distinguishing
        Settings that make a row of their own.
    cells
        Makes their cells; its kinds are those between what is `told`.
    """

    def arranged(_: object) -> list[Grid]:
        rows = rows_of(shown, distinguishing, cells)
        return [Grid(told, columns_of(shown, rows), rows)]

    own = b"" if len(shown) == len(told.judged) else [each.series_id for each in shown]
    known = (id(told.judged), id(told.before))
    key = key_of(*known, own, distinguishing, cells.recent, cells.broken)
    (grid,) = _GRIDS.answers([key], arranged)
    return grid
