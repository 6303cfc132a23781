"""Asymptotic growth: p^i · log₂(p)^j · 2^(kp), exact and ordered by dominance.

The three kinds of factor are the function classes F₁ = {log₂^i x}, F₂ = {x^i} and
F₃ = {2^(ix)} of the reference, section 2.3; a growth is a product of them in any
number of parameters.

References
----------
S. Shudler et al., "Exascaling Your Library: Will Your Implementation Meet Your
Expectations?", ICS 2015.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, reduce, total_ordering
from itertools import chain
from operator import add, mul
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scalewatch.errors import MissingParameter, OutsideDomain
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths import notation
from scalewatch.modelling.growths.assumptions import ASSUMED

Exponent = Fraction | int | str
"""Forms in which an exact exponent can be given: 1, "1/3", "2.8074", Fraction(2, 3)."""

Rounded = Literal["", "ceil", "floor"]
"""How a logarithm is rounded to a whole number, if it is."""


@dataclass(frozen=True, slots=True)
class Factor:
    """The part of a growth that depends on one parameter.

    Parameters
    ----------
    parameter
        Its name, `p` below.
    power, log, exp2
        Exponents i, j, k of p^i · log₂(p)^j · 2^(kp).
    """

    parameter: str
    power: Fraction = Fraction(0)
    log: Fraction = Fraction(0)
    exp2: Fraction = Fraction(0)

    @property
    def order(self) -> tuple[Fraction, Fraction, Fraction]:
        """Exponents, most dominant first: 2^p outgrows p^i, p^i outgrows log^j p."""
        return self.exp2, self.power, self.log

    def __bool__(self) -> bool:
        return any(self.order)

    def __mul__(self, other: "Factor") -> "Factor":
        exp2, power, log = map(add, self.order, other.order)
        return Factor(self.parameter, power, log, exp2)

    def __pow__(self, exponent: Fraction) -> "Factor":
        exponents = (self.power, self.log, self.exp2)
        return Factor(self.parameter, *(each * exponent for each in exponents))

    def is_defined(self, x: Reals) -> NDArray[np.bool_]:
        """Tell where it is a real number; logarithms are taken from 1 on."""
        if self.log:
            return x >= 1 if self.log > 0 else x > 1
        if self.power:
            return x >= 0 if self.power > 0 else x > 0
        return np.isfinite(x)

    def value(self, x: Reals, rounding: Rounded = "") -> Reals:
        """Return its value where it is defined and a number.

        Products of whole powers are exact, which powers of two of `log2` are not.

        Parameters
        ----------
        rounding
            How the logarithm is rounded to whole rounds.
        """
        value = np.exp2(float(self.exp2) * x) if self.exp2 else np.ones(x.shape)
        if self.power:
            value = value * x ** float(self.power)
        if self.log:
            rounds = np.log2(x)
            if rounding == "ceil":
                rounds = np.ceil(rounds - ASSUMED.same_round)
            elif rounding == "floor":
                rounds = np.floor(rounds + ASSUMED.same_round)
            value = value * rounds ** float(self.log)
        return value

    def log2(self, x: Reals) -> Reals:
        """Return its binary logarithm where it is defined; -inf where it is zero."""
        # Beyond, a multiple of x would overflow; it is too large for anything anyway.
        logarithm = float(self.exp2) * np.clip(
            x, -ASSUMED.largest_setting, ASSUMED.largest_setting
        )
        if self.power:
            logarithm = logarithm + float(self.power) * binary_logarithm(x)
        if self.log:
            logarithm = logarithm + float(self.log) * binary_logarithm(
                binary_logarithm(x)
            )
        return logarithm


@total_ordering
@dataclass(frozen=True, repr=False)
class Growth:
    """Product of factors, one per parameter; the empty product is constant.

    Growths are totally ordered by dominance. Several parameters are compared as
    if they grew together, so that the order extends `dominates`, which is partial.

    Parameters
    ----------
    factors
        In any order; kept merged and sorted by parameter, the neutral ones dropped.

    Examples
    --------
    ::

        Growth.of("p", power="1/2", log=1)  # p^(1/2) log p
        Growth.of("k", power=3, exp2=1)     # k^3 2^k
    """

    factors: tuple[Factor, ...] = ()

    def __post_init__(self) -> None:
        merged: dict[str, Factor] = {}
        for factor in self.factors:
            known = merged.get(factor.parameter)
            merged[factor.parameter] = known * factor if known else factor
        canonical = tuple(merged[name] for name in sorted(merged) if merged[name])
        object.__setattr__(self, "factors", canonical)

    @classmethod
    def of(
        cls, parameter: str, power: Exponent = 0, log: Exponent = 0, exp2: Exponent = 0
    ) -> "Growth":
        """Return the growth with a single factor."""
        return cls((Factor(parameter, Fraction(power), Fraction(log), Fraction(exp2)),))

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters it depends on, sorted."""
        return tuple(factor.parameter for factor in self.factors)

    def factor(self, parameter: str) -> Factor:
        """Return the factor of `parameter`, the neutral one where it has none."""
        for factor in self.factors:
            if factor.parameter == parameter:
                return factor
        return Factor(parameter)

    def renamed(self, names: Mapping[str, str]) -> "Growth":
        """Return the same growth of parameters of other names."""
        return Growth(
            tuple(
                replace(each, parameter=names.get(each.parameter, each.parameter))
                for each in self.factors
            )
        )

    @property
    def falls(self) -> bool:
        """Whether it falls with a parameter and grows with none."""
        zero = Factor("").order
        return bool(self.factors) and all(each.order < zero for each in self.factors)

    def dominates(self, other: "Growth") -> bool:
        """Tell whether it grows at least as fast in each parameter by itself."""
        return all(
            self.factor(parameter).order >= other.factor(parameter).order
            for parameter in {*self.parameters, *other.parameters}
        )

    def is_defined(
        self, settings: Mapping[str, ArrayLike] | None = None, /, **named: ArrayLike
    ) -> NDArray[np.bool_]:
        """Tell at which settings it is a real number."""
        defined = np.asarray(True)  # noqa: FBT003, it is a value
        for factor, x in self._arguments(settings, named):
            defined = defined & factor.is_defined(x)
        return defined

    def log2(
        self, settings: Mapping[str, ArrayLike] | None = None, /, **named: ArrayLike
    ) -> Reals:
        """Return the binary logarithm of the value, which cannot overflow.

        Raises
        ------
        MissingParameter
            If no setting is given for a parameter it depends on.
        OutsideDomain
            If it is no real number at a setting, such as log p at p = 0.
        """
        logarithm: Reals = np.zeros(())
        for factor, x in self._arguments(settings, named):
            undefined = x[~factor.is_defined(x)]
            if undefined.size:
                raise OutsideDomain(str(self), factor.parameter, undefined.flat[0])
            logarithm = logarithm + factor.log2(x)
        return logarithm

    def __call__(
        self, settings: Mapping[str, ArrayLike] | None = None, /, **named: ArrayLike
    ) -> Reals:
        """Evaluate at settings of any shape, `g(p=[2, 4])` or `g({"p": [2, 4]})`.

        A value beyond the range of floating-point numbers is inf. The errors are
        those of `log2`.
        """
        return power_of_two(self.log2(settings, **named))

    def __mul__(self, other: "Growth") -> "Growth":
        if not (self.factors and other.factors):
            return self if self.factors else other
        return Growth((*self.factors, *other.factors))

    def __truediv__(self, other: "Growth") -> "Growth":
        if not other.factors:
            return self
        return self * other ** Fraction(-1)

    def __pow__(self, exponent: Fraction | int) -> "Growth":
        return Growth(tuple(f ** Fraction(exponent) for f in self.factors))

    def __lt__(self, other: "Growth") -> bool:
        return self._order < other._order

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type["Growth"], tuple[tuple[Factor, ...]]]:
        # What is cached stays behind: hashes of strings differ between processes.
        return Growth, (self.factors,)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Growth {self}>"

    def unicode(self) -> str:
        """Return it as text for people: `√p · log p`, `k³ · 2^k`."""
        return self._unicode

    def latex(self) -> str:
        r"""Return it for LaTeX's mathematical mode: `p^{1/2} \log p`."""
        return notation.latex_text(self._symbols())

    @cached_property
    def _hash(self) -> int:
        return hash(self.factors)

    @cached_property
    def _text(self) -> str:
        return notation.ascii_text(self._symbols())

    @cached_property
    def _unicode(self) -> str:
        return notation.unicode_text(self._symbols())

    @cached_property
    def _order(self) -> tuple[object, ...]:
        together = reduce(mul, self.factors or (Factor(""),)).order
        # Numbers decide first: to compare fractions takes a hundred times as long.
        rough = tuple(map(float, together))
        return rough, together, tuple((f.parameter, f.order) for f in self.factors)

    def _symbols(self) -> tuple[notation.Symbol, ...]:
        return tuple(
            chain.from_iterable(
                (
                    notation.Symbol("power", f.parameter, f.power),
                    notation.Symbol("log", f.parameter, f.log),
                    notation.Symbol("exp2", f.parameter, f.exp2),
                )
                for f in self.factors
            )
        )

    def _arguments(
        self, settings: Mapping[str, ArrayLike] | None, named: Mapping[str, ArrayLike]
    ) -> Iterator[tuple[Factor, Reals]]:
        """Pair each factor with the settings of its parameter."""
        given = {**(settings or {}), **named}
        for factor in self.factors:
            if factor.parameter not in given:
                raise MissingParameter(factor.parameter, str(self))
            yield factor, np.asarray(given[factor.parameter], dtype=np.float64)


CONSTANT = Growth()
"""No growth at all, O(1)."""


def power_of_two(logarithm: Reals) -> Reals:
    """Return 2 to the given power, inf beyond the range of numbers."""
    value = np.full(np.shape(logarithm), np.inf)
    return np.exp2(logarithm, out=value, where=logarithm <= ASSUMED.largest_log2)


def binary_logarithm(x: Reals) -> Reals:
    """Return log₂ x, with -inf instead of a warning at zero."""
    return np.log2(x, out=np.full(np.shape(x), -np.inf), where=x > 0)
