"""Gaps of weak scaling: runs whose problem grows with p that were not made.

Every pair of scales needs a run of the problem size k at n₁ and one of k·n₂/n₁ at
n₂: sizes that a study planned for strong scaling seldom has.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from scalewatch.errors import SizeUnknown
from scalewatch.modelling.scaling_errors.codes import Times


@dataclass(frozen=True, slots=True)
class NeededRun:
    """A run that weak scaling lacks.

    Parameters
    ----------
    scale, size
        Where to run.
    pairs
        How many pairs of scales need it.
    """

    scale: float
    size: float
    pairs: int


@dataclass(frozen=True, slots=True)
class WeakGaps:
    """Which pairs weak scaling lacks, of all pairs n₁ < n₂, and what would fill them.

    Parameters
    ----------
    runs
        Those that most pairs need first.
    missing
        Pairs that the runs would fill.
    indivisible
        Pairs (n₁, n₂) that no run can fill: k·n₂/n₁ is no whole problem size.
    """

    runs: tuple[NeededRun, ...]
    missing: tuple[tuple[float, float], ...]
    indivisible: tuple[tuple[float, float], ...]


def weak_gaps(times: Times, size: float, base: float | None = None) -> WeakGaps:
    """Find what B lacks.

    Parameters
    ----------
    times
        What was measured.
    size
        k, at n₁.
    base
        Only pairs of this n₁; all of them unless given.

    Raises
    ------
    SizeUnknown
        If problem sizes were not recorded.
    """
    if times.sizes is None:
        raise SizeUnknown
    measured = {
        (times.scales[column], Fraction(float(times.sizes[row])))
        for row, column in np.argwhere(np.isfinite(times.seconds))
    }
    needs: dict[tuple[float, Fraction], int] = {}
    missing, indivisible = [], []
    k = Fraction(size)
    for n1 in times.scales.tolist() if base is None else [base]:
        for n2 in times.scales[times.scales > n1].tolist():
            grown = k * Fraction(n2) / Fraction(n1)
            if grown.denominator != 1:
                indivisible.append((n1, n2))
                continue
            lacking = {(n1, k), (n2, grown)} - measured
            for run in lacking:
                needs[run] = needs.get(run, 0) + 1
            if lacking:
                missing.append((n1, n2))
    runs = [NeededRun(scale, float(n), pairs) for (scale, n), pairs in needs.items()]
    runs.sort(key=lambda run: (-run.pairs, run.scale, run.size))
    return WeakGaps(tuple(runs), tuple(missing), tuple(indivisible))
