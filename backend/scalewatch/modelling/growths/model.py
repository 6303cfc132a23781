"""Performance models: a constant and terms, f(p) = c₀ + Σ cₖ · gₖ(p).

This is the performance model normal form of the reference, equation (1), with
2^(kp) as a further class of terms.

Models are compared where they cross: the scale from which one exceeds another.

References
----------
F. Wolf et al., "Catwalk: A Quick Development Path for Performance Models",
Euro-Par 2014 workshops.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, reduce

import numpy as np
from numpy.typing import ArrayLike

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.assumptions import ASSUMED
from scalewatch.modelling.growths.fractions import Part, fraction_formula
from scalewatch.modelling.growths.growth import (
    CONSTANT,
    Growth,
    Rounded,
    binary_logarithm,
    power_of_two,
)

LOGARITHM = re.compile(r"\blog(\^[^\s^]+)? (\w+)")
"""A logarithm as growths are written: its exponent and its parameter."""


@dataclass(frozen=True, slots=True)
class Term:
    """A growth with its coefficient, in the unit of the metric.

    Parameters
    ----------
    rounding
        How logarithms are rounded, as the rounds of a broadcast are up and the levels
        of a heap down; p·⌈log p⌉ grows like p log p.
    """

    coefficient: float
    growth: Growth
    rounding: Rounded = ""

    def __str__(self) -> str:
        text = str(self.growth)
        rounded = rf"{self.rounding}(log \2)\1"
        return LOGARITHM.sub(rounded, text) if self.rounding else text

    def __call__(self, settings: Mapping[str, ArrayLike]) -> Reals:
        """Return its value where that is a number."""
        value: Reals = np.asarray(self.coefficient)
        for factor in self.growth.factors:
            x = np.asarray(settings[factor.parameter], dtype=np.float64)
            value = value * factor.value(x, self.rounding)
        return value


@dataclass(frozen=True, slots=True)
class Model:
    """The selected performance model of a series.

    Parameters
    ----------
    constant
        c₀, in the unit of the metric.
    terms
        The others, none of constant growth.
    is_exact
        Whether it reproduces exact counts; its formula has fractions then.
    """

    constant: float
    terms: tuple[Term, ...] = ()
    is_exact: bool = False

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
        """The model as text, as `1.2e-06 + 3.4e-07 * p^(1/2)` or `p*(p-1)/2`."""
        if self.is_exact:
            parts = [Part(t.coefficient, t.growth, str(t)) for t in self.terms]
            parts.append(Part(self.constant, CONSTANT, ""))
            parts.sort(key=lambda part: part.growth, reverse=True)
            return fraction_formula([part for part in parts if part.coefficient])
        text = f"{self.constant:.6g}" if self.constant or not self.terms else ""
        for term in self.terms:
            sign = "-" if term.coefficient < 0 else "+"
            text += f" {sign} {abs(term.coefficient):.6g}{_attached(str(term))}"
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
        grown = [term.growth.log2(given) for term in terms]
        sizes = [
            size + math.log2(abs(term.coefficient))
            for term, size in zip(terms, grown, strict=True)
        ]
        if any((size > ASSUMED.addable_log2).any() for size in sizes):
            signs = [math.copysign(1.0, term.coefficient) for term in terms]
            return self._sum_of_huge(signs, sizes)
        parts = (
            _part(term, given, size) for term, size in zip(terms, grown, strict=True)
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
        coefficients: dict[tuple[Growth, Rounded], float] = {}
        for term in (*self.terms, *other.terms):
            kind = term.growth, term.rounding
            coefficients[kind] = coefficients.get(kind, 0.0) + term.coefficient
        return Model(
            self.constant + other.constant,
            tuple(Term(coefficients[kind], *kind) for kind in sorted(coefficients)),
        )

    def __sub__(self, other: "Model") -> "Model":
        return self + other * -1.0

    def __mul__(self, factor: float) -> "Model":
        return Model(
            self.constant * factor,
            tuple(
                replace(term, coefficient=term.coefficient * factor)
                for term in self.terms
            ),
        )

    __rmul__ = __mul__


def _part(term: Term, settings: Mapping[str, ArrayLike], size: Reals) -> Reals:
    """Return the value of a term that is a number, though its growth may be none.

    Parameters
    ----------
    size
        The binary logarithm of the growth.
    """
    if (size <= ASSUMED.addable_log2).all():
        return term(settings)
    size = size + math.log2(abs(term.coefficient))
    return math.copysign(1.0, term.coefficient) * power_of_two(size)


def total(models: tuple[Model, ...]) -> Model:
    """Return the sum of models, that of a region made of parts."""
    return reduce(Model.__add__, models, Model(0.0))


def _attached(text: str) -> str:
    """Write ` * p` or ` / p` after a coefficient."""
    return text.removeprefix("1") if text.startswith("1 / ") else f" * {text}"


def first_above(
    model: Model,
    limit: Model,
    parameter: str = "p",
    *,
    start: float = 1.0,
    others: Mapping[str, float] | None = None,
) -> float | None:
    """Return the smallest scale from `start` on at which `model` exceeds `limit`.

    Parameters
    ----------
    model, limit
        In the same unit; both defined from `start` on.
    parameter
        What is scaled.
    start
        Where to begin, more than zero.
    others
        Settings of the other parameters, which stay fixed.

    Returns
    -------
    None
        If it does not happen up to `largest_scale`.
    """
    excess = model - limit
    fixed = others or {}
    names = {name for term in excess.terms for name in term.growth.parameters}
    coefficients = [excess.constant, *(term.coefficient for term in excess.terms)]
    if names <= {parameter, *fixed} and max(coefficients) <= 0:
        return None
    if excess({**fixed, parameter: start}) > 0:
        return start
    scales = _scales(start)
    above = np.flatnonzero(_along(excess, parameter, start, fixed)[1:] > 0)
    if not above.size:
        return None
    first = int(above[0]) + 1
    low, high = float(scales[first - 1]), float(scales[first])
    for _ in range(ASSUMED.refinements):
        finer = np.geomspace(low, high, ASSUMED.parts + 1)
        inside = np.flatnonzero(excess({**fixed, parameter: finer[1:-1]}) > 0)
        first = int(inside[0]) + 1 if inside.size else ASSUMED.parts
        low, high = float(finer[first - 1]), float(finer[first])
    return high


@lru_cache(maxsize=64)
def _scales(start: float) -> Reals:
    doublings = np.log2(ASSUMED.largest_scale / start)
    steps = 1 + int(np.ceil(doublings * ASSUMED.steps_per_doubling))
    return np.asarray(start * 2.0 ** np.linspace(0, doublings, steps))


@lru_cache(maxsize=256)
def _grown(growth: Growth, parameter: str, start: float) -> Reals:
    """Return a growth at all scales; few of them ever occur."""
    return power_of_two(growth.log2({parameter: _scales(start)}))


def _along(
    model: Model, parameter: str, start: float, others: Mapping[str, float]
) -> Reals:
    """Evaluate a model at all scales."""
    scales = _scales(start)
    if not others:
        values = np.full_like(scales, model.constant)
        with np.errstate(over="ignore", invalid="ignore"):
            for term in model.terms:
                values += term.coefficient * _grown(term.growth, parameter, start)
        if np.isfinite(values).all():
            return values
    return model({**others, parameter: scales})
