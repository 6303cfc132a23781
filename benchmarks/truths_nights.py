"""Histories under noise as the nights of a cluster have it, seeded.

Six process counts, five repetitions of 3 %, 2 % between commits of a region; a region
takes 1 + 0.3·log p/log p_max. On a machine all regions share its nights, each with its
own loading exp N(0, 0.3), and have noise of the same kind and half the size of their
own; series by themselves share nothing.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from benchmarks.truths_history import P, Planted, changes
from numpy.typing import NDArray

from scalewatch.modelling.histories.histories import locations

Reals = NDArray[np.float64]

REGIONS, COMMITS, AT = 40, 200, 100
TRIPLE: Final = 3
SOON: Final = 5
"""Commits within which a change should be found."""

REPETITIONS: Final = 5
OWN, REPEATED = 0.02, 0.03
LOADINGS: Final = 0.3
HALF: Final = 0.5
LOG: Final = np.log2(P) / np.log2(P[-1])
PLANTED: Final = (
    "log p → p from the smallest p, ρ = 0.3",
    "coefficient × 1.3",
    "coefficient × 1.1",
    "level × 1.1",
)


@dataclass(frozen=True, slots=True, eq=False)
class Draw:
    """What noises are drawn from, for so many series and commits.

    Parameters
    ----------
    loading
        Of each series, shape (S, 1, 1); None where series share nothing.
    """

    rng: np.random.Generator
    series: int
    commits: int
    loading: Reals | None

    def nights(self, draw: Callable[[int], Reals], own: float = HALF) -> Reals:
        """Return effects of whole commits, shape (S, T, 1); draw(S) has (S, T)."""
        if self.loading is None:
            return draw(self.series)[..., np.newaxis]
        shared = self.loading * draw(1)[..., np.newaxis]
        return shared + own * draw(self.series)[..., np.newaxis]

    def jobs(self, share: float, size: float) -> Reals:
        """Return effects of jobs, each a commit at one p, shape (S, T, n)."""
        series = self.series if self.loading is None else 1
        hit = self.rng.random((series, self.commits, P.size)) < share
        return size * hit * (1.0 if self.loading is None else self.loading)

    def correlated(self, rho: float, spread: float) -> Callable[[int], Reals]:
        """Return what draws autoregressions of first order, (S, T)."""

        def draw(series: int) -> Reals:
            steps = self.rng.normal(0, spread, (series, self.commits))
            steps[:, 1:] *= np.sqrt(1 - rho**2)
            for t in range(1, self.commits):
                steps[:, t] += rho * steps[:, t - 1]
            return steps

        return draw

    def bad(self, share: float, size: float) -> Callable[[int], Reals]:
        """Return what draws nights that are slower by so much, (S, T)."""
        return lambda series: size * (self.rng.random((series, self.commits)) < share)


def _independent(draw: Draw) -> Reals:
    white = draw.correlated(0.0, 0.01)
    return draw.nights(white, own=0.0)


def _modes(draw: Draw) -> Reals:
    shape = (draw.series, draw.commits, 1)
    return 0.03 * (draw.rng.random(shape) < 0.4)


def _weekly(draw: Draw) -> Reals:
    loading = np.ones((1, 1, 1)) if draw.loading is None else draw.loading
    is_busy = np.arange(draw.commits) % 7 >= 5
    return loading * 0.02 * is_busy[:, np.newaxis]


def _two_scales(draw: Draw) -> Reals:
    quick, slow = draw.correlated(0.5, 0.015), draw.correlated(0.95, 0.015)
    return draw.nights(lambda series: quick(series) + slow(series))


def _walk(draw: Draw) -> Reals:
    return draw.nights(
        lambda series: draw.rng.normal(0, 0.003, (series, draw.commits)).cumsum(axis=1)
    )


NOISES: Final[dict[str, Callable[[Draw], Reals]]] = {
    "independent": _independent,
    "AR 0.6, 2 %": lambda draw: draw.nights(draw.correlated(0.6, 0.02)),
    "AR 0.9, 1.5 %": lambda draw: draw.nights(draw.correlated(0.9, 0.015)),
    "two modes by job": lambda draw: draw.jobs(0.3, 0.04),
    "two modes by commit": _modes,
    "weekly load": _weekly,
    "bad nights": lambda draw: draw.nights(draw.bad(0.03, 0.2), own=0.0),
    "bad jobs": lambda draw: draw.jobs(0.03, 0.4),
    "noise grows with p": _independent,
    "tilted nights": lambda draw: draw.nights(draw.correlated(0.5, 0.02)) * LOG,
}
"""Those of the goals."""

BEYOND: Final[dict[str, Callable[[Draw], Reals]]] = {
    "two time scales": _two_scales,
    "random walk, 0.3 %": _walk,
    "AR 0.6, nights and settings missing": NOISES["AR 0.6, 2 %"],
    "noise that doubles": _independent,
}
"""Outside the family of the model; nothing was tuned on them."""

MISSING: Final = 0.15
"""Of the nights of a region, and of the settings of the others."""


def nightly(
    noise: str,
    series: int,
    commits: int,
    rng: np.random.Generator,
    *,
    is_shared: bool,
) -> Reals:
    """Return log-locations of series without a change, shape (S, T, n)."""
    loading = np.exp(rng.normal(0, LOADINGS, (series, 1, 1))) if is_shared else None
    effect = {**NOISES, **BEYOND}[noise](Draw(rng, series, commits, loading))
    values = rng.normal(0, OWN, (series, commits, P.size, 1))
    values = values + rng.normal(0, REPEATED, (*values.shape[:3], REPETITIONS))
    if noise == "noise grows with p":
        values *= (1 + 3 * LOG)[:, np.newaxis]
        effect = np.zeros_like(effect)
    if noise == "noise that doubles":
        values[:, commits // 2 :] *= 2
    log = locations(np.exp(values)) + effect + np.log(1 + 0.3 * LOG)
    if "missing" in noise:
        log[rng.random(log.shape[:2]) < MISSING] = np.nan
        log[rng.random(log.shape) < MISSING] = np.nan
    return np.asarray(log)


def planted() -> list[Planted]:
    """Return the changes that are planted: some of those of `history`."""
    named = {change.name: change for change in changes()}
    return [named[name] for name in PLANTED]


def step(change: Planted) -> Reals:
    """Return what a change adds to the log-locations, shape (n,)."""
    return np.log(change.after / change.before)


@dataclass(frozen=True, slots=True)
class Draws:
    """Machines drawn from one seed.

    Parameters
    ----------
    noises
        Those that the goals are about.
    triples
        How many times three machines a cell has.
    """

    seed: int
    noises: Sequence[str]
    triples: int

    def machines(self, noise: str, *, is_shared: bool) -> Iterator[list[Reals]]:
        """Yield three machines at a time, each (S, T, n)."""
        for triple in range(self.triples):
            yield [
                nightly(
                    noise,
                    REGIONS,
                    COMMITS,
                    self.rng(noise, is_shared, triple, machine),
                    is_shared=is_shared,
                )
                for machine in range(TRIPLE)
            ]

    def rng(self, *cell: object) -> np.random.Generator:
        """Return random numbers of a cell."""
        return np.random.default_rng((self.seed, *repr(cell).encode()))
