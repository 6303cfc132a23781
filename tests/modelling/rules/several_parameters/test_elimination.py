import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import nnls

from scalewatch.modelling.rules.evidence.log_residuals import Kriging
from scalewatch.modelling.rules.several_parameters.elimination import Weights, fit

POINTS = 9
X = np.linspace(1, 2, POINTS)
TAU = np.stack([X**0.5, X, X**2, np.log2(X), np.exp2(X)])
PAIRS = np.array([(i, j) for i in range(5) for j in range(i)])


def weighing(y, omega=None):
    """Return the weights of independent points."""
    root = np.diag(np.sqrt(np.ones(POINTS) if omega is None else omega))
    nothing = np.zeros((0, 1))
    ahead = Kriging(np.zeros((0, POINTS, 1)), nothing, nothing, nothing, nothing)
    return Weights(1 / y, root, None, 1.0, 1.0, 0.0, ahead)


def noisy(y, *, seed=0, spread=0.02):
    """Return y with relative noise."""
    return y * np.random.default_rng(seed).uniform(1 - spread, 1 + spread, POINTS)


def non_negative(y, omega, columns):
    """Fit by non-negative least squares, relative: misfit and coefficients."""
    scale = np.sqrt(omega)
    matrix = np.stack([np.ones(POINTS), *columns], axis=1) * (scale / y)[:, np.newaxis]
    coefficients, norm = nnls(matrix, scale)
    return norm**2, coefficients


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "members", [np.zeros((1, 0), int), np.arange(5)[:, np.newaxis], PAIRS], ids=len
)
def test_fits_are_those_of_non_negative_least_squares(members, seed):
    y = noisy(1 + 0.3 * X + 0.2 * X**2, seed=seed)
    omega = np.random.default_rng(seed).uniform(0.5, 1, POINTS)

    misfit, coefficients = fit(TAU, members, weighing(y, omega))

    assert np.isfinite(misfit).any()
    for h, columns in enumerate(members):
        expected, solution = non_negative(y, omega, TAU[columns])
        if np.isfinite(misfit[h]):
            assert_allclose(misfit[h], expected, rtol=1e-6)
            assert_allclose(coefficients[:, h], solution, rtol=1e-4, atol=1e-9)
        else:
            assert (solution[1:] == 0).any()


def test_a_negative_constant_is_left_out_instead_of_the_hypothesis():
    y = X**2 - 0.5

    misfit, coefficients = fit(TAU, np.array([[2]]), weighing(y))

    assert coefficients[0] == 0
    through_origin = ((X**2 / y).sum()) / ((X**2 / y) ** 2).sum()
    assert_allclose(coefficients[1], through_origin)
    assert_allclose(misfit, ((1 - through_origin * X**2 / y) ** 2).sum())


def test_a_falling_series_leaves_rising_terms_out():
    misfit, _ = fit(TAU, np.array([[1], [2]]), weighing(1 / X))

    assert np.isinf(misfit).all()


def test_columns_that_cannot_be_told_apart_leave_the_contest():
    twice = np.stack([X, 3 * X])

    misfit, _ = fit(twice, np.array([[0, 1]]), weighing(1 + X))

    assert np.isinf(misfit).all()


def test_a_constant_column_is_no_term():
    misfit, _ = fit(np.ones((1, POINTS)), np.array([[0]]), weighing(X))

    assert np.isinf(misfit).all()


def test_points_of_no_weight_do_not_count():
    y = noisy(1 + X)
    wrong = y.copy()
    wrong[3] = 1e6
    omega = (np.arange(POINTS) != 3).astype(float)

    found = fit(TAU, PAIRS, weighing(wrong, omega))[0]

    assert_allclose(found, fit(TAU, PAIRS, weighing(y, omega))[0])
