"""Histories whose truth is known, seeded.

Six process counts, five repetitions. Noise as in a cluster: repetitions of 5 %, skewed
by outliers (5 % of them 1.5 to 3 times slower), 2 % between jobs, 1 % between commits.
A region takes 1 + ρ·log p/log p_max, until a commit changes it.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]

P: Final = 2.0 ** np.arange(2, 8)
REPETITIONS: Final = 5
JOB, COMMIT, SKEW = 0.02, 0.01, 0.05
OUTLIERS: Final = 0.05

GROWTH, CONSTANT, LEVEL = "growth", "constant", "level"


@dataclass(frozen=True, slots=True)
class Planted:
    """A change.

    Parameters
    ----------
    name
        In words.
    kind
        What it should be called.
    before, after
        Curves at `P`, shape (6,).
    """

    name: str
    kind: str
    before: Reals
    after: Reals


def changes() -> list[Planted]:
    """Return the changes that are planted."""
    log, linear = np.log2(P) / np.log2(P[-1]), P / P[-1]
    steep = linear * log[0] / linear[0]
    listed = [
        Planted(
            f"log p → p from the smallest p, ρ = {rho}",
            GROWTH,
            1 + rho * log,
            1 + rho * steep,
        )
        for rho in (0.1, 0.3, 1.0)
    ]
    mean = np.exp(np.mean(np.log((1 + log) / (1 + linear))))
    listed += [
        Planted("log p → p, same mean", GROWTH, 1 + log, mean * (1 + linear)),
        Planted("log p → p, same at the largest p", GROWTH, 1 + log, 1 + linear),
    ]
    listed += [
        Planted(f"coefficient × {factor}", CONSTANT, 1 + log, 1 + factor * log)
        for factor in (1.1, 1.3, 2.0)
    ]
    listed += [
        Planted(f"level × {factor}", LEVEL, 1 + log, factor * (1 + log))
        for factor in (1.03, 1.1, 1.3)
    ]
    return listed


def unchanged(series: int, commits: int, rng: np.random.Generator) -> Reals:
    """Return repetitions of histories without a change, shape (S, T, n, R)."""
    rho = rng.choice([0.0, 0.3, 1.0, 3.0], (series, 1, 1))
    curve = 1 + rho * np.log2(P) / np.log2(P[-1])
    return _measured(np.broadcast_to(curve, (series, commits, P.size)), rng)


def changed(
    planted: Planted, series: int, at: int, commits: int, rng: np.random.Generator
) -> Reals:
    """Return repetitions of histories that change at commit `at`."""
    is_after = (np.arange(commits) >= at)[:, np.newaxis]
    curve = np.where(is_after, planted.after, planted.before)
    return _measured(np.broadcast_to(curve, (series, commits, P.size)), rng)


def drifting(
    percent: float, series: int, begin: int, commits: int, rng: np.random.Generator
) -> Reals:
    """Return repetitions of histories that become slower by so much each commit."""
    age = np.maximum(np.arange(commits) - begin, 0)[:, np.newaxis]
    curve = (1 + np.log2(P) / np.log2(P[-1])) * (1 + percent / 100) ** age
    return _measured(np.broadcast_to(curve, (series, commits, P.size)), rng)


def _measured(curve: Reals, rng: np.random.Generator) -> Reals:
    shape = (*curve.shape, REPETITIONS)
    noise = rng.normal(0, COMMIT, (*curve.shape[:2], 1, 1))
    noise = noise + rng.normal(0, JOB, (*curve.shape, 1)) + rng.normal(0, SKEW, shape)
    slower = np.where(rng.random(shape) < OUTLIERS, rng.uniform(1.5, 3, shape), 1.0)
    return curve[..., np.newaxis] * np.exp(noise) * slower
