"""Series drawn from functions of a family, with their truth.

What is counted has integers from 1 to 8 for a, and is the same in each repetition: as
it is, or rounded to integers, after functions that are no integers by nature have been
taken ten times. What is timed has a from 0.5 to 1000. b is from 0.3 to 5.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from benchmarks import truths
from benchmarks.textbook.families import Family
from benchmarks.textbook.function import Function, Reals

EXACT: Final = "exact counts"
ROUNDED: Final = "rounded counts"
FAR: Final = (16, 64)
"""Targets, as multiples of the largest settings."""

TIMED: Final = {"0.1 %": truths.uniform(0.001), **truths.NOISES}
USUAL_NOISES: Final = (EXACT, ROUNDED, "0.1 %", "2 %", "10 %", "skewed 5 %")
NOISES: Final = (EXACT, ROUNDED, *TIMED)


@dataclass(frozen=True, slots=True)
class Drawing:
    """S series of one function at the same settings.

    Parameters
    ----------
    function
        Their truth.
    at, seed
        What is printed of the settings, and of what is drawn by.
    settings, targets
        Of shape (n, parameters) and (2, parameters).
    values
        Repetitions, shape (S, n, R).
    far
        True values at the targets, shape (S, 2).
    """

    function: Function
    at: str
    seed: str
    settings: Reals
    targets: Reals
    values: Reals
    far: Reals


def draw(
    family: Family, noise: str, series: int, repetitions: int, seeds: Iterable[int]
) -> list[Drawing]:
    """Draw series of each function of a family at each of its settings."""
    return [
        _drawing(function, at, settings, noise, (series, repetitions), seed)
        for seed in seeds
        for function in family.functions
        for at, settings in family.settings.items()
    ]


def _drawing(  # noqa: PLR0913, PLR0917, what a drawing depends on
    function: Function,
    at: str,
    settings: Reals,
    noise: str,
    size: tuple[int, int],
    seed: int,
) -> Drawing:
    """Draw what depends on nothing but its arguments, whatever else is drawn."""
    series, repetitions = size
    rng = np.random.default_rng([seed, *f"{function.name} {at} {noise}".encode()])
    is_counted = noise not in TIMED
    a = (
        rng.integers(1, 9, series).astype(float)
        if is_counted
        else truths.log_uniform(0.5, 1000, series, rng)
    )
    if noise == ROUNDED and not function.is_count:
        a *= 10
    b = np.round(truths.log_uniform(0.3, 5, series, rng), 2)
    targets = settings.max(axis=0) * np.array(FAR, float)[:, np.newaxis]

    def true(where: Reals) -> Reals:
        values = function.curve(a[:, np.newaxis], b[:, np.newaxis], *where.T)
        return np.broadcast_to(values, (series, len(where)))

    exact = np.round(true(settings)) if noise == ROUNDED else true(settings)
    values = np.repeat(exact[:, :, np.newaxis], repetitions, axis=2)
    if not is_counted:
        values = values * TIMED[noise](rng, values.shape)
    return Drawing(function, at, str(seed), settings, targets, values, true(targets))
