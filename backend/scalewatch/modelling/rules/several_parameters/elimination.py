"""Relative least squares of many hypotheses at once, by Gaussian elimination.

A hypothesis f = c₀ + Σ cₖ·τₖ is fitted so that Σ ω·(1 - f/y)² is least. With w = 1/y
the normal equations of all hypotheses are made of the moments

    Σ ω w²·τⱼ·τₖ,  Σ ω w²·τₖ,  Σ ω w·τₖ,  Σ ω w²,  Σ ω w,  Σ ω,

which are linear in the weights: one matrix product with the products of columns gives
those of all hypotheses, and the elimination runs over them side by side. The constant
is eliminated last, so that the fit without it comes for free: it replaces a fit whose
constant is negative. A hypothesis whose term comes out negative is one with fewer
terms, and leaves the contest.

Sums of a few terms of either sign have no constant. The normal equations of all of them
are taken from the products of all columns with each other, which are few. A sum leaves
the contest

* where its leading-order term is negative, or makes less than `LEADING` of the sum
  where it is largest: a term that has not overtaken the others there would be a
  forecast and no finding; and
* where negative terms together take off more than `LARGEST_SHARE` of the leading-order
  term at a measured setting: it would turn there.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.rules.evidence.hypotheses import LEADING
from scalewatch.modelling.rules.evidence.model import LARGEST_SHARE
from scalewatch.modelling.rules.several_parameters.assumptions import ASSUMED
from scalewatch.modelling.rules.several_parameters.competitors import SignedSums

System = dict[tuple[int, int], Reals]
"""Upper triangle of normal equations, of all hypotheses: the target is the last."""


@dataclass(frozen=True, slots=True)
class Design:
    """Hypotheses of equally many terms at the measured settings.

    Parameters
    ----------
    members
        Columns of each hypothesis, shape (H, K).
    tau, squares
        All columns and their squares, shape (n, C).
    products
        For each pair of terms of a hypothesis their product, shape (n, H).
    """

    members: Indices
    tau: Reals
    squares: Reals
    products: dict[tuple[int, int], Reals]

    @classmethod
    def of(cls, tau: Reals, members: Indices) -> "Design":
        """Multiply the columns, shape (C, n), that occur together."""
        products = {
            (i, j): (tau[members[:, i]] * tau[members[:, j]]).T
            for i, j in combinations(range(members.shape[1]), 2)
        }
        return cls(members, tau.T, (tau * tau).T, products)


def fit(design: Design, weight: Reals, omega: Reals) -> tuple[Reals, Reals]:
    """Fit all hypotheses to a series.

    Parameters
    ----------
    design
        H hypotheses of K terms.
    weight
        w = 1/y, shape (n,).
    omega
        ω, how much a point counts, shape (n,).

    Returns
    -------
    misfit
        Σ ω·(1 - f/y)², shape (H,); inf for a hypothesis that leaves the contest.
    coefficients
        c₀ … c_K, shape (1 + K, H).
    """
    terms = design.members.shape[1]
    system = _normal_equations(design, weight, omega)
    without_constant, is_possible = eliminate(system, terms + 1)
    constant = system[terms, terms + 1] / system[terms, terms]
    misfit = np.where(constant > 0, system[terms + 1, terms + 1], without_constant)
    constant = np.maximum(constant, 0.0)
    coefficients = np.stack([constant, *substitute(system, terms, constant)])
    is_possible = is_possible & (coefficients[1:] > 0).all(axis=0)
    return np.where(is_possible, np.maximum(misfit, 0.0), np.inf), coefficients


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


def _normal_equations(design: Design, weight: Reals, omega: Reals) -> System:
    """Return the upper triangle: terms, then the constant, then the target."""
    terms = design.members.shape[1]
    target = terms + 1
    first, second = omega * weight, omega * weight**2
    moments = second @ design.tau, first @ design.tau, second @ design.squares
    system = {pair: second @ product for pair, product in design.products.items()}
    for k, column in enumerate(design.members.T):
        system[k, terms] = moments[0].take(column)
        system[k, target] = moments[1].take(column)
        system[k, k] = moments[2].take(column)
    system[terms, terms] = second.sum(keepdims=True)
    system[terms, target] = first.sum(keepdims=True)
    system[target, target] = omega.sum(keepdims=True)
    return system


@dataclass(frozen=True, slots=True)
class Weights:
    """How much the points of a series count.

    Parameters
    ----------
    inverse
        w = 1/y, shape (n,).
    omega
        ω, repetitions of each point relative to the most of one, shape (n,).
    variance
        s₀², relative, of a point with ω = 1.
    freedom
        ν₀.
    """

    inverse: Reals
    omega: Reals
    variance: float
    freedom: float


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
    root = np.sqrt(weights.omega)
    own_tau = tau[sums.columns]
    columns = own_tau * weights.inverse * root
    moments = columns @ columns.T, columns @ root, weights.omega.sum()
    misfit, fitted = _solve(sums.places, *moments)
    coefficients = fitted[1:]
    # What each column adds to the measured value where it is largest.
    largest = weights.inverse[own_tau.argmax(axis=1)]
    rows = np.arange(len(sums))
    seen = coefficients[sums.leads, rows] * largest[sums.places[rows, sums.leads]]
    misfit[seen < LEADING] = np.inf
    best = np.argpartition(misfit, min(ASSUMED.most_sums, len(misfit) - 1))[
        : ASSUMED.most_sums
    ]
    possible = best[
        _rises(coefficients[:, best], columns[sums.places[best]], sums.leads[best])
    ]
    kept = np.full_like(misfit, np.inf)
    kept[possible] = misfit[possible]
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
