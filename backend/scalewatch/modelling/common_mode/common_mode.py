"""The common mode of a machine, which moves all its regions alike, and its steps.

At each commit it is the robust mean, over the regions, of what each lies beyond its
own median of `BASE` commits before, divided by its loading: how strongly it follows the
machine. Regions far away count less, and those that seem to have moved by themselves
nothing, so that a change of a third of the regions does not move it.

The mean of regions that share nothing scatters, too, and a few that moved a little pull
it along. The mode is therefore believed as far as it has varied by more
than the standard error of such a mean, as James and Stein shrink means, and wholly
where a commit lies far beyond that error.

The common mode of a machine is watched as a series of its own. That it moved and stays
moved may be the machine or the library, see `origins`.

References
----------
B. Efron, C. Morris, "Stein's estimation rule and its competitors", JASA 68, 1973.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.correlation import MOST_WIDTH
from scalewatch.modelling.common_mode.features import Counts
from scalewatch.modelling.common_mode.scan import LEAST_EFFECT, Scan
from scalewatch.modelling.common_mode.spreads import (
    NORMAL,
    medians,
    projection,
    spreads,
)

LEAST_REGIONS: Final = 8
"""Least regions that tell a common mode from a change."""

BASE: Final = 40
BLOCK: Final = 5
"""Commits that are compared with the same base."""

FIRST: Final = 8
"""Commits that are their own base."""

FAR_CELL: Final = 4.0
FAR_REGION: Final = 3.5
ITERATIONS: Final = 3
CLEAR: Final = 3.0
"""Standard errors from which on the mode of a commit is believed for itself."""

FLOOR: Final = 1e-3
LEARN_EVERY: Final = 20
LEAST_BELIEVED: Final = 28
"""Commits that tell how much the mode varies."""

LOADING_SPREAD: Final = 0.3
"""Standard deviation of the loadings before anything was measured."""

LEAST_LOADING: Final = 0.3
MOST_LOADING: Final = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class CommonMode:
    """Common mode of the regions of a machine.

    Parameters
    ----------
    effect
        Logarithm of the common mode at each commit and setting, shape (T, n).
    loading
        How strongly each region follows, shape (S,); 1 in the middle.
    believed
        Share of the effect that is taken for the machine's, shape (T, n).
    """

    effect: Reals
    loading: Reals
    believed: Reals

    def taken_out(self, log: Reals) -> Reals:
        """Return locations without it, shape (S, T, n)."""
        effect = self.believed * self.effect
        return np.asarray(log - self.loading[:, np.newaxis, np.newaxis] * effect)


def common_mode(log: Reals, directions: Reals) -> CommonMode:
    """Return the common mode of regions measured at the same commits.

    Parameters
    ----------
    log
        Log-locations, shape (S, T, n); NaN where missing.
    directions
        Level and tilts, shape (k, n).
    """
    regions, commits, settings = log.shape
    features = projection(directions)
    effect = np.zeros((commits, settings))
    error = np.zeros((commits, settings))
    believed = np.ones((commits, settings))
    loading = np.ones(regions)
    left = log.copy()
    first = min(FIRST, commits)
    known = medians(log[:, :first], 1)[:, np.newaxis]
    start = medians(log[:, :first] - known, 0)
    effect[:first] = np.nan_to_num(start)
    left[:, :first] = log[:, :first] - effect[:first]
    for begin in range(first, commits, BLOCK):
        end = min(begin + BLOCK, commits)
        before = left[:, max(0, begin - BASE) : begin]
        effect[begin:end], error[begin:end] = _effect(
            log[:, begin:end], before, loading, features
        )
        if begin >= LEAST_BELIEVED:
            varies = effect[first:begin].var(axis=0) / np.maximum(
                (error[first:begin] ** 2).mean(axis=0), FLOOR**4
            )
            usually = 1 - 1 / np.maximum(varies.mean(), 1)
            size = np.maximum(np.abs(effect[begin:end]), FLOOR**2)
            believed[begin:end] = np.asarray(
                np.maximum(1 - (CLEAR * error[begin:end] / size) ** 2, usually)
            )
        if (begin - first) % LEARN_EVERY == 0 and begin > 2 * first:
            loading = _loadings(log[:, :begin], effect[:begin], loading)
            left[:, :begin] = log[:, :begin] - _of_each(loading, effect[:begin])
        left[:, begin:end] = log[:, begin:end] - _of_each(loading, effect[begin:end])
    return CommonMode(effect, loading, believed)


def _of_each(loading: Reals, effect: Reals) -> Reals:
    return loading[:, np.newaxis, np.newaxis] * effect


def _effect(
    log: Reals, before: Reals, loading: Reals, features: Reals
) -> tuple[Reals, Reals]:
    """Return the effect at some commits, (S, b, n), and its error, shape (b, n)."""
    load = loading[:, np.newaxis, np.newaxis]
    base = medians(before, 1)
    beyond = (log - base[:, np.newaxis]) / load
    margin = 1 + 3 / before.shape[1]
    cell = _shared(spreads(before, base, 1)) * margin + FLOOR
    parts = (before - base[:, np.newaxis]) @ features.T
    region = _shared(spreads(parts, medians(parts, 1), 1)) * margin + FLOOR
    cell, region = cell[:, np.newaxis] / load, region[:, np.newaxis] / load
    weight = np.where(np.isnan(beyond), 0.0, cell**-2)
    beyond = np.nan_to_num(np.where(weight > 0, beyond, np.nan))
    effect = np.nan_to_num(medians(np.where(weight > 0, beyond, np.nan), 0))
    for _ in range(ITERATIONS):
        left = np.where(weight > 0, beyond - effect, 0.0)
        near = np.clip(1 - (left / (FAR_CELL * cell)) ** 2, 0, None) ** 2
        moved = ((left @ features.T / (FAR_REGION * region)) ** 2).max(axis=2)
        stays = np.clip(1 - moved, 0, None) ** 2
        counts = weight * near * stays[:, :, np.newaxis]
        total = counts.sum(axis=0)
        mean = (counts * beyond).sum(axis=0) / np.maximum(total, 1e-300)
        effect = np.where(total > 0, mean, effect)
    squares = (counts**2 * cell**2).sum(axis=0)
    return np.asarray(effect), np.sqrt(squares) / np.maximum(total, 1e-300)


def _shared(spread: Reals) -> Reals:
    """Return spreads of each region, half from what is usual on the machine."""
    usual = np.nan_to_num(medians(spread, 0))
    return np.asarray((np.where(np.isnan(spread), usual, spread) + usual) / 2)


def _loadings(log: Reals, effect: Reals, former: Reals) -> Reals:
    """Return loadings from the changes of levels and mode from commit to commit."""
    moves = np.diff(effect.mean(axis=1))
    levels = np.diff(log.mean(axis=2), axis=1)
    expected = former[:, np.newaxis] * moves
    left = levels - expected
    spread = np.nan_to_num(NORMAL * medians(np.abs(left), 1)) + 1e-4
    left = np.clip(left, -3 * spread[:, np.newaxis], 3 * spread[:, np.newaxis])
    followed = np.where(np.isnan(left), 0.0, left + expected)
    # A step of the machine would teach its own size as the loading; an outlier, after
    # which the level returns, teaches much.
    usual = 4 * NORMAL * np.median(np.abs(moves)) + 1e-4
    returns = np.abs(moves[1:] + moves[:-1]) < usual
    is_usual = np.abs(moves) < usual
    is_usual[1:] |= returns
    is_usual[:-1] |= returns
    seen = np.where(np.isnan(left), 0.0, moves * is_usual)
    prior = (spread / LOADING_SPREAD) ** 2
    loading = ((followed * seen).sum(axis=1) + prior) / ((seen**2).sum(axis=1) + prior)
    middle = max(float(np.median(loading)), LEAST_LOADING)
    return np.asarray(np.clip(loading / middle, LEAST_LOADING, MOST_LOADING))


BAD: Final = 4.0
"""Standard deviations by which an outlying commit lies apart from those around."""

AROUND: Final = 40
"""Commits before and after a step that tell its size, at most."""

SOON: Final = 5
"""Commits before and after it that do where a region moved again soon."""


@dataclass(frozen=True, slots=True, eq=False)
class MachineMode:
    """Common mode of a machine and the commits at which it moved and stayed moved.

    Parameters
    ----------
    positions
        Numbers of its commits on a line that machines share, shape (T,), ascending.
    mode
        Common mode at each commit.
    steps
        Rows of the commits at which it moved and stayed moved.
    strength
        Statistic with which each step was noticed.
    statistic, first, size
        Of steps at each commit, as in `Scan`, shape (T,).
    correlation, spread
        Of the level of one commit with the next, and its usual step.
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

    def outlying_commits(self) -> Counts:
        """Return the rows of commits that lie apart, and after which levels return."""
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

    def taken_out_of_all(self, log: Reals) -> Reals:
        """Return locations at all its commits without it, shape (S, T, n)."""
        at = np.arange(len(self.positions))
        left = [self.taken_out(each, region, at) for region, each in enumerate(log)]
        return np.array(left).reshape(log.shape)

    def taken_out(
        self, log: Reals, region: int, at: Counts, kept: Sequence[int] = ()
    ) -> Reals:
        """Return the locations of a region without the common mode.

        A step of the machine moves each region by as much as it does, up to the size of
        the step away from what nights have taught: another machine is faster for one
        and slower for another. A region that moved farther moved by itself.

        Parameters
        ----------
        log
            Those with it, shape (t, n).
        region
            Its row.
        at
            Rows of the commits that measured it, shape (t,), ascending.
        kept
            Rows of steps that are left in.
        """
        effect = self.mode.believed * self.mode.effect
        for row in kept:
            effect[row:] -= self.step_effect(row)
        load = self.mode.loading[region]
        left = log - load * effect[at]
        bounds = [0, *self.steps, len(self.positions)]
        for begin, row, end in zip(bounds, self.steps, bounds[2:], strict=False):
            if row not in kept:
                first, step, last = at.searchsorted((begin, row, end))
                size = _step_between(left[first:step], left[step:last])
                is_usual = np.abs(size) <= np.abs(self.step_effect(row))
                left[step:] -= np.where(is_usual, size, 0.0)
        return np.asarray(left)


def machine_mode(log: Reals, positions: Counts, directions: Reals) -> MachineMode:
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
    return MachineMode(
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


def _step_between(before: Reals, after: Reals) -> Reals:
    """Return the step between levels, shapes (b, n) and (a, n), at each setting."""
    if not before.size or not after.size:
        return np.zeros(before.shape[1])
    before, after = before[-AROUND:], after[:AROUND]
    level, soon = medians(before, 0), medians(after[:SOON], 0)
    spread = spreads(before, level, 0) + FLOOR
    size = medians(after, 0) - level
    # The median of so few scatters by 1.25 of a standard error, the two by √2 of it.
    moved_again = np.abs(soon - size - level) > 5 * spread / np.sqrt(SOON)
    size = np.where(moved_again, soon - medians(before[-SOON:], 0), size)
    return np.nan_to_num(size)


def _shifted(level: Reals, by: int) -> Reals:
    """Return the levels so many commits later, NaN where there are none."""
    at = np.arange(len(level)) + by
    is_there = (at >= 0) & (at < len(level))
    return np.where(is_there, level[np.clip(at, 0, len(level) - 1)], np.nan)


def _located(effect: Reals, first: int, at: int) -> int:
    """Return the row before which a step explains most: held commits hide its first."""
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
