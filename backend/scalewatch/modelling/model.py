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
from numpy.typing import ArrayLike, NDArray

from scalewatch.modelling.growth import CONSTANT, Growth, power_of_two


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
    ) -> NDArray[np.float64]:
        """Predict the metric, `model(p=[2, 4])`; inf where it exceeds all numbers.

        Raises
        ------
        MissingParameter, OutsideDomain
            As `Growth.log2`.
        """
        prediction = np.asarray(self.constant, dtype=np.float64)
        for term in self.terms:
            prediction = prediction + _value(term, {**(settings or {}), **named})
        return prediction

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


def _value(term: Term, settings: Mapping[str, ArrayLike]) -> NDArray[np.float64]:
    """Multiply through logarithms: a huge growth and a tiny coefficient may meet."""
    logarithm = term.growth.log2(settings)
    if not term.coefficient:
        return np.zeros(logarithm.shape)
    magnitude = power_of_two(logarithm + math.log2(abs(term.coefficient)))
    return magnitude if term.coefficient > 0 else -magnitude
