"""Relative least squares of many hypotheses, each cross-validated, without refits.

The weighted columns of a hypothesis are made orthogonal, q₁ … q_K, q₀ (Gram and
Schmidt, modified). Then f = Σ q·(q·y)/‖q‖², and the residual r and the leverage h of a
point give the residual that it would have in a fit without it,

    h = Σ q²/‖q‖²,  r without the point = r/(1 - h).

References
----------
D. M. Allen, "The Relationship between Variable Selection and Data Augmentation and a
Method for Prediction", Technometrics 16 (1974).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Indices, Reals

Booleans = NDArray[np.bool_]

SCRATCH: Final = 2**17
"""Numbers per scratch array, so that those of a block stay in the cache."""

DEPENDENT: Final = 1e-12
"""Share of a column's square below which the others already hold all of it."""

LEAST_FREEDOM: Final = 1e-9
"""Least 1 - h: a point that determines a coefficient alone cannot be left out."""


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
    width = max(1, SCRATCH // (len(members) * len(weight)))
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
        is_possible = is_possible & (square > DEPENDENT * _total(column * column))
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
    left_out = residual / np.maximum(1 - leverage, LEAST_FREEDOM)
    error = np.sqrt(_total(left_out * left_out) / len(weight))
    error = np.where(is_possible, error, np.inf)
    chosen = error.argmin(axis=1)
    each = np.arange(len(chosen))
    return (
        chosen,
        np.stack([coefficient[each, chosen] for coefficient in coefficients], axis=1),
        error[each, chosen],
        _total(residual * residual)[each, chosen],
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
