"""Curves that no single growth of a space describes, for intervals only.

The best of all growths in a space may still be wrong, and an interval that ignores it
is far too narrow beyond the measurements: it covers 19 to 47 % instead of 90 % where
the truth is 1 + a·log p + b·p^i. So forecasts also weigh

* a power with a free exponent, 1 + e^u·(p/p_max)^v, and
* a logarithm beside a power, 1 + e^u·log p + e^v·p^i for a few i.
"""

from fractions import Fraction
from typing import Any, Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.rules.evidence.importance_sampling import TwoTermCurves
from scalewatch.modelling.rules.evidence.laplace import LOWEST, highest
from scalewatch.modelling.rules.evidence.quadrature import TargetTable

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
        one, other = np.exp(u) * _spread(first, u), np.exp(v) * _spread(second, v)
        whole = 1 + one + other
        return one / whole, other / whole

    def targets(u: Reals, v: Reals) -> Reals:
        one = np.exp(u) * _spread(first_target, u)
        return np.log(1 + one + np.exp(v) * _spread(second_target, v))

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
