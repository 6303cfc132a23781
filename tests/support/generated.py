"""Measurements with a known truth."""

from collections.abc import Sequence

import numpy as np

from scalewatch.modelling import CONSTANT, Growth, pmnf

P = np.array([4.0, 8, 16, 32, 64, 128])


def curve(growth: Growth, ratio: float, p: np.ndarray = P) -> np.ndarray:
    """Return 1 + ratio·t(p)/t(128), or 1 for the constant."""
    if growth == CONSTANT:
        return np.ones(len(p))
    return 1 + ratio * growth(p=p) / growth(p=128.0)


def measured(
    curves: Sequence[np.ndarray], noise: float, seed: int, repetitions: int = 5
) -> np.ndarray:
    """Multiply by uniform noise of the given width; shape (S, n, repetitions)."""
    rng = np.random.default_rng(seed)
    shape = (*np.shape(curves), repetitions)
    return np.asarray(curves)[..., np.newaxis] * rng.uniform(
        1 - noise / 2, 1 + noise / 2, shape
    )


def random_curves(series: int, seed: int) -> tuple[list[Growth], list[np.ndarray]]:
    """Draw growths of the usual ones and coefficients that can be seen."""
    rng = np.random.default_rng(seed)
    growths = [pmnf().growths[k] for k in rng.integers(len(pmnf()), size=series)]
    ratios = np.exp(rng.uniform(np.log(0.2), np.log(20), series))
    return growths, [curve(*each) for each in zip(growths, ratios, strict=True)]
