"""Extrapolate t_max beyond the calibrated numbers of processes, by a growth in p.

    t(p) = a + b g(p),    a, b ≥ 0

with one of a few growths g, by least squares of deviations of log t, since some best
times are a hundred times longer than others. What is chosen foresees each number of
processes best from the others (leave one out). A growth has to be much better there
than a constant, which is what messages take, and what noise is. Nothing gets faster
than it was with the most processes that were calibrated.
"""

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

CONSTANT: Final = "1"
GROWTHS: Final[Mapping[str, Callable[[Reals], Reals]]] = {
    "log p": np.log2,
    "p^(1/2)": np.sqrt,
    "p": lambda p: p,
    "p log p": lambda p: p * np.log2(p),
    "p^2": np.square,
}
"""Growths of collectives: trees, rings and exchanges of everybody with everybody."""

LEAST_COUNTS: Final = 3
"""Numbers of processes from which on a growth can be chosen."""

MUCH_BETTER: Final = 0.5
"""Share of a constant's squared deviations that a growth may leave."""

_SHARES: Final = np.append(1 / (1 + 10 ** np.linspace(4, -4, 161)), 1.0)
"""Least share of b g(p) in t(p) at the most processes known; b = 0 is the constant."""


def extrapolated(counts: Reals, times: Reals, at: float) -> tuple[Reals, list[str]]:
    """Return times at another number of processes, and the growth of each.

    Parameters
    ----------
    counts
        Numbers of processes from 2 on, shape (k,), k ≥ `LEAST_COUNTS`, rising.
    times
        At these, above 0, a column for each size, shape (k, n).
    """
    names = [CONSTANT, *GROWTHS]
    logs = np.log(times)
    left = np.array([_deviations(name, counts, logs) for name in names])
    left[1:] /= MUCH_BETTER
    chosen = left.argmin(axis=0)
    foreseen = np.array([_foreseen(name, counts, logs, at) for name in names])
    predicted = foreseen[chosen, np.arange(times.shape[1])]
    later: Reals = np.exp(np.maximum(predicted, logs[-1]))
    return later, [names[each] for each in chosen.tolist()]


def _deviations(name: str, counts: Reals, logs: Reals) -> Reals:
    """Return mean squared deviations of what is left out, shape (n,)."""
    squares = np.zeros(logs.shape[1])
    for out, count in enumerate(counts.tolist()):
        others = np.arange(len(counts)) != out
        squares += (
            _foreseen(name, counts[others], logs[others], count) - logs[out]
        ) ** 2
    mean: Reals = squares / len(counts)
    return mean


def _foreseen(name: str, counts: Reals, logs: Reals, at: float) -> Reals:
    """Return log(a + b g(at)), fitted to other numbers of processes, shape (n,)."""
    level: Reals = logs.mean(axis=0)
    if name == CONSTANT:
        return level
    grown = GROWTHS[name](np.append(counts, at)) / GROWTHS[name](counts[-1:])
    # A row for each share: what t(p) is but for a factor, of which the mean is best.
    shapes = np.log((1 - _SHARES)[:, np.newaxis] + np.outer(_SHARES, grown))
    shapes -= shapes[:, :-1].mean(axis=1, keepdims=True)
    squares = ((logs - level - shapes[:, :-1, np.newaxis]) ** 2).sum(axis=1)
    best: Reals = level + shapes[squares.argmin(axis=0), -1]
    return best
