"""Relative least squares of sums of a few terms of either sign, without a constant.

The normal equations of all of them are taken from the products of all columns with each
other, which are few. A sum leaves the contest

* where its leading-order term is negative, or makes less than `LEADING` of the sum
  where it is largest: what has not overtaken the others there would be promised rather
  than seen; and
* where negative terms together take off more than `LARGEST_SHARE` of the leading-order
  term at a measured setting: it would turn there.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.rules.evidence.hypotheses import LEADING
from scalewatch.modelling.rules.evidence.model import LARGEST_SHARE
from scalewatch.modelling.rules.several_parameters.competitors import SignedSums
from scalewatch.modelling.rules.several_parameters.elimination import (
    System,
    eliminate,
    substitute,
)
from scalewatch.modelling.rules.several_parameters.weights import Weights

MOST: Final = 2000
"""Sums of equally many terms that stay in the contest, those of least misfit."""


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
    each = np.arange(len(sums))
    seen = coefficients[sums.leads, each] * largest[sums.places[each, sums.leads]]
    misfit[seen < LEADING] = np.inf
    best = np.argpartition(misfit, min(MOST, len(misfit) - 1))[:MOST]
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
    each = np.arange(len(leads))
    leading = coefficients[leads, each][:, np.newaxis] * columns[each, leads]
    return np.asarray((taken_off <= LARGEST_SHARE * leading).all(axis=1))


def _solve(
    members: Indices, squares: Reals, target: Reals, total: float
) -> tuple[Reals, Reals]:
    """Return misfits, shape (H,), and c₀ … c_K, shape (1 + K, H)."""
    terms = members.shape[1]
    each = members.T
    system: System = {
        (i, j): squares[each[i], each[j]] for i in range(terms) for j in range(i, terms)
    }
    system |= {(k, terms): target[each[k]] for k in range(terms)}
    system[terms, terms] = np.full(len(members), total)
    _, is_independent = eliminate(system, terms)
    fitted = np.zeros((1 + terms, len(members)))
    fitted[1:] = substitute(system, terms)
    misfit = np.maximum(system[terms, terms], 0.0)
    return np.where(is_independent, misfit, np.inf), fitted
