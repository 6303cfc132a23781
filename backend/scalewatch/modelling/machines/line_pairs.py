"""Two straight lines compared: their coefficients, and where they cross.

Their scatter need not be the same (Welch); the crossing is a ratio of two estimates,
whose interval is Fieller's.

References
----------
B. L. Welch, "The Generalization of 'Student's' Problem when Several Different
Population Variances are Involved", Biometrika 34, 1947. E. C. Fieller, "Some Problems
in Interval Estimation", Journal of the Royal Statistical Society B 16, 1954.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import fdtrc, stdtr, stdtrit

from scalewatch.modelling.machines.lines import Estimate, Line, estimate


@dataclass(frozen=True, slots=True)
class CoefficientDifference:
    """A difference of two coefficients.

    Parameters
    ----------
    estimate
        First less second.
    p_value
        Probability of a larger difference by chance; NaN where two points leave no
        scatter to tell it from.
    """

    estimate: Estimate
    p_value: float


def coefficient_differences(
    one: Line, other: Line, level: float
) -> tuple[CoefficientDifference, CoefficientDifference]:
    """Return those of intercepts and slopes; their scatter need not be the same."""
    values = (one.intercept - other.intercept, one.slope - other.slope)
    found = [
        _difference(
            value, one.covariance[i, i], other.covariance[i, i], (one, other), level
        )
        for i, value in enumerate(values)
    ]
    return found[0], found[1]


def equality(one: Line, other: Line) -> float:
    """Return the probability of lines so far apart by chance; NaN where nothing tells.

    Both coefficients are compared at once: lines that differ by a level only may
    differ in neither of them by itself.
    """
    difference = np.array([one.intercept - other.intercept, one.slope - other.slope])
    if not difference.any():
        return 1.0
    covariance = one.covariance + other.covariance
    freedom = _welch(one.covariance[1, 1], other.covariance[1, 1], one, other)
    if np.isnan(freedom):
        return 0.0 if not covariance.any() else np.nan
    # In units of their errors: a slope over a billion cells is tiny, yet not nothing.
    errors = np.sqrt(np.diag(covariance))
    apart, correlation = difference / errors, covariance / np.outer(errors, errors)
    distance = float(apart @ np.linalg.pinv(correlation) @ apart)
    return float(fdtrc(difference.size, freedom, distance / difference.size))


def crossing_of(one: Line, other: Line, level: float) -> Estimate | None:
    """Return the positive size at which two lines cross, None if they do not."""
    a, b = one.intercept - other.intercept, one.slope - other.slope
    if b == 0 or -a / b <= 0:
        return None
    covariance = one.covariance + other.covariance
    freedom = _welch(one.covariance[1, 1], other.covariance[1, 1], one, other)
    if np.isnan(freedom):
        return Estimate(-a / b)
    t2 = float(stdtrit(freedom, (1 + level) / 2)) ** 2
    # The sizes k at which (a + b·k)² ≤ t² var(a + b·k).
    square = b**2 - t2 * covariance[1, 1]
    linear = a * b - t2 * covariance[0, 1]
    constant = a**2 - t2 * covariance[0, 0]
    root = linear**2 - square * constant
    if square <= 0 or root < 0:
        return Estimate(-a / b)
    bounds = (-linear + np.array([-1, 1]) * np.sqrt(root)) / square
    return Estimate(-a / b, max(float(bounds[0]), 0.0), float(bounds[1]))


def _difference(
    value: float,
    variance: float,
    other_variance: float,
    lines: tuple[Line, Line],
    level: float,
) -> CoefficientDifference:
    error = float(np.sqrt(variance + other_variance))
    freedom = _welch(variance, other_variance, *lines)
    if not np.isfinite(error):
        return CoefficientDifference(Estimate(value), np.nan)
    if error == 0:
        return CoefficientDifference(
            Estimate(value, value, value), 1.0 if value == 0 else 0.0
        )
    p = 2 * float(stdtr(freedom, -abs(value) / error))
    return CoefficientDifference(estimate(value, error, freedom, level), p)


def _welch(variance: float, other_variance: float, one: Line, other: Line) -> float:
    """Return the degrees of freedom of a sum of variances (Welch, Satterthwaite)."""
    total = variance + other_variance
    if not (np.isfinite(total) and total > 0):
        return np.nan
    shares = (variance / total) ** 2 / one.freedom
    return float(1 / (shares + (other_variance / total) ** 2 / other.freedom))
