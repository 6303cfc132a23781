import numpy as np
import pytest
from scipy.optimize import nnls

from scalewatch.modelling import pmnf
from scalewatch.modelling.arrays import Scratch
from scalewatch.modelling.growths.terms import term_table
from scalewatch.modelling.rules.evidence.least_squares import (
    FAINTEST,
    Fit,
    Measured,
    ScaledCurves,
    Sums,
)
from support.generated import P, curve, measured, random_curves

SPACE = pmnf()
TAU = np.delete(term_table(SPACE.growths, {"p": P}).tau, SPACE.constant, axis=0)


RISING = ScaledCurves.rising(TAU, SPACE.constant)
SHARED = ScaledCurves(TAU, RISING.alone, base=np.broadcast_to(P.min() / P, TAU.shape))

both = pytest.mark.parametrize(
    "curves", [RISING, SHARED], ids=["constant", "shared work"]
)


def fitted(curves, y):
    """Fit all curves to values of shape (n, S)."""
    scratch, (n, series) = Scratch((len(curves), y.shape[1])), y.shape
    precision = np.repeat(np.eye(n)[..., np.newaxis], series, axis=2)
    measured = Measured(np.zeros(series), 1 / y, np.ones_like(y), precision, precision)
    with np.errstate(all="ignore"):
        sums = Sums.of(curves, measured, scratch)
        fit = Fit.empty(scratch)
        fit.solve(sums, scratch.reals())
    return fit


def bases(curves):
    """Return u of each curve, shape (H, n)."""
    return np.ones_like(curves.tau) if curves.base is None else curves.base


def columns(curves, growth):
    """Return u and t of a curve, shape (n, 2)."""
    u = bases(curves)[growth]
    return np.stack([u, u * curves.tau[growth]], axis=1)


@both
def test_a_fit_within_the_bounds_is_that_of_least_squares(curves):
    _, times = random_curves(60, seed=2)
    y = bases(curves)[0] * measured(times, 0.1, seed=3).mean(axis=2)

    fit = fitted(curves, y.T)

    inside = ~(fit.is_faint | fit.is_pure)
    assert inside.mean() > 0.3
    for growth, series in np.argwhere(inside):
        design = columns(curves, growth) / y[series, :, np.newaxis]
        solution, residual, *_ = np.linalg.lstsq(design, np.ones(len(P)))
        np.testing.assert_allclose(
            solution,
            [fit.constant[growth, series], fit.slope[growth, series]],
            rtol=1e-6,
        )
        np.testing.assert_allclose(fit.misfit[growth, series], residual[0], atol=1e-9)


@both
def test_a_fit_at_a_bound_is_the_best_that_keeps_it(curves):
    times = measured([curve(g, 3.0) for g in SPACE], 0.3, seed=4).mean(axis=2)
    y = bases(curves)[0] * times

    fit = fitted(curves, y.T)

    # With c₁ = b + FAINTEST·c₀ both bounds are b ≥ 0 and c₀ ≥ 0.
    assert fit.is_faint.any()
    assert fit.is_pure.any()
    for growth, series in np.argwhere(fit.is_faint | fit.is_pure):
        u, t = columns(curves, growth).T
        bounded = np.stack([u + FAINTEST * t, t], axis=1)
        (c0, b), norm = nnls(bounded / y[series, :, np.newaxis], np.ones(len(P)))
        np.testing.assert_allclose(
            [fit.constant[growth, series], fit.slope[growth, series]],
            [c0, b + FAINTEST * c0],
            rtol=1e-6,
            atol=1e-9,
        )
        np.testing.assert_allclose(fit.misfit[growth, series], norm**2, atol=1e-9)
