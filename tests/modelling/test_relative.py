import numpy as np
from scipy.optimize import nnls

from generated import P, curve, measured, random_curves
from scalewatch.modelling import pmnf
from scalewatch.modelling.relative import FAINTEST, Fit, Sums
from scalewatch.modelling.rules.terms import term_table
from scalewatch.modelling.scratch import Scratch

SPACE = pmnf()
TAU = np.delete(term_table(SPACE.growths, {"p": P}).tau, SPACE.constant, axis=0)


def fitted(y):
    """Fit all terms to values of shape (n, S)."""
    scratch = Scratch((len(TAU), y.shape[1]))
    with np.errstate(all="ignore"):
        return Fit.of(Sums.of(TAU, 1 / y, np.ones_like(y), scratch), scratch)


def test_a_fit_within_the_bounds_is_that_of_least_squares():
    _, curves = random_curves(60, seed=2)
    y = measured(curves, 0.1, seed=3).mean(axis=2).T

    fit = fitted(y)

    inside = ~(fit.is_faint | fit.is_pure)
    assert inside.mean() > 0.3
    for growth, series in np.argwhere(inside):
        design = np.stack([np.ones(len(P)), TAU[growth]], axis=1) / y[:, [series]]
        solution, residual, *_ = np.linalg.lstsq(design, np.ones(len(P)))
        np.testing.assert_allclose(
            solution,
            [fit.constant[growth, series], fit.slope[growth, series]],
            rtol=1e-6,
        )
        np.testing.assert_allclose(fit.misfit[growth, series], residual[0], atol=1e-9)


def test_a_fit_at_a_bound_is_the_best_that_keeps_it():
    y = measured([curve(g, 3.0) for g in SPACE], 0.3, seed=4).mean(axis=2).T

    fit = fitted(y)

    # With c₁ = b + FAINTEST·c₀ both bounds are b ≥ 0 and c₀ ≥ 0.
    assert fit.is_faint.any()
    assert fit.is_pure.any()
    for growth, series in np.argwhere(fit.is_faint | fit.is_pure):
        columns = np.stack([1 + FAINTEST * TAU[growth], TAU[growth]], axis=1)
        (c0, b), norm = nnls(columns / y[:, [series]], np.ones(len(P)))
        np.testing.assert_allclose(
            [fit.constant[growth, series], fit.slope[growth, series]],
            [c0, b + FAINTEST * c0],
            rtol=1e-6,
            atol=1e-9,
        )
        np.testing.assert_allclose(fit.misfit[growth, series], norm**2, atol=1e-9)
