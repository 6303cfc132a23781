"""Measurements whose truth is known, seeded.

Families of curves inside the space of growths (Extra-P's 42 and the constant):

* published: the generator of Extra-P's authors, both coefficients uniform in
  0.001 … 1000;
* visible: the term is 0.2 to 20 times the constant at the largest p, log-uniform;
* MPI-like: visible, but a fifth is constant and slow growth is common.

Outside of it: a free exponent, a logarithm beside a power, and a switch of protocols
that makes everything 15 % dearer from some p on.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling import CONSTANT, Growth, pmnf

Reals = NDArray[np.float64]
Curve = Callable[[Reals], Reals]
Noise = Callable[[np.random.Generator, tuple[int, ...]], Reals]

Draw = Callable[[int, Reals, np.random.Generator], "Truth"]

REPETITIONS: Final = 5
SPACE: Final = tuple(pmnf())


@dataclass(frozen=True, slots=True)
class Truth:
    """S curves.

    Parameters
    ----------
    growths
        Of the curves, in the order of the series; None outside of the space.
    curve
        p of shape (n,) to values of shape (S, n).
    """

    growths: tuple[Growth, ...] | None
    curve: Curve


def processes(points: int) -> Reals:
    """Return the powers of two from 4 on."""
    return 2.0 ** np.arange(2, points + 2)


def measure(curve: Curve, p: Reals, noise: Noise, rng: np.random.Generator) -> Reals:
    """Return measurements of shape (S, n, REPETITIONS)."""
    exact = curve(p)[:, :, np.newaxis]
    return exact * noise(rng, (*exact.shape[:2], REPETITIONS))


def published(series: int, p: Reals, rng: np.random.Generator) -> Truth:
    """Draw both coefficients uniformly."""
    del p
    growths = _uniform_growths(series, rng)
    constant, slope = rng.uniform(0.001, 1000, (2, series))
    return _truth(growths, constant, slope)


def visible(series: int, p: Reals, rng: np.random.Generator) -> Truth:
    """Draw terms that can be seen."""
    return _visible(_uniform_growths(series, rng), p, rng)


def mpi_like(series: int, p: Reals, rng: np.random.Generator) -> Truth:
    """Draw slow growth more often than fast."""
    factors = [growth.factor("p") for growth in SPACE]
    share = np.array([np.exp(-1.5 * f.power - 0.3 * f.log) for f in factors], float)
    share[SPACE.index(CONSTANT)] = 0
    share *= 0.8 / share.sum()
    share[SPACE.index(CONSTANT)] = 0.2
    return _visible(rng.choice(len(SPACE), series, p=share), p, rng)


def constant(series: int, p: Reals, rng: np.random.Generator) -> Truth:
    """Draw curves that do not grow."""
    return _visible(np.full(series, SPACE.index(CONSTANT)), p, rng)


def free_exponent(series: int, p: Reals, rng: np.random.Generator) -> Truth:
    """Draw powers that no space has."""
    power, ratio = rng.uniform(0.1, 2.9, series), log_uniform(0.2, 20, series, rng)

    def curve(x: Reals) -> Reals:
        return 1 + ratio[:, np.newaxis] * (x / p[-1]) ** power[:, np.newaxis]

    return Truth(None, curve)


def two_terms(series: int, p: Reals, rng: np.random.Generator) -> Truth:
    """Draw a logarithm beside a power."""
    powers = np.array([1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 1, 5 / 4, 3 / 2, 2])
    power = rng.choice(powers, series)[:, np.newaxis]
    slow = log_uniform(0.2, 5, series, rng)[:, np.newaxis]
    fast = log_uniform(0.1, 5, series, rng)[:, np.newaxis]

    def curve(x: Reals) -> Reals:
        relative = x / p[-1]
        return 1 + slow * np.log2(x) / np.log2(p[-1]) + fast * relative**power

    return Truth(None, curve)


def switch(series: int, p: Reals, rng: np.random.Generator) -> Truth:
    """Draw a step of 15 % somewhere between the points."""
    before = visible(series, p, rng).curve
    at = rng.choice(p[1:-1], series)[:, np.newaxis]
    return Truth(None, lambda x: before(x) * np.where(x > at, 1.15, 1.0))


INSIDE: Final = {"published": published, "visible": visible, "MPI-like": mpi_like}
OUTSIDE: Final = {
    "free exponent": free_exponent,
    "log p + p^i": two_terms,
    "switch by 15 %": switch,
}


def uniform(width: float) -> Noise:
    """Return uniform noise of the given width, ± half of it."""
    return lambda rng, shape: rng.uniform(1 - width / 2, 1 + width / 2, shape)


def skewed(sigma: float) -> Noise:
    """Return log-normal noise with 5 % of outliers by 1.5 to 3."""

    def noise(rng: np.random.Generator, shape: tuple[int, ...]) -> Reals:
        factor = np.exp(sigma * rng.standard_normal(shape))
        is_outlier = rng.random(shape) < 0.05
        return np.where(is_outlier, factor * rng.uniform(1.5, 3, shape), factor)

    return noise


def outliers(rng: np.random.Generator, shape: tuple[int, ...]) -> Reals:
    """Return log-normal noise of 5 % with 10 % of outliers by 3."""
    factor = np.exp(0.05 * rng.standard_normal(shape))
    return np.where(rng.random(shape) < 0.1, 3 * factor, factor)


def one_sided(rng: np.random.Generator, shape: tuple[int, ...]) -> Reals:
    """Return exponential delays of 10 % with 5 % of outliers by 1.5 to 3.

    They are relative to where five of them are located on average, so that a curve
    is what one would find with less noise.
    """
    factor = (1 + 0.1 * rng.exponential(size=shape)) / 1.09
    is_outlier = rng.random(shape) < 0.05
    return np.where(is_outlier, factor * rng.uniform(1.5, 3, shape), factor)


def shared(rng: np.random.Generator, shape: tuple[int, ...]) -> Reals:
    """Return log-normal noise of 5 %, half of its variance common to a point."""
    own, common = rng.standard_normal(shape), rng.standard_normal((*shape[:2], 1))
    return np.exp(0.05 * np.sqrt(0.5) * (own + common))


NOISES: Final[dict[str, Noise]] = {
    "2 %": uniform(0.02),
    "10 %": uniform(0.10),
    "20 %": uniform(0.20),
    "50 %": uniform(0.50),
    "skewed 5 %": skewed(0.05),
    "skewed 10 %": skewed(0.10),
    "outliers": outliers,
    "one-sided": one_sided,
    "shared by a job": shared,
}


def _uniform_growths(series: int, rng: np.random.Generator) -> NDArray[np.intp]:
    return rng.integers(len(SPACE), size=series)


def _visible(growths: NDArray[np.intp], p: Reals, rng: np.random.Generator) -> Truth:
    constant = log_uniform(0.05, 20, len(growths), rng)
    ratio = log_uniform(0.2, 20, len(growths), rng)
    largest = np.array([float(growth(p=p[-1])) for growth in SPACE])[growths]
    return _truth(growths, constant, constant * ratio / largest)


def _truth(growths: NDArray[np.intp], constant: Reals, slope: Reals) -> Truth:
    slope = np.where(growths == SPACE.index(CONSTANT), 0.0, slope)[:, np.newaxis]

    def curve(x: Reals) -> Reals:
        terms = np.stack([growth(p=x) * np.ones(len(x)) for growth in SPACE])
        return constant[:, np.newaxis] + slope * terms[growths]

    return Truth(tuple(SPACE[k] for k in growths), curve)


def log_uniform(
    low: float, high: float, series: int, rng: np.random.Generator
) -> Reals:
    """Draw numbers whose logarithms are uniform, shape (series,)."""
    return np.exp(rng.uniform(np.log(low), np.log(high), series))
