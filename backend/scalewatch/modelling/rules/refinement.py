"""Performance models of several terms, f = c₀ + Σ cₖ·tₖ(x), refined term by term.

The search of the reference, section 2: all ways to take n terms from the space
compete by cross-validation, and n grows until the quality of the model saturates. It
does once the model is as close to the measurements as their repetitions are to each
other, or when neither a further term halves the cross-validated error nor two of them
quarter it: a/p + b·log p falls and rises, and one of its terms alone explains nothing.
Negative exponents compete where the space has them and, in a space that nobody stated,
where measurements fall.

Fits are relative, Σ ((y - f)/y)² is least, so that small scales count as much as
large ones. Costs add up, so each cₖ is positive; c₀ may have any sign, as in the
8·(p - 1) bytes of a broadcast.

References
----------
F. Wolf et al., "Catwalk: A Quick Development Path for Performance Models",
Euro-Par 2014 workshops, sections 2 and 2.2.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.growths.space import Space
from scalewatch.modelling.growths.terms import TermTable, term_table
from scalewatch.modelling.rules.cross_validation import Fits, best_fits
from scalewatch.modelling.rules.quality import adjusted_r2_of, smape
from scalewatch.modelling.rules.rule import Rule, Sample, Selection

MOST_TERMS: Final = 5
"""n of the reference, more than sufficient for real-world applications."""

MOST_HYPOTHESES: Final = 20_000
"""Per round; a space that has more combinations is searched with fewer terms."""

SATURATION: Final = 0.5
"""Share to which each further term has to reduce the cross-validated error."""

PATIENCE: Final = 1
"""Terms more than the model has that may fail before the search ends."""

MOST_WEIGHT: Final = 1e12
"""Of a value, where those of a series are of the order of 1."""

NOISE_MARGIN: Final = 3.0
"""Misfit that is still noise, over the variance that the repetitions show."""

FLOOR: Final = 3e-4
"""Relative misfit that no model has to go below."""

FAINTEST: Final = 2.0**-200
"""Values of this size count as zeros, those of the search being scaled to 1."""


FALL: Final = 4.0
"""Standard deviations by which the first point lies above the least where it falls."""

FALLING: Final = ("-1/3", "-1/2", "-2/3", "-1", "-2")
"""Powers that are added then, few enough for three terms."""


def select(sample: Sample) -> Selection:
    """Refine the model of each series until its quality saturates."""
    falls = _falls(sample)
    if not falls.any():
        return _refined(sample)
    ((parameter, _),) = sample.settings.items()
    space = sample.space | Space.of(parameter, FALLING)
    falling = _refined(replace(sample, values=sample.values[falls], space=space))
    if falls.all():
        return falling
    rising = _refined(replace(sample, values=sample.values[~falls]))
    return _merged(falls, falling, rising)


def _falls(sample: Sample) -> NDArray[np.bool_]:
    """Tell which series lie significantly higher at the first point than later."""
    y = sample.summarised().T
    may_fall = sample.may_fall and len(sample.settings) == 1
    if not may_fall or min(map(np.min, sample.settings.values())) <= 0:
        return np.zeros(y.shape[1], dtype=np.bool_)
    is_positive = (y > FAINTEST).all(axis=0)
    logs = np.log(np.where(is_positive, y, 1.0))
    deviation = np.sqrt(2 * _noise(sample.values, 1 / _scale(y)))
    return np.asarray(logs[0] - logs.min(axis=0) > FALL * deviation)


def _merged(
    is_first: NDArray[np.bool_], first: Selection, second: Selection
) -> Selection:
    """Put selections of different series together."""

    def joined(one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
        together = np.empty((len(is_first), *one.shape[1:]), dtype=one.dtype)
        together[is_first], together[~is_first] = one, other
        return together

    return Selection(
        hypotheses=(*first.hypotheses, *second.hypotheses),
        chosen=joined(first.chosen, second.chosen + len(first.hypotheses)),
        coefficients=joined(first.coefficients, second.coefficients),
        adjusted_r2=joined(first.adjusted_r2, second.adjusted_r2),
        smape=joined(first.smape, second.smape),
    )


def _refined(sample: Sample) -> Selection:
    table = term_table(sample.space.growths, sample.settings)
    y = sample.summarised().T
    # Beside values a hundred decades larger, one is nothing, however exact.
    weight = np.minimum(1 / _scale(y), MOST_WEIGHT)
    enough = NOISE_MARGIN * len(y) * _noise(sample.values, weight)

    refined = Fits.none(series=y.shape[1], terms=MOST_TERMS)
    rows = np.arange(y.shape[1])
    for members in _rounds(sample.space, len(y)):
        fits = best_fits(table.tau, members, (y * weight)[:, rows], weight[:, rows])
        further = members.shape[1] - refined.sizes[rows]
        is_better = fits.error < SATURATION**further * refined.error[rows]
        refined = refined.replaced(rows, fits, is_better)
        is_open = is_better | (further <= PATIENCE)
        rows = rows[is_open & (refined.misfit[rows] > enough[rows])]
        if not rows.size:
            break
    return _selection(refined, sample.space, table, y)


def _rounds(space: Space, points: int) -> Iterator[Indices]:
    """Yield all hypotheses of one size, shape (H, size), then of the next."""
    terms = np.flatnonzero([bool(growth.factors) for growth in space])
    for size in range(min(MOST_TERMS, points - 3, len(terms)) + 1):
        if comb(len(terms), size) > MOST_HYPOTHESES:
            return
        yield terms[_combinations(len(terms), size)]


@lru_cache(maxsize=32)
def _combinations(count: int, size: int) -> Indices:
    """Return all ways to take some of a number of things, shape (H, size)."""
    ways = list(combinations(range(count), size))
    return np.array(ways, dtype=np.intp).reshape(len(ways), size)


def _scale(y: Reals) -> Reals:
    """Return what errors are relative to, shape (n, S); zeros count like the next."""
    size = np.abs(y)
    is_seen = size > FAINTEST
    smallest = np.where(is_seen, size, 1.0).min(axis=0)
    return np.where(is_seen, size, smallest)


def _noise(values: Reals, weight: Reals) -> Reals:
    """Return the relative variance of what the repetitions say, shape (S,)."""
    median = np.nanmedian(values, axis=2, keepdims=True)
    deviation = np.abs(values - median) * weight.T[:, :, np.newaxis]
    spread = 1.4826 * np.nanmedian(deviation, axis=(1, 2))
    repetitions = (~np.isnan(values)).sum(axis=2).mean(axis=1)
    variance: Reals = spread**2 / repetitions + FLOOR**2
    return variance


def _selection(refined: Fits, space: Space, table: TermTable, y: Reals) -> Selection:
    """Describe the fits that were kept."""
    is_used = refined.members >= 0
    tau = np.where(is_used[:, :, np.newaxis], table.tau[refined.members], 0.0)
    constant, factors = refined.coefficients[:, :1], refined.coefficients[:, 1:]
    fitted = constant + np.einsum("sk,skn->sn", factors, tau)
    scale = np.where(is_used, np.exp2(-table.log2_scale[refined.members]), 0.0)
    distinct, chosen = np.unique(refined.members, axis=0, return_inverse=True)
    return Selection(
        hypotheses=tuple(
            tuple(space.growths[member] for member in row if member >= 0)
            for row in distinct.tolist()
        ),
        chosen=chosen.reshape(-1),
        coefficients=np.hstack([constant, factors * scale]),
        adjusted_r2=adjusted_r2_of(y, fitted.T, is_used.sum(axis=1)),
        smape=smape(y, fitted.T),
    )


REFINEMENT = Rule("refinement", summary="robust", auto_space="pmnf", select=select)
"""Several terms by cross-validation, until the quality saturates."""
