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

Hypotheses are cross-validated without refits. The weighted columns of a hypothesis are
made orthogonal, q₁ … q_K, q₀ (Gram and Schmidt, modified). Then f = Σ q·(q·y)/‖q‖², and
the residual r and the leverage h of a point give the residual that it would have in a
fit without it,

    h = Σ q²/‖q‖²,  r without the point = r/(1 - h).

References
----------
F. Wolf et al., "Catwalk: A Quick Development Path for Performance Models",
Euro-Par 2014 workshops, sections 2 and 2.2.
D. M. Allen, "The Relationship between Variable Selection and Data Augmentation and a
Method for Prediction", Technometrics 16 (1974).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import combinations
from math import comb
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.growths.space import Space
from scalewatch.modelling.growths.terms import TermTable, term_table
from scalewatch.modelling.rules.assumptions import ASSUMED
from scalewatch.modelling.rules.rule import (
    Rule,
    Sample,
    Selection,
    adjusted_r2_of,
    smape,
)

Booleans = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Fits:
    """The best hypothesis of each series.

    Parameters
    ----------
    members
        Its terms, shape (S, K); -1 where it has fewer.
    coefficients
        c₀ … c_K of the terms, shape (S, 1 + K), zero where unused.
    error
        Cross-validated relative error, root mean square, shape (S,); inf if none fits.
    misfit
        Σ ((y - f)/y)², shape (S,).
    """

    members: Indices
    coefficients: Reals
    error: Reals
    misfit: Reals

    @property
    def sizes(self) -> Indices:
        """Number of terms, shape (S,)."""
        return np.asarray((self.members >= 0).sum(axis=1))

    @classmethod
    def none(cls, series: int, terms: int) -> "Fits":
        """Return that of series for which nothing has been tried."""
        return cls(
            members=np.full((series, terms), -1, dtype=np.intp),
            coefficients=np.zeros((series, 1 + terms)),
            error=np.full(series, np.inf),
            misfit=np.full(series, np.inf),
        )

    def replaced(self, rows: Indices, others: "Fits", which: Booleans) -> "Fits":
        """Return these, some rows replaced by those of others."""
        target = rows[which]
        members, coefficients = self.members.copy(), self.coefficients.copy()
        error, misfit = self.error.copy(), self.misfit.copy()
        terms = others.members.shape[1]
        members[target, :terms] = others.members[which]
        coefficients[target, : terms + 1] = others.coefficients[which]
        error[target], misfit[target] = others.error[which], others.misfit[which]
        return Fits(members, coefficients, error, misfit)


def best_fits(tau: Reals, members: Indices, target: Reals, weight: Reals) -> Fits:
    """Return the hypothesis of least cross-validated error for each series.

    Parameters
    ----------
    tau
        Terms, shape (C, n).
    members
        Which of them make up each hypothesis, shape (H, K).
    target, weight
        y·w and w, shape (n, S).
    """
    width = max(1, ASSUMED.refined_scratch // (len(members) * len(weight)))
    blocks = [
        _best(tau, members, target[:, at : at + width], weight[:, at : at + width])
        for at in range(0, weight.shape[1], width)
    ]
    return Fits(
        members=members[np.concatenate([block[0] for block in blocks])],
        coefficients=np.concatenate([block[1] for block in blocks]),
        error=np.concatenate([block[2] for block in blocks]),
        misfit=np.concatenate([block[3] for block in blocks]),
    )


def _best(
    tau: Reals, members: Indices, target: Reals, weight: Reals
) -> tuple[Indices, Reals, Reals, Reals]:
    """Fit all hypotheses to a few series; arrays inside are (n, S, H)."""
    residual = target[:, :, np.newaxis]
    leverage: Reals = np.zeros(())
    is_possible: Booleans = np.ones((), dtype=np.bool_)
    basis: list[tuple[Reals, Reals]] = []
    shares: list[list[Reals]] = []
    amounts: list[Reals] = []
    for column in _columns(tau, members, weight):
        share, q = _orthogonal(column, basis)
        square = _total(q * q)
        is_possible = is_possible & (
            square > ASSUMED.dependent * _total(column * column)
        )
        square = np.where(is_possible, square, 1.0)
        amount = _total(residual * q) / square
        residual = residual - amount * q
        leverage = leverage + q * q / square
        basis.append((q, square))
        shares.append(share)
        amounts.append(amount)

    coefficients = _coefficients(shares, amounts)
    for coefficient in coefficients[1:]:
        is_possible = is_possible & (coefficient > 0)
    left_out = residual / np.maximum(1 - leverage, ASSUMED.least_freedom)
    error = np.sqrt(_total(left_out * left_out) / len(weight))
    error = np.where(is_possible, error, np.inf)
    chosen = error.argmin(axis=1)
    series = np.arange(len(chosen))
    return (
        chosen,
        np.stack([coefficient[series, chosen] for coefficient in coefficients], axis=1),
        error[series, chosen],
        _total(residual * residual)[series, chosen],
    )


def _columns(tau: Reals, members: Indices, weight: Reals) -> Iterator[Reals]:
    """Yield the weighted terms of all hypotheses, then the constant."""
    for term in members.T:
        yield tau[term].T[:, np.newaxis] * weight[:, :, np.newaxis]
    yield np.repeat(weight[:, :, np.newaxis], len(members), axis=2)


def _orthogonal(
    column: Reals, basis: Iterable[tuple[Reals, Reals]]
) -> tuple[list[Reals], Reals]:
    """Return how much of each basis vector a column holds, and the remainder."""
    shares = []
    for q, square in basis:
        share = _total(column * q) / square
        column = column - share * q
        shares.append(share)
    return shares, column


def _coefficients(shares: list[list[Reals]], amounts: list[Reals]) -> list[Reals]:
    """Express the fit in the columns instead of the basis: c₀, c₁ … c_K."""
    coefficients: list[Reals] = []
    for number in reversed(range(len(amounts))):
        coefficient = amounts[number]
        later = range(len(amounts) - 1, number, -1)
        for column, known in zip(later, coefficients, strict=True):
            coefficient = coefficient - shares[column][number] * known
        coefficients.append(coefficient)
    constant, *terms = coefficients
    return [constant, *reversed(terms)]


def _total(rows: Iterable[Reals]) -> Reals:
    """Add rows one after the other; `ndarray.sum` changes the order with the shape."""
    return reduce(np.add, rows)


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
    is_positive = (y > ASSUMED.faintest_value).all(axis=0)
    logs = np.log(np.where(is_positive, y, 1.0))
    deviation = np.sqrt(2 * _noise(sample.values, 1 / _scale(y)))
    return np.asarray(logs[0] - logs.min(axis=0) > ASSUMED.fall * deviation)


def _merged(
    is_first: NDArray[np.bool_], first: Selection, second: Selection
) -> Selection:
    """Put selections of different series together."""

    def joined(chosen: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
        together = np.empty((len(is_first), *chosen.shape[1:]), dtype=chosen.dtype)
        together[is_first], together[~is_first] = chosen, other
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
    weight = np.minimum(1 / _scale(y), ASSUMED.most_weight)
    enough = ASSUMED.noise_margin * len(y) * _noise(sample.values, weight)

    refined = Fits.none(series=y.shape[1], terms=ASSUMED.most_terms)
    rows = np.arange(y.shape[1])
    for members in _rounds(sample.space, len(y)):
        fits = best_fits(table.tau, members, (y * weight)[:, rows], weight[:, rows])
        further = members.shape[1] - refined.sizes[rows]
        is_better = fits.error < ASSUMED.saturation**further * refined.error[rows]
        refined = refined.replaced(rows, fits, is_better)
        is_open = is_better | (further <= ASSUMED.patience)
        rows = rows[is_open & (refined.misfit[rows] > enough[rows])]
        if not rows.size:
            break
    return _selection(refined, sample.space, table, y)


def _rounds(space: Space, points: int) -> Iterator[Indices]:
    """Yield all hypotheses of one size, shape (H, size), then of the next."""
    terms = np.flatnonzero([bool(growth.factors) for growth in space])
    for size in range(min(ASSUMED.most_terms, points - 3, len(terms)) + 1):
        if comb(len(terms), size) > ASSUMED.most_hypotheses:
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
    is_seen = size > ASSUMED.faintest_value
    smallest = np.where(is_seen, size, 1.0).min(axis=0)
    return np.where(is_seen, size, smallest)


def _noise(values: Reals, weight: Reals) -> Reals:
    """Return the relative variance of what the repetitions say, shape (S,)."""
    median = np.nanmedian(values, axis=2, keepdims=True)
    deviation = np.abs(values - median) * weight.T[:, :, np.newaxis]
    spread = 1.4826 * np.nanmedian(deviation, axis=(1, 2))
    repetitions = (~np.isnan(values)).sum(axis=2).mean(axis=1)
    variance: Reals = spread**2 / repetitions + ASSUMED.floor**2
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
