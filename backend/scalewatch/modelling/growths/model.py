"""Performance models: a constant and terms, f(p) = c₀ + Σ cₖ · gₖ(p).

This is the performance model normal form of the reference, equation (1), with
2^(kp) as a further class of terms.

Models are compared where they cross: the scale from which one exceeds another. Formulas
of exact models have fractions as coefficients: `p*(p-1)/2`.

References
----------
F. Wolf et al., "Catwalk: A Quick Development Path for Performance Models",
Euro-Par 2014 workshops.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.assumptions import ASSUMED
from scalewatch.modelling.growths.growth import (
    CONSTANT,
    Growth,
    Rounded,
    binary_logarithm,
    power_of_two,
)

DECIMAL: Final = (10, 100, 1000)
"""Denominators of decimals."""

DENOMINATORS: Final = (1, 2, 3, 4, 6, 8, 12, 16, *DECIMAL)
"""Denominators that are tried; those of counts come first."""


@dataclass(frozen=True, slots=True)
class Part:
    """A coefficient, what it multiplies, and how that is written."""

    coefficient: float
    growth: Growth
    text: str


def simple_fraction(value: float) -> Fraction | None:
    """Return the fraction of small denominator that a number is close to."""
    if not 0 < abs(value) < ASSUMED.all_whole:
        return None
    for denominator in DENOMINATORS:
        multiple = abs(value) * denominator
        whole = round(multiple)
        if whole and abs(multiple - whole) < ASSUMED.close * max(1.0, multiple):
            return Fraction(whole if value > 0 else -whole, denominator)
    return None


def fraction_formula(parts: Sequence[Part]) -> str:
    """Return a sum as a formula, its parts the fastest first."""
    fractions = [simple_fraction(part.coefficient) for part in parts]
    first = fractions[0] if fractions else None
    if first is None or None in fractions or len(parts) == 1:
        return _sum(parts, " ")
    ratios = [fraction / first for fraction in fractions if fraction]
    if any(r.denominator > 1 or abs(r) > ASSUMED.largest_multiple for r in ratios):
        return _sum(parts, " ")
    least = parts[-1].growth
    quotients = [part.growth / least for part in parts]
    exponents = [e for q in quotients for f in q.factors for e in f.order]
    is_plain = all(part.text in {str(part.growth), ""} for part in parts)
    is_whole = all(e.denominator == 1 and e >= 0 for e in exponents)
    common = least if is_plain and is_whole else CONSTANT
    if common == CONSTANT and abs(first) == 1:
        return _sum(parts, " ")
    inner = [
        Part(float(ratio), part.growth, part.text)
        if common == CONSTANT
        else Part(float(ratio), part.growth / common, str(part.growth / common))
        for ratio, part in zip(ratios, parts, strict=True)
    ]
    bracket = f"({_sum(inner, '')})"
    times, over = _sides("" if common == CONSTANT else str(common))
    above = [*_unless_one(first.numerator), *times, bracket]
    below = [*_unless_one(first.denominator), *over]
    return ("-" if first < 0 else "") + _quotient(above, below)


def _sum(parts: Sequence[Part], space: str) -> str:
    """Write parts one after the other, `space` about the signs between them."""
    text = ""
    for part in parts:
        written = _product(part)
        negative = part.coefficient < 0
        if not text:
            text = f"-{written}" if negative else written
        else:
            text += f"{space}{'-' if negative else '+'}{space}{written}"
    return text or "0"


def _product(part: Part) -> str:
    """Write the magnitude of a part: `3*p^2/2`, `p`, `1000000/p`, `0.3712*p`."""
    fraction = simple_fraction(part.coefficient)
    if fraction and fraction.denominator in DECIMAL:
        fraction = None
    if part.growth == CONSTANT:
        return str(abs(fraction)) if fraction else _decimal(part.coefficient)
    if fraction is None:
        times, over = _sides(part.text)
        return _quotient([_decimal(part.coefficient), *times], over)
    times, over = _sides(part.text)
    return _quotient(
        [*_unless_one(fraction.numerator), *times],
        [*_unless_one(fraction.denominator), *over],
    )


def _sides(text: str) -> tuple[list[str], list[str]]:
    """Return what a growth, as it is written, multiplies and divides by."""
    above, _, below = text.partition(" / ")
    return [each for each in (above,) if each not in {"", "1"}], [
        below
    ] if below else []


def _unless_one(number: int) -> list[str]:
    return [] if abs(number) == 1 else [str(abs(number))]


def _quotient(above: Sequence[str], below: Sequence[str]) -> str:
    top, bottom = "*".join(above) or "1", "*".join(below)
    if not bottom:
        return top
    return f"{top}/({bottom})" if len(below) > 1 else f"{top}/{bottom}"


def _decimal(value: float) -> str:
    return f"{abs(value):.10g}"


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
