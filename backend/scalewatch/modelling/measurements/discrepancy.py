"""How far what a code does departs from every growth: its exponent wanders.

Between settings and beyond them the exponent d log y / d log x of a real code changes:
caches, protocols, nodes and networks set in, and no growth says how. So a curve is a
growth times e^D, where the exponent of D is a random walk over log x and D itself takes
one besides. With a ≤ b logarithms over the first setting,

    cov(D(a), D(b)) = bend² (a³/3 + a² (b - a)/2) + drift² a.

Of several parameters D is the sum of such walks, one over each of them. To each
measurement comes a `scatter` that no repetition of its job shows. Locations of
variance v and weights ω have the covariance

    C = v diag(1/ω) + K,   K = scatter² 1 + cov(D),

and P = (v + scatter²) C⁻¹ is their precision. With the eigenvalues λ and the
eigenvectors U of ω^½ K ω^½, which are the same for all series of these weights,

    C⁻¹ = ω^½ U diag(1/(v + λ)) Uᵀ ω^½.

Bend, drift and scatter come from measured curves of many codes, and a series has them
times one of a few sizes; what is likelier, the marginal likelihood decides, of which

    Γ((ν₀ + n - 1)/2) / Γ(ν₀/2) · (ν₀ s²)^(-(n-1)/2) · |P|^(1/2) / (Σ P)^(1/2),

s² = v + scatter², is the factor that all curves share. That there is no discrepancy
at all, only repetitions can tell.

Beyond the last setting D goes on from what residuals tell about it there, by at least
the innovation of the size `Noise.future`: that nothing departed before tells little
about what will.

References
----------
G. Wahba, "Improper priors, spline smoothing and the problem of guarding against model
errors in regression", Journal of the Royal Statistical Society B 40, 1978.
M. C. Kennedy and A. O'Hagan, "Bayesian calibration of computer models", ibid. 63, 2001.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import gammaln

from scalewatch.modelling.arrays import Indices, Reals, combine, total
from scalewatch.modelling.measurements.assumptions import ASSUMED, Noise
from scalewatch.modelling.measurements.location import MEASURED, Location


def covariance(before: Reals, after: Reals, size: float) -> Reals:
    """Return that of D at logarithms over the first setting.

    Below the first setting D walks the other way, and has nothing in common with what
    it does above.

    Parameters
    ----------
    before, after
        Shapes (A,) and (B,), or with the parameters in front of several.
    size
        Of D.

    Returns
    -------
    array
        Shape (A, B).
    """
    row = np.atleast_2d(before)[..., np.newaxis]
    column = np.atleast_2d(after)[:, np.newaxis]
    low = np.minimum(abs(row), abs(column))
    high = np.maximum(abs(row), abs(column))
    walk = ASSUMED.bend**2 * (low**3 / 3 + low**2 * (high - low) / 2)
    walk = size**2 * (walk + ASSUMED.drift**2 * low)
    return np.asarray(np.where(row * column > 0, walk, 0.0).sum(axis=0))


def innovation(beyond: Reals, size: float) -> Reals:
    """Return the variance that comes to D, and a scatter, behind the last setting.

    Parameters
    ----------
    beyond
        Logarithms over that setting, shape (T,), or with the parameters in front.
    """
    h = np.maximum(np.atleast_2d(beyond), 0)
    walk = (ASSUMED.bend**2 * h**3 / 3 + ASSUMED.drift**2 * h).sum(axis=0)
    return np.asarray(size**2 * (walk + ASSUMED.scatter**2))


@dataclass(frozen=True, slots=True)
class Departing(Location):
    """Locations under one size of the discrepancy.

    Parameters
    ----------
    precision
        P in units of `variance`, shape (n, n, S).
    root
        L of P - P11ᵀP/ΣP = LLᵀ, in which levels have no part, shape (n, n - 1, S).
    size
        Of the discrepancy.
    log_share
        Logarithm of the prior of this size times what all curves share of its
        likelihood, shape (S,).
    """

    precision: Reals
    root: Reals
    size: float
    log_share: Reals


def sizes(
    location: Location, settings: Mapping[str, Reals], noise: Noise
) -> list[Departing]:
    """Return locations under each size of the discrepancy.

    Where a setting is not positive there is none.
    """
    at = logarithms_over(settings, settings)
    return [independent(location)] if at is None else [*_sizes(location, at, noise)]


def independent(location: Location) -> Departing:
    """Return locations of curves that do not depart from growths."""
    return with_discrepancy(location, np.zeros((1, len(location.log))), 0.0)


def logarithms_over(
    settings: Mapping[str, Reals], targets: Mapping[str, Reals]
) -> Reals | None:
    """Return those of targets over the first setting, shape (parameters, T).

    None where a setting or a target is not positive.
    """
    rows = []
    for name, x in settings.items():
        if min(x.min(), targets[name].min(initial=np.inf)) <= 0:
            return None
        rows.append(np.log(targets[name] / x.min()))
    return np.stack(rows)


def _sizes(location: Location, at: Reals, noise: Noise) -> Iterator[Departing]:
    is_told = location.repeated_freedom >= MEASURED
    is_told |= np.ptp(location.log, axis=0) == 0  # without any change nothing departs
    for size, share in zip(ASSUMED.sizes, noise.sizes, strict=True):
        if share and (size or is_told.any()):
            departing = with_discrepancy(location, at, size)
            log = np.log(share) + departing.log_share
            yield replace(
                departing, log_share=np.where(is_told | (size > 0), log, -np.inf)
            )


def with_discrepancy(location: Location, at: Reals, size: float) -> Departing:
    """Return locations whose curves depart from growths.

    Parameters
    ----------
    at
        Logarithms of the settings over the first one, shape (n,), or with the
        parameters in front of several.
    size
        Of the discrepancy.
    """
    points = np.count_nonzero(location.weight, axis=0)
    unit = location.variance + (size * ASSUMED.scatter) ** 2
    steps = [np.diff(np.unique(each)) for each in np.atleast_2d(at)]
    step = innovation(np.concatenate(steps), size).mean() if size else 0.0
    # Degrees of freedom of a sum of variances (Satterthwaite).
    freedom = (location.variance + step) ** 2 / (
        location.variance**2 / location.freedom + step**2 / ASSUMED.freedom
    )
    precision, log_determinant = _precision(location, at, size, unit)
    log_share = gammaln((freedom + points - 1) / 2) - gammaln(freedom / 2)
    log_share -= (points - 1) / 2 * np.log(freedom * unit)
    return Departing(
        log=location.log,
        weight=location.weight,
        variance=unit,
        freedom=freedom,
        repeated_freedom=location.repeated_freedom,
        level_variance=location.level_variance,
        precision=precision,
        root=_root(precision),
        size=size,
        log_share=log_share + log_determinant / 2,
    )


def _precision(
    location: Location, at: Reals, size: float, unit: Reals
) -> tuple[Reals, Reals]:
    """Return P, shape (n, n, S), and log |P| - log Σ P but for one of the weights."""
    n, series = location.weight.shape
    shared = covariance(at, at, size) + (size * ASSUMED.scatter) ** 2 * np.eye(n)
    precision = np.empty((n, n, series))
    log_determinant = np.empty(series)
    for rows in _alike(location.weight):
        root = np.sqrt(location.weight[:, rows[0]])
        values, vectors = np.linalg.eigh(shared * root[:, np.newaxis] * root)
        whole = np.maximum(values, 0)[:, np.newaxis] + location.variance[rows]
        whole /= unit[rows]
        sides = root[:, np.newaxis] * vectors
        products = (sides[:, np.newaxis] * sides[np.newaxis]).reshape(n * n, n)
        part = combine(products, 1 / whole, out=np.empty((n * n, len(rows))))
        precision[..., rows] = part.reshape(n, n, -1)
        # A point that is missing has the eigenvalue 0, and no place in the likelihood.
        missing = np.count_nonzero(root == 0)
        log_determinant[rows] = missing * np.log(location.variance[rows] / unit[rows])
        log_determinant[rows] -= total(np.log(whole))
    log_determinant -= np.log(total(total(precision)))
    return precision, log_determinant


def _root(precision: Reals) -> Reals:
    """Return L of P - P11ᵀP/ΣP = LLᵀ by Cholesky's method, shape (n, n - 1, S).

    The rows of the matrix add up to 0, so that n - 1 columns are enough.
    """
    weight = total(precision)
    left = precision - weight[:, np.newaxis] * (weight / total(weight))
    root: Reals = np.zeros_like(left[:, 1:])
    for k in range(len(left) - 1):
        pivot = left[k, k]
        is_known = (
            pivot > ASSUMED.least_pivot
        )  # a point that is missing has no precision
        scale = np.divide(1, np.sqrt(pivot), out=np.zeros_like(pivot), where=is_known)
        column = np.multiply(left[k:, k], scale, out=root[k:, k])[1:]
        left[k + 1 :, k + 1 :] -= column[:, np.newaxis] * column
    return root


def _alike(weight: Reals) -> list[Indices]:
    """Return series that have the same weights."""
    if (weight == weight[:, :1]).all():
        return [np.arange(weight.shape[1])]
    _, which = np.unique(weight, axis=1, return_inverse=True)
    return [np.flatnonzero(which.reshape(-1) == k) for k in range(which.max() + 1)]
