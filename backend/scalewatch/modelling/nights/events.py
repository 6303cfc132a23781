"""Lasting steps of all regions of a machine: its own, or those of the library.

The common mode of a machine is watched as a series of its own. That it moved and stays
moved may be the machine or the library, and only the other machines can tell: the
library is named where another machine moves in the same sense at about the same commit,
the machine where others stay as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from scalewatch.modelling.arrays.types import Reals
from scalewatch.modelling.nights.common_mode import CommonMode, common_mode
from scalewatch.modelling.nights.contrasts import MOST_WIDTH
from scalewatch.modelling.nights.features import Counts
from scalewatch.modelling.nights.scan import Scan

NEAR: Final = 3
"""Commits by which machines may differ in where one step is."""

LEAST: Final = 8.0
TOGETHER: Final = 30.0
"""Sum of the statistics of machines from which on the library is named."""

AROUND: Final = 40
"""Commits before and after a step that tell its size, at most."""


class Origin(StrEnum):
    """What moved all regions of a machine."""

    LIBRARY = "library"
    MACHINE = "machine"
    UNDECIDED = "undecided"  # no other machine was measured then


@dataclass(frozen=True, slots=True, eq=False)
class MachineNights:
    """What the regions of a machine share.

    Parameters
    ----------
    positions
        Numbers of its commits on a line that machines share, shape (T,), ascending.
    mode
        What each night does.
    steps
        Rows of the commits at which it moved and stayed moved.
    strength
        Statistic with which each step was noticed.
    statistic, first, size
        Of steps at each commit, as in `Scan`, shape (T,).
    correlation, spread
        Of the level of one night with the next, and its usual step.
    """

    positions: Counts
    mode: CommonMode
    steps: tuple[int, ...]
    strength: Mapping[int, float]
    statistic: Reals
    first: Counts
    size: Reals
    correlation: float
    spread: float

    def step_effect(self, row: int) -> Reals:
        """Return by how much the machine moved there, shape (n,)."""
        ends = [*[each for each in self.steps if each > row], len(self.positions)]
        begins = [0, *[each for each in self.steps if each < row]]
        before = self.mode.effect[max(begins[-1], row - AROUND) : row]
        after = self.mode.effect[row : min(ends[0], row + AROUND)]
        return np.asarray(np.median(after, axis=0) - np.median(before, axis=0))

    def effect_without(self, kept: Sequence[int]) -> Reals:
        """Return what each night does, but for these steps, shape (T, n)."""
        effect = self.mode.effect.copy()
        for row in kept:
            effect[row:] -= self.step_effect(row)
        return effect


def machine_nights(log: Reals, positions: Counts, directions: Reals) -> MachineNights:
    """Return what regions, shape (S, T, n), share from commit to commit."""
    mode = common_mode(log, directions)
    length = np.array([len(positions)])
    scan = Scan(mode.effect[np.newaxis], length, directions)
    newest = len(positions) - 1
    strength: dict[int, float] = {}
    for alarm in scan.alarms():
        row = _located(mode.effect, alarm.first, alarm.at)
        if 0 < row < newest:
            strength[row] = max(strength.get(row, 0.0), alarm.statistic)
    known = scan.learned
    return MachineNights(
        positions=positions,
        mode=mode,
        steps=tuple(sorted(strength)),
        strength=strength,
        statistic=scan.statistic[0],
        first=scan.first[0],
        size=scan.size[0],
        correlation=known.correlations[0].between_neighbours if known else 0.0,
        spread=known.spread if known else 0.0,
    )


def _located(effect: Reals, first: int, at: int) -> int:
    """Return the row before which a step explains most: nights held hide its first."""
    low = max(0, first - AROUND)
    level = effect[low : at + 1].mean(axis=1)
    count = np.arange(1, len(level))
    if not count.size:
        return first
    sums, total = np.cumsum(level)[:-1], level.sum()
    change = (total - sums) / (len(level) - count) - sums / count
    gain = change**2 * count * (len(level) - count)
    is_near = low + count >= first - MOST_WIDTH
    return low + int(count[np.where(is_near, gain, -1.0).argmax()])


def origin(nights: MachineNights, row: int, others: Sequence[MachineNights]) -> Origin:
    """Tell what moved a machine at one of its steps.

    Parameters
    ----------
    others
        Other machines on which the same is measured.
    """
    at = int(nights.positions[row])
    rises = float(nights.step_effect(row).mean()) > 0
    own = _statistic(nights, at, rises=rises)
    present = [each for each in others if _was_measured(each, at)]
    if not present:
        return Origin.UNDECIDED
    agreeing = [_statistic(each, at, rises=rises) for each in present]
    together = [each for each in agreeing if each > LEAST]
    is_shared = bool(together) and own + sum(together) > TOGETHER
    return Origin.LIBRARY if is_shared else Origin.MACHINE


def _statistic(nights: MachineNights, at: int, *, rises: bool) -> float:
    """Return the largest statistic of a step about a commit in a sense."""
    noticed = [
        strength
        for row, strength in nights.strength.items()
        if abs(int(nights.positions[row]) - at) <= NEAR
        and (float(nights.step_effect(row).mean()) > 0) == rises
    ]
    place = nights.positions[np.minimum(nights.first, len(nights.positions) - 1)]
    agrees = (np.abs(place - at) <= NEAR) & ((nights.size > 0) == rises)
    return max([float(nights.statistic[agrees].max(initial=0.0)), *noticed])


def _was_measured(nights: MachineNights, at: int) -> bool:
    """Tell whether a machine has commits enough before and since a commit."""
    since = int((nights.positions >= at).sum())
    return since >= 2 and len(nights.positions) - since > AROUND // 5
