"""Relative least squares of many hypotheses at once, by Gaussian elimination.

A hypothesis f = c₀ + Σ cₖ·τₖ is fitted so that the residuals r = 1 - f/y have the least
rᵀPr, P the precision of the locations (`discrepancy`). With P = RRᵀ the columns are
Rᵀ(τₖ/y) and their products those of the normal equations; the elimination runs over all
hypotheses side by side. The constant is eliminated last, so that the fit without it
comes for free: it replaces a fit whose constant is negative. A hypothesis whose term
comes out negative is one with fewer terms, and leaves the contest.

Where curves depart from growths, misfits are those of logarithms, levels free, as in
`evidence.least_squares`.

Sums of a few terms of either sign have no constant. The normal equations of all of them
are taken from the products of all columns with each other, which are few. A sum leaves
the contest

* where its leading-order term is negative, or makes less than `LEADING` of the sum
  where it is largest: a term that has not overtaken the others there would be a
  forecast and no finding; and
* where negative terms together take off more than `LARGEST_SHARE` of the leading-order
  term at a measured setting: it would turn there.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Indices, Reals, total
from scalewatch.modelling.measurements.discrepancy import Departing
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.rules.evidence.hypotheses import LEADING
from scalewatch.modelling.rules.evidence.least_squares import LARGEST_RANGE
from scalewatch.modelling.rules.evidence.log_residuals import LEAST_VARIANCE, Kriging
from scalewatch.modelling.rules.evidence.model import LARGEST_SHARE
from scalewatch.modelling.rules.several_parameters.assumptions import ASSUMED
from scalewatch.modelling.rules.several_parameters.competitors import SignedSums

System = dict[tuple[int, int], Reals]
"""Upper triangle of normal equations, of all hypotheses: the target is the last."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much the points of a series count, under one size of the discrepancy.

    Parameters
    ----------
    inverse
        w = 1/y, shape (n,).
    root
        R, shape (n, n).
    left
        L of `Departing.root`, shape (n, n - 1); None along a line.
    variance
        s₀², relative, of a point that P weighs by 1.
    freedom
        ν₀.
    log_share
        Logarithm of the evidence that all hypotheses share under this size.
    ahead
        What residuals tell of targets.
    """

    inverse: Reals
    root: Reals
    left: Reals | None
    variance: float
    freedom: float
    log_share: float
    ahead: Kriging

    @classmethod
    def all_of(cls, location: Departing, kriging: Kriging) -> "Iterator[Weights]":
        """Yield those of S series, values over their `level_of`."""
        logs = np.clip(location.log - level_of(location), -LARGEST_RANGE, LARGEST_RANGE)
        for series in range(logs.shape[1]):
            precision = location.precision[..., series]
            # A point that is missing has no precision at all.
            ridge = LEAST_VARIANCE * np.eye(len(precision))
            yield cls(
                inverse=np.exp(-logs[:, series]),
                root=np.asarray(np.linalg.cholesky(precision + ridge)),
                left=location.root[..., series],
                variance=float(location.variance[series]),
                freedom=float(location.freedom[series]),
                log_share=float(location.log_share[series]),
                ahead=kriging.only(series),
            )

    def along(self, points: Indices) -> "Weights":
        """Return those of some points, as if they were independent."""
        weight = (self.root[points] ** 2).sum(axis=1)
        return replace(
            self,
            inverse=self.inverse[points],
            root=np.diag(np.sqrt(weight)),
            left=None,
        )

    @property
    def target(self) -> Reals:
        """Rᵀ1, to which all is fitted."""
        return np.asarray(self.root.sum(axis=0))

    def misfits(self, curves: Reals, relative: Reals) -> Reals:
        """Return the misfits of curves over y, shape (H, n), or those `relative` ones.

        A curve that is not positive has none.
        """
        if self.left is None:
            return relative
        with np.errstate(divide="ignore", invalid="ignore"):
            misfit = (_times(np.log(curves), self.left) ** 2).sum(axis=1)
        return np.where(np.isfinite(misfit), misfit, np.inf)


def _times(rows: Reals, matrix: Reals) -> Reals:
    """Multiply many rows by a small matrix, in blocks that one thread works on.

    Threads that wait for each other take five times as long as the product.
    """
    at_once = max(1, ASSUMED.products // matrix.size)
    starts = range(at_once, len(rows), at_once)
    return np.concatenate([part @ matrix for part in np.split(rows, starts)])


def level_of(location: Location) -> Reals:
    """Return the mean logarithm of the locations, shape (S,)."""
    level: Reals = total(location.log) / len(location.log)
    return level


def fit(tau: Reals, members: Indices, weights: Weights) -> tuple[Reals, Reals]:
    """Fit hypotheses of equally many terms to a series.

    Parameters
    ----------
    tau
        Columns at the settings, shape (C, n).
    members
        Columns of H hypotheses of K terms, shape (H, K).
    weights
        Of the series.

    Returns
    -------
    misfit
        Shape (H,); inf for a hypothesis that leaves the contest.
    coefficients
        c₀ … c_K, shape (1 + K, H).
    """
    terms = members.shape[1]
    system = _normal_equations(tau, members, weights)
    without_constant, is_possible = eliminate(system, terms + 1)
    constant = system[terms, terms + 1] / system[terms, terms]
    misfit = np.where(constant > 0, system[terms + 1, terms + 1], without_constant)
    constant = np.maximum(constant, 0.0)
    coefficients = np.stack([constant, *substitute(system, terms, constant)])
    is_possible = is_possible & (coefficients[1:] > 0).all(axis=0)
    left = np.full(len(members), np.inf)
    rows = np.flatnonzero(np.broadcast_to(is_possible, left.shape))
    curves = coefficients[0, rows, np.newaxis] + sum(
        factors[rows, np.newaxis] * tau[column[rows]]
        for factors, column in zip(coefficients[1:], members.T, strict=True)
    )
    misfit = np.maximum(np.broadcast_to(misfit, left.shape)[rows], 0.0)
    left[rows] = weights.misfits(curves * weights.inverse, misfit)
    return left, coefficients


def eliminate(system: System, unknowns: int) -> tuple[Reals, NDArray[np.bool_]]:
    """Eliminate all unknowns from normal equations, whose triangle is overwritten.

    Returns
    -------
    misfit
        Without the last unknown, shape (H,).
    is_independent
        Of which hypotheses no column is made of the others, shape (H,).
    """
    squares = [system[k, k] for k in range(unknowns)]
    is_independent = np.ones((), dtype=np.bool_)
    misfit = system[unknowns, unknowns]
    for pivot in range(unknowns):
        misfit = system[unknowns, unknowns]
        least = ASSUMED.dependent * squares[pivot]
        is_independent = is_independent & (system[pivot, pivot] > least)
        system[pivot, pivot] = np.maximum(system[pivot, pivot], least)
        for row in range(pivot + 1, unknowns + 1):
            share = system[pivot, row] / system[pivot, pivot]
            for column in range(row, unknowns + 1):
                known = system[row, column]
                system[row, column] = known - share * system[pivot, column]
    return misfit, np.asarray(is_independent)


def substitute(system: System, terms: int, *known: Reals) -> list[Reals]:
    """Substitute backwards from what is known of the last unknowns: c₁ … c_K."""
    coefficients = list(known)
    target = terms + len(known)
    for k in reversed(range(terms)):
        left = system[k, target]
        for later, coefficient in enumerate(coefficients, k + 1):
            left = left - system[k, later] * coefficient
        coefficients.insert(0, left / system[k, k])
    return coefficients[:terms]


def _normal_equations(tau: Reals, members: Indices, weights: Weights) -> System:
    """Return the upper triangle: terms, then the constant, then the target."""
    terms = members.shape[1]
    target = terms + 1
    seen = _times(tau * weights.inverse, weights.root)
    alone, aim = weights.inverse @ weights.root, weights.target
    sides = [seen[column] for column in members.T]
    system = {
        (i, j): np.einsum("hn,hn->h", sides[i], sides[j])
        for i, j in combinations_with_replacement(range(terms), 2)
    }
    for k, column in enumerate(members.T):
        system[k, terms] = (seen @ alone)[column]
        system[k, target] = (seen @ aim)[column]
    system[terms, terms] = np.atleast_1d(alone @ alone)
    system[terms, target] = np.atleast_1d(alone @ aim)
    system[target, target] = np.atleast_1d(aim @ aim)
    return system


def fit_signed(tau: Reals, sums: SignedSums, weights: Weights) -> tuple[Reals, Reals]:
    """Fit sums to a series.

    Parameters
    ----------
    tau
        Columns at the settings, the largest of each 1, shape (C, n).
    sums
        H of them, of K terms.
    weights
        Of the series.

    Returns
    -------
    misfit, coefficients
        As from `elimination.fit`, c₀ being zero.
    """
    columns = tau[sums.columns] * weights.inverse
    seen = _times(columns, weights.root)
    aim = weights.target
    misfit, fitted = _solve(sums.places, seen @ seen.T, seen @ aim, float(aim @ aim))
    coefficients = fitted[1:]
    # What each column adds to the measured value where it is largest.
    largest = columns[np.arange(len(columns)), tau[sums.columns].argmax(axis=1)]
    rows = np.arange(len(sums))
    adds = coefficients[sums.leads, rows] * largest[sums.places[rows, sums.leads]]
    misfit[adds < LEADING] = np.inf
    best = np.argpartition(misfit, min(ASSUMED.most_sums, len(misfit) - 1))[
        : ASSUMED.most_sums
    ]
    parts = columns[sums.places[best]]
    possible = _rises(coefficients[:, best], parts, sums.leads[best])
    best, parts = best[possible], parts[possible]
    curves = np.einsum("kh,hkn->hn", coefficients[:, best], parts)
    kept = np.full_like(misfit, np.inf)
    kept[best] = np.where(
        np.isfinite(misfit[best]), weights.misfits(curves, misfit[best]), np.inf
    )
    return kept, fitted


def _rises(coefficients: Reals, columns: Reals, leads: Indices) -> NDArray[np.bool_]:
    """Tell whose leading-order term outweighs what is taken off, everywhere.

    Shapes (K, H), (H, K, n) and (H,).
    """
    taken_off = -np.einsum("kh,hkn->hn", np.minimum(coefficients, 0.0), columns)
    rows = np.arange(len(leads))
    leading = coefficients[leads, rows][:, np.newaxis] * columns[rows, leads]
    return np.asarray((taken_off <= LARGEST_SHARE * leading).all(axis=1))


def _solve(
    members: Indices, squares: Reals, target: Reals, total: float
) -> tuple[Reals, Reals]:
    """Return misfits, shape (H,), and c₀ … c_K, shape (1 + K, H)."""
    terms = members.shape[1]
    columns = members.T
    system: System = {
        (i, j): squares[columns[i], columns[j]]
        for i in range(terms)
        for j in range(i, terms)
    }
    system |= {(k, terms): target[columns[k]] for k in range(terms)}
    system[terms, terms] = np.full(len(members), total)
    _, is_independent = eliminate(system, terms)
    fitted = np.zeros((1 + terms, len(members)))
    fitted[1:] = substitute(system, terms)
    misfit = np.maximum(system[terms, terms], 0.0)
    return np.where(is_independent, misfit, np.inf), fitted
