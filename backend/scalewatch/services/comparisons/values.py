"""Values of a comparison: sides, rows and the series of each side."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from scalewatch.modelling import Growth, SideBySide
from scalewatch.services.commits.find import Commit
from scalewatch.services.expectations.in_force import Expectation
from scalewatch.services.series.standing import Standing


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
    """

    standing: Standing
    series_id: int | None = None
    against: SideBySide | None = None
    ratio: float | None = None
    at: float | None = None


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
class ComparedSides:
    """Machines at a commit, or commits on machines, side by side; most apart first."""

    project: str
    kind: SideKind
    sides: tuple[ComparedSide, ...]
    commit: Commit
    metric: str
    metrics: tuple[str, ...]
    rows: tuple[ComparedRow, ...]
