"""Lasting steps of all regions of a machine.

The common mode of a machine is watched as a series of its own. That it moved and stays
moved may be the machine or the library, see `origins`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.common_mode import CommonMode, common_mode
from scalewatch.modelling.common_mode.contrasts import MOST_WIDTH
from scalewatch.modelling.common_mode.features import Counts
from scalewatch.modelling.common_mode.scan import LEAST_EFFECT, Scan
from scalewatch.modelling.common_mode.spreads import NORMAL, medians

BAD: Final = 4.0
"""Standard deviations by which a bad night lies apart from those around it."""

AROUND: Final = 40
"""Commits before and after a step that tell its size, at most."""


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

    def step_size(self, row: int) -> float:
        """Return the mean of that over the settings."""
        return float(self.step_effect(row).mean())

    def bad_nights(self) -> Counts:
        """Return the rows of nights that lie apart, and after which levels return."""
        level = self.mode.effect.mean(axis=1)
        before, after = (
            level
            - medians(np.stack([_shifted(level, side * by) for by in (1, 2, 3)]), 0)
            for side in (-1, 1)
        )
        is_apart = before * after > 0
        beyond = np.where(is_apart, np.minimum(np.abs(before), np.abs(after)), 0.0)
        usual = np.nan_to_num(NORMAL * medians(np.abs(before), 0))
        return np.flatnonzero(beyond > max(BAD * float(usual), LEAST_EFFECT))

    def effect_without(self, kept: Sequence[int]) -> Reals:
        """Return what each night does, but for these steps, shape (T, n)."""
        effect = self.mode.believed * self.mode.effect
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


def _shifted(level: Reals, by: int) -> Reals:
    """Return the levels so many nights later, NaN where there are none."""
    at = np.arange(len(level)) + by
    is_there = (at >= 0) & (at < len(level))
    return np.where(is_there, level[np.clip(at, 0, len(level) - 1)], np.nan)


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
