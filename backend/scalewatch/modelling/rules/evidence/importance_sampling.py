"""Forecasts of curves with two unknowns, by importance sampling.

The best of all growths in a space may still be wrong, and an interval that ignores it
is far too narrow beyond the measurements: it covers 19 to 47 % instead of 90 % where
the truth is 1 + a·log p + b·p^i. So forecasts also weigh

* a power with a free exponent, 1 + e^u·(p/p_max)^v, and
* a logarithm beside a power, 1 + e^u·log p + e^v·p^i for a few i.

Half of the points are spread evenly over the box of the unknowns, half normally about
the best fit, with 1.5 times its standard deviations. A point counts by the density of
the prior over that of the points, so that sharp and flat likelihoods are integrated
alike. The points are the low-discrepancy sequence k·(1/g, 1/g²), g³ = g + 1.

References
----------
A. Owen and Y. Zhou, "Safe and effective importance sampling", Journal of the American
Statistical Association 95, 2000.
M. Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import Any, Final

import numpy as np

from scalewatch.modelling.arrays import Reals, total
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.rules.evidence.laplace import LOWEST, highest
from scalewatch.modelling.rules.evidence.log_residuals import Centred
from scalewatch.modelling.rules.evidence.mixture import Mixture
from scalewatch.modelling.rules.evidence.quadrature import TargetTable

POINTS = 64
"""Points spread evenly, and as many about the best fit."""

GRID = 7
"""Starting values of each unknown."""

ROUNDS = 6
LONGEST_STEP = 1.0
INFLATION = 1.5
DAMPING, LEAST_DAMPING = 0.02, 1e-6
LEAST_PRECISION = 1e-12
NOTHING = 1e-300
"""Weight of a point outside of the box."""

ABSENT = -60.0
"""Logarithm of the coefficient of no term."""

PLASTIC = 1.324717957244746
"""g."""


@dataclass(frozen=True, slots=True)
class TwoTermCurves:
    """F kinds of curves with two unknowns u and v each.

    Parameters
    ----------
    low, high
        Bounds of u and v, between which the prior is uniform, shape (2, F, 1).
    curves
        log g at the settings, shape (n, …, F, S), for unknowns of shape (…, F, S).
    slopes
        Its derivatives by u and v.
    targets
        log g at the targets, shape (T, …, F, S).
    has_terms
        Whether u and v are the logarithms of the coefficients of two terms.
    """

    low: Reals
    high: Reals
    curves: Callable[[Reals, Reals], Reals]
    slopes: Callable[[Reals, Reals], tuple[Reals, Reals]]
    targets: Callable[[Reals, Reals], Reals]
    has_terms: bool = False


def sample(centred: Centred, family: TwoTermCurves) -> Mixture:
    """Return the mixture of all curves of a family."""
    size = family.high - family.low
    even, bell = _points()
    normal = _Normal.about(_best(centred, family), centred, size)
    shape = (POINTS, size.shape[1], len(centred.level))
    u, v = (
        np.concatenate([near, np.broadcast_to(low + far * length, shape)])
        for near, low, far, length in zip(
            normal.place(bell), family.low, even, size, strict=True
        )
    )
    area = size[0] * size[1]
    density = normal.density(u, v) / 2 + 1 / (2 * area)
    is_inside = (u >= family.low[0]) & (u <= family.high[0])
    is_inside &= (v >= family.low[1]) & (v <= family.high[1])
    share = 1 / (len(area) * len(u))
    weight = np.where(is_inside, share / (area * density), NOTHING)
    u = np.clip(u, family.low[0], family.high[0])
    v = np.clip(v, family.low[1], family.high[1])
    curves = family.curves(u, v)
    targets = family.targets(u, v)
    if family.has_terms:
        targets = _held(centred, family, (u, v), curves, targets)
    return centred.mixture(curves, targets, np.log(weight))


def _held(
    centred: Centred,
    family: TwoTermCurves,
    unknowns: tuple[Reals, Reals],
    curves: Reals,
    targets: Reals,
) -> Reals:
    """Hold each term that is not seen at its value at the last setting."""
    _, energy = centred.phi(centred.misfit(curves, centred.mean(curves)))
    u, v = unknowns
    nothing = np.full_like(u, ABSENT)
    for without in ((nothing, v), (u, nothing)):
        change = curves - family.curves(*without)
        held = np.minimum(targets, family.targets(*without) + change[-1])
        targets = np.where(centred.is_seen(change, energy), targets, held)
    return targets


@lru_cache
def _points() -> tuple[Reals, Reals]:
    """Return points in the unit square and normal ones, shape (2, POINTS, 1, 1)."""
    steps = np.array([[1 / PLASTIC], [1 / PLASTIC**2]])
    points = (0.5 + np.arange(1, 2 * POINTS + 1) * steps) % 1
    even, odd = points[:, :POINTS], points[:, POINTS:]
    bell = np.vectorize(NormalDist().inv_cdf)(odd)
    return even[..., np.newaxis, np.newaxis], bell[..., np.newaxis, np.newaxis]


@dataclass(frozen=True, slots=True)
class _Local:
    """A curve of each kind and series, and how the misfit changes about it.

    Parameters
    ----------
    u, v, misfit
        Shape (F, S).
    uu, uv, vv
        Half of the second derivatives of the misfit.
    to_u, to_v
        Half of the first ones, falling.
    """

    u: Reals
    v: Reals
    misfit: Reals
    uu: Reals
    uv: Reals
    vv: Reals
    to_u: Reals
    to_v: Reals

    @classmethod
    def at(
        cls, u: Reals, v: Reals, centred: Centred, family: TwoTermCurves
    ) -> "_Local":
        curve = family.curves(u, v)
        by_u, by_v = family.slopes(u, v)
        weight, logs = centred.weight[:, np.newaxis], centred.logs[:, np.newaxis]
        residual = logs - (curve - centred.mean(curve))
        by_u = by_u - centred.mean(by_u)
        by_v = by_v - centred.mean(by_v)
        return cls(
            u=u,
            v=v,
            misfit=total(weight * residual**2),
            uu=total(weight * by_u**2),
            uv=total(weight * by_u * by_v),
            vv=total(weight * by_v**2),
            to_u=total(weight * by_u * residual),
            to_v=total(weight * by_v * residual),
        )

    def step(self, family: TwoTermCurves, damping: Reals) -> tuple[Reals, Reals]:
        """Return the next point of a damped Gauss-Newton iteration."""
        uu, vv = self.uu + damping, self.vv + damping
        determinant = uu * vv - self.uv**2
        du = (vv * self.to_u - self.uv * self.to_v) / determinant
        dv = (uu * self.to_v - self.uv * self.to_u) / determinant
        u = self.u + np.clip(du, -LONGEST_STEP, LONGEST_STEP)
        v = self.v + np.clip(dv, -LONGEST_STEP, LONGEST_STEP)
        return (
            np.clip(u, family.low[0], family.high[0]),
            np.clip(v, family.low[1], family.high[1]),
        )


def _best(centred: Centred, family: TwoTermCurves) -> _Local:
    """Return the best fit within the box, or close to it."""
    fractions = np.linspace(0, 1, GRID)
    grid = np.stack(np.meshgrid(fractions, fractions)).reshape(2, -1, 1, 1)
    u, v = family.low[:, np.newaxis] + grid * (family.high - family.low)[:, np.newaxis]
    series = np.ones(len(centred.level))
    curves = family.curves(u * series, v * series)
    nearest = centred.misfit(curves, centred.mean(curves)).argmin(axis=0)
    kinds = np.arange(len(nearest))[:, np.newaxis]
    local = _Local.at(u[nearest, kinds, 0], v[nearest, kinds, 0], centred, family)
    for _ in range(ROUNDS):
        damping = DAMPING * local.misfit / centred.mass + LEAST_DAMPING
        local = _Local.at(*local.step(family, damping), centred, family)
    return local


@dataclass(frozen=True, slots=True)
class _Normal:
    """Normal density about the best fit; l is the root of its precision."""

    u: Reals
    v: Reals
    l11: Reals
    l21: Reals
    l22: Reals

    @classmethod
    def about(cls, best: _Local, centred: Centred, size: Reals) -> "_Normal":
        _, energy = centred.phi(best.misfit)
        variance = energy / centred.likelihood.freedom
        uu = (best.uu / variance + 4 / size[0] ** 2) / INFLATION**2
        uv = best.uv / variance / INFLATION**2
        vv = (best.vv / variance + 4 / size[1] ** 2) / INFLATION**2
        l11 = np.sqrt(uu)
        l21 = uv / l11
        l22 = np.sqrt(np.maximum(vv - l21**2, LEAST_PRECISION))
        return cls(best.u, best.v, l11, l21, l22)

    def place(self, z: Reals) -> tuple[Reals, Reals]:
        """Return u and v of standard normal points, shape (points, F, S)."""
        by_v = z[1] / self.l22
        return self.u + (z[0] - self.l21 * by_v) / self.l11, self.v + by_v

    def density(self, u: Reals, v: Reals) -> Reals:
        """Return the density at points of shape (…, S)."""
        z1 = self.l11 * (u - self.u) + self.l21 * (v - self.v)
        z2 = self.l22 * (v - self.v)
        density: Reals = (
            self.l11 * self.l22 / (2 * np.pi) * np.exp(-(z1**2 + z2**2) / 2)
        )
        return density


POWERS: Final = tuple(
    Fraction(i) for i in ("-1", "1/4", "1/2", "3/4", "1", "3/2", "2", "3")
)
"""i of the powers that go with a logarithm; -1 is work that is shared."""

VANISHING: Final = 6.0
"""How far beyond U both unknowns go where work is shared: a/p + b·log p has no constant
at all, and one that cannot become small makes intervals miss it."""

EXPONENTS: Final = (0.05, 3.2)
"""Bounds of the free exponent v."""


def free_power(x: Reals, targets: Reals) -> TwoTermCurves:
    """Return 1 + e^u·(x/max x)^v.

    Parameters
    ----------
    x, targets
        Positive settings and targets of one parameter, shapes (n,) and (T,).
    """
    at, beyond = np.log(x / x.max()), np.log(targets / x.max())
    middle = np.exp(at.min() * np.mean(EXPONENTS))
    top = float(highest(np.array([[middle]]))[0, 0])

    def curves(u: Reals, v: Reals) -> Reals:
        curve: Reals = np.log(1 + np.exp(u + v * _spread(at, u)))
        return curve

    def slopes(u: Reals, v: Reals) -> tuple[Reals, Reals]:
        place = _spread(at, u)
        share = 1 / (1 + np.exp(-u - v * place))
        return share, share * place

    return TwoTermCurves(
        low=np.array([LOWEST, EXPONENTS[0]]).reshape(2, 1, 1),
        high=np.array([top, EXPONENTS[1]]).reshape(2, 1, 1),
        curves=curves,
        slopes=slopes,
        targets=lambda u, v: np.logaddexp(0, u + v * _spread(beyond, u)),
    )


def two_terms(logarithm: TargetTable, powers: TargetTable) -> TwoTermCurves:
    """Return 1 + e^u·log x + e^v·x^i for each of the powers.

    Parameters
    ----------
    logarithm
        One growth.
    powers
        Several.
    """
    top = np.stack(
        [
            np.broadcast_to(highest(each.tau), (len(powers.tau), 1))
            for each in (logarithm, powers)
        ]
    )
    is_shared = powers.tau[:, :1] > powers.tau[:, -1:]
    top += np.where(is_shared, VANISHING, 0.0)
    first, second = logarithm.tau.T, powers.tau.T
    first_target, second_target = logarithm.target_tau.T, powers.target_tau.T

    def curves(u: Reals, v: Reals) -> Reals:
        # What only adds need not be precise; single precision saves half the time.
        both: Any = np.exp(u.astype(np.float32)) * _spread(first, u).astype(np.float32)
        both += np.exp(v.astype(np.float32)) * _spread(second, v).astype(np.float32)
        both += 1
        curve: Reals = np.log(both, out=both)
        return curve

    def slopes(u: Reals, v: Reals) -> tuple[Reals, Reals]:
        by_u, by_v = np.exp(u) * _spread(first, u), np.exp(v) * _spread(second, v)
        whole = 1 + by_u + by_v
        return by_u / whole, by_v / whole

    def targets(u: Reals, v: Reals) -> Reals:
        by_u = np.exp(u) * _spread(first_target, u)
        return np.log(1 + by_u + np.exp(v) * _spread(second_target, v))

    return TwoTermCurves(
        low=np.full_like(top, LOWEST),
        high=top,
        curves=curves,
        slopes=slopes,
        targets=targets,
        has_terms=True,
    )


def partners(parameter: str) -> tuple[Growth, tuple[Growth, ...]]:
    """Return the logarithm and the powers that go with it."""
    logarithm = Growth.of(parameter, log=1)
    return logarithm, tuple(Growth.of(parameter, power=power) for power in POWERS)


def _spread(columns: Reals, unknown: Reals) -> Reals:
    """Shape columns, (n,) or (n, F), so that they go with unknowns (…, F, S)."""
    kinds = columns.reshape(len(columns), -1)
    inner = (1,) * (np.ndim(unknown) - 2)
    return kinds.reshape((len(columns), *inner, kinds.shape[1], 1))
