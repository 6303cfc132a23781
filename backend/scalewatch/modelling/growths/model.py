"""Performance models: a constant and terms, f(p) = c₀ + Σ cₖ · gₖ(p).

This is the performance model normal form of the reference, equation (1), with
2^(kp) as a further class of terms.

References
----------
F. Wolf et al., "Catwalk: A Quick Development Path for Performance Models",
Euro-Par 2014 workshops.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike

from scalewatch.modelling.arrays.types import Reals
from scalewatch.modelling.growths.growth import (
    CONSTANT,
    Growth,
    binary_logarithm,
    power_of_two,
)

ADDABLE_LOG2 = 1000.0
"""Parts up to 2 to this power can be added without overflow."""


@dataclass(frozen=True, slots=True)
class Term:
    """A growth with its coefficient, in the unit of the metric."""

    coefficient: float
    growth: Growth


@dataclass(frozen=True, slots=True)
class Model:
    """The selected performance model of a series.

    Parameters
    ----------
    constant
        c₀, in the unit of the metric.
    terms
        The others, none of constant growth.
    """

    constant: float
    terms: tuple[Term, ...] = ()

    @property
    def growth(self) -> Growth:
        """Leading-order term without its coefficient (section 2.4 of the paper)."""
        growths = [term.growth for term in self.terms if term.coefficient]
        if self.constant or not growths:
            growths.append(CONSTANT)
        return max(growths)

    def growth_in(self, parameter: str) -> Growth:
        """Return how it grows by one parameter while the others are held."""
        factors = [
            term.growth.factor(parameter) for term in self.terms if term.coefficient
        ]
        return max((Growth((factor,)) for factor in factors), default=CONSTANT)

    @property
    def leading_coefficient(self) -> float:
        """Coefficient of the leading-order term."""
        growth = self.growth
        terms = (Term(self.constant, CONSTANT), *self.terms)
        return sum(term.coefficient for term in terms if term.growth == growth)

    @property
    def formula(self) -> str:
        """The model as text, such as `1.2e-06 + 3.4e-07 * p^(1/2)`."""
        text = f"{self.constant:.6g}" if self.constant or not self.terms else ""
        for term in self.terms:
            sign = "-" if term.coefficient < 0 else "+"
            text += f" {sign} {abs(term.coefficient):.6g}{_attached(term.growth)}"
        return text.removeprefix(" + ").replace(" - ", "-", text.startswith(" - "))

    def __call__(
        self, settings: Mapping[str, ArrayLike] | None = None, /, **named: ArrayLike
    ) -> Reals:
        """Predict the metric, `model(p=[2, 4])`; inf where it exceeds all numbers.

        Raises
        ------
        MissingParameter, OutsideDomain
            As `Growth.log2`.
        """
        given = {**(settings or {}), **named}
        terms = [term for term in self.terms if term.coefficient]
        sizes = [
            term.growth.log2(given) + math.log2(abs(term.coefficient)) for term in terms
        ]
        signs = [math.copysign(1.0, term.coefficient) for term in terms]
        if any((size > ADDABLE_LOG2).any() for size in sizes):
            return self._sum_of_huge(signs, sizes)
        parts = (
            sign * power_of_two(size) for sign, size in zip(signs, sizes, strict=True)
        )
        return reduce(np.add, parts, np.asarray(self.constant, dtype=np.float64))

    def _sum_of_huge(self, signs: list[float], sizes: list[Reals]) -> Reals:
        """Factor out the largest part: inf - inf would be no number."""
        constant = binary_logarithm(np.asarray(abs(self.constant)))
        every = np.stack(np.broadcast_arrays(constant, *sizes))
        largest = np.maximum(every.max(axis=0), 0.0)
        weights = np.array([math.copysign(1.0, self.constant), *signs])
        share = np.tensordot(weights, np.exp2(every - largest), axes=1)
        magnitude = power_of_two(largest + binary_logarithm(np.abs(share)))
        return np.asarray(np.where(share < 0, -magnitude, magnitude))

    def __add__(self, other: "Model") -> "Model":
        coefficients: dict[Growth, float] = {}
        for term in (*self.terms, *other.terms):
            known = coefficients.get(term.growth, 0.0)
            coefficients[term.growth] = known + term.coefficient
        return Model(
            self.constant + other.constant,
            tuple(
                Term(coefficients[growth], growth) for growth in sorted(coefficients)
            ),
        )

    def __sub__(self, other: "Model") -> "Model":
        return self + other * -1.0

    def __mul__(self, factor: float) -> "Model":
        return Model(
            self.constant * factor,
            tuple(Term(term.coefficient * factor, term.growth) for term in self.terms),
        )

    __rmul__ = __mul__


def total(models: tuple[Model, ...]) -> Model:
    """Return the sum of models, that of a region made of parts."""
    return reduce(Model.__add__, models, Model(0.0))


def _attached(growth: Growth) -> str:
    """Write ` * p` or ` / p` after a coefficient."""
    text = str(growth)
    return text.removeprefix("1") if text.startswith("1 / ") else f" * {text}"
