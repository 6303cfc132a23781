"""Search spaces: which growths compete to explain a series.

A space follows from the expectation as ticks follow on a ruler (section 2.3 of the
reference): large ticks from the class of the expectation, placed by recursive
halving between the boundaries 1 and E²; small ticks by multiplying them with terms
of the next lower class.

References
----------
S. Shudler et al., "Exascaling Your Library: Will Your Implementation Meet Your
Expectations?", ICS 2015.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, reduce
from itertools import pairwise, product
from typing import Final, Literal

from scalewatch.errors import NotOneParameter
from scalewatch.modelling.growths.assumptions import ASSUMED
from scalewatch.modelling.growths.growth import CONSTANT, Exponent, Growth

Class = Literal["log", "power", "exp2"]
"""The function classes F₁ = {log₂^i x}, F₂ = {x^i} and F₃ = {2^(ix)}."""


_NEXT_LOWER: Final[dict[Class, Class | None]] = {
    "exp2": "power",
    "power": "log",
    "log": None,
}


@dataclass(frozen=True, slots=True)
class Space:
    """Growths that compete, without repetition, in order of dominance.

    Parameters
    ----------
    growths
        In any order; the constant is always added.
    """

    growths: tuple[Growth, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "growths", tuple(sorted({CONSTANT, *self.growths})))

    @classmethod
    def of(
        cls,
        parameter: str,
        powers: Iterable[Exponent],
        logs: Iterable[Exponent] = (0,),
        exp2s: Iterable[Exponent] = (0,),
    ) -> "Space":
        """Return all products of the given powers, logarithms and exponentials."""
        exponents = product(powers, logs, exp2s)
        return cls(tuple(Growth.of(parameter, *each) for each in exponents))

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters that occur, sorted."""
        names = {name for growth in self.growths for name in growth.parameters}
        return tuple(sorted(names))

    @property
    def constant(self) -> int:
        """Position of the constant."""
        return self.growths.index(CONSTANT)

    def __or__(self, other: "Space") -> "Space":
        return Space(self.growths + other.growths)

    def __mul__(self, other: "Space") -> "Space":
        """Return all products of a growth of each."""
        return Space(
            tuple(
                growth * other_growth for growth, other_growth in product(self, other)
            )
        )

    def __contains__(self, growth: object) -> bool:
        return growth in self.growths

    def __iter__(self) -> Iterator[Growth]:
        return iter(self.growths)

    def __len__(self) -> int:
        return len(self.growths)


@dataclass(frozen=True, slots=True)
class Ruler:
    """Ticks and boundaries from which a space is built.

    Parameters
    ----------
    parameter
        Name of the parameter, x below.
    kind
        Class Fₖ of the large ticks.
    ticks
        Exponents Iₖ of the large ticks, rising.
    small_ticks
        Exponents of the terms of Fₖ₋₁ by which large ticks are multiplied.
    lower, upper
        Boundaries B_l and B_u: no growth outside of them belongs to the space.
    """

    parameter: str
    kind: Class
    ticks: tuple[Fraction, ...]
    small_ticks: tuple[Fraction, ...]
    lower: Growth
    upper: Growth

    @property
    def space(self) -> Space:
        """The growths at all ticks inside the boundaries."""
        fine = [CONSTANT]
        if (lower_class := _NEXT_LOWER[self.kind]) is not None:
            fine += [_term(self.parameter, lower_class, j) for j in self.small_ticks]
        coarse = [_term(self.parameter, self.kind, i) for i in self.ticks]
        candidates = [large * small for large, small in product(coarse, fine)]
        return Space(
            tuple(each for each in candidates if self.lower <= each <= self.upper)
        )

    def halved(self, times: int = 1) -> "Ruler":
        """Place a large tick in the middle of each gap."""
        ticks = self.ticks
        for _ in range(times):
            ticks = _with(ticks, [(a + b) / 2 for a, b in pairwise(ticks)])
        return replace(self, ticks=ticks)

    def refined(self, *exponents: Exponent) -> "Ruler":
        """Place large ticks at further exponents."""
        return replace(self, ticks=_with(self.ticks, exponents))

    def widened(
        self, lower: Exponent | None = None, upper: Exponent | None = None
    ) -> "Ruler":
        """Move boundaries out to other large ticks, as densely spaced as the rest."""
        spacing = max(b - a for a, b in pairwise(self.ticks))
        ends = [end for end in (lower, upper) if end is not None]
        ticks = _with(self.ticks, ends)
        while wide := [(a + b) / 2 for a, b in pairwise(ticks) if b - a > spacing]:
            ticks = _with(ticks, wide)
        boundaries = [_term(self.parameter, self.kind, Fraction(end)) for end in ends]
        return replace(
            self,
            ticks=ticks,
            lower=min(self.lower, *boundaries) if boundaries else self.lower,
            upper=max(self.upper, *boundaries) if boundaries else self.upper,
        )


def ruler(expectation: Growth, parameter: str = "p") -> Ruler:
    """Return the ruler that the paper builds for an expectation E.

    The expectation itself is always at a tick: small ticks have the exponent 1 and,
    where E has another exponent j in the next lower class, also j - 1, j and j + 1.
    O(1) can be assigned to any class; it gets the logarithms and the boundaries of
    O(log x).

    Parameters
    ----------
    expectation
        E, of one parameter.
    parameter
        The parameter where E = 1 names none.

    Raises
    ------
    NotOneParameter
        If E depends on several parameters.
    """
    if len(expectation.parameters) > 1:
        raise NotOneParameter(str(expectation), expectation.parameters)
    if expectation == CONSTANT:
        return ruler(Growth.of(parameter, log=1))
    (factor,) = expectation.factors
    kind = leading_class(expectation)
    exponent: Fraction = getattr(factor, kind)
    small = [Fraction(1)]
    if (lower_class := _NEXT_LOWER[kind]) is not None:
        lower: Fraction = getattr(factor, lower_class)
        if lower not in {0, 1}:
            small += [lower - 1, lower, lower + 1]
    boundaries = (CONSTANT, expectation**2)
    return Ruler(
        parameter=factor.parameter,
        kind=kind,
        ticks=_with((), [0, 2 * exponent]),
        small_ticks=_with((), [j for j in small if j]),
        lower=min(boundaries),
        upper=max(boundaries),
    ).halved(ASSUMED.halvings)


@cache
def search_space(expectation: Growth, parameter: str = "p") -> Space:
    """Return the default search space for an expectation, see `ruler`.

    E = p gives {1, log p, p^¼, p^¼ log p, √p, …, p, p log p, …, p^(7/4) log p, p²}.
    For several parameters it holds the growths that follow from the factor of each.
    """
    if len(expectation.parameters) < 2:
        return ruler(expectation, parameter).space
    spaces = [ruler(Growth((factor,))).space for factor in expectation.factors]
    return reduce(Space.__or__, spaces)


def default_deviation_limit(expectation: Growth) -> Growth:
    """Return D: the leading factor of E with half its exponent (section 2.3).

    D has no other factor: E = p log p gives √p, and O(1) gives 1. For several
    parameters it is the product of the limits of each.
    """
    if len(expectation.parameters) > 1:
        limits = [default_deviation_limit(Growth((f,))) for f in expectation.factors]
        return reduce(Growth.__mul__, limits)
    if expectation == CONSTANT:
        return CONSTANT
    (factor,) = expectation.factors
    kind = leading_class(expectation)
    exponent: Fraction = getattr(factor, kind)
    return _term(factor.parameter, kind, abs(exponent) / 2)


def leading_class(growth: Growth) -> Class:
    """Return the highest class that a growth of one parameter belongs to."""
    (factor,) = growth.factors
    if factor.exp2:
        return "exp2"
    return "power" if factor.power else "log"


@cache
def mpi_study(parameter: str = "p") -> Space:
    """Return the space of the paper's MPI study (section 3.3).

    Powers 0, 1/4, 1/3 and all their multiples up to 2, logarithms 0 and 1; it goes
    with the deviation limit √p for every expectation.
    """
    powers = {Fraction(k, 4) for k in range(9)} | {Fraction(k, 3) for k in range(7)}
    return Space.of(parameter, powers, logs=(0, 1))


@cache
def pmnf(parameter: str = "p") -> Space:
    """Return the 42 single terms that the reference implementation Extra-P tries."""
    logs: dict[tuple[Exponent, ...], tuple[Exponent, ...]] = {
        (0, "1/4", "1/3", "1/2", "2/3", "3/4", 1, "3/2", 2, "5/2"): (0, 1, 2),
        ("5/4", "4/3", 3): (0, 1),
        ("4/5", "5/3", "7/4", "9/4", "7/3", "8/3", "11/4"): (0,),
    }
    spaces = [Space.of(parameter, powers, log) for powers, log in logs.items()]
    return spaces[0] | spaces[1] | spaces[2]


@cache
def catwalk(parameter: str = "p") -> Space:
    """Return the terms of Catwalk's normal form: powers 0, 1/2 … 3, logarithms 0 … 2.

    The reference combines up to five of them; see `rules.refinement`.

    References
    ----------
    F. Wolf et al., "Catwalk: A Quick Development Path for Performance Models",
    Euro-Par 2014 workshops, section 2.2.
    """
    return Space.of(parameter, [Fraction(k, 2) for k in range(7)], logs=(0, 1, 2))


@cache
def strong_scaling(parameter: str = "p") -> Space:
    """Return Catwalk's terms and their falling powers, down to the inverse cube.

    A fixed problem divided among p processes takes a/p and, for what they say to each
    other, b·log p or more.
    """
    powers = [Fraction(-k, 2) for k in range(1, 7)]
    return catwalk(parameter) | Space.of(parameter, powers)


def _term(parameter: str, kind: Class, exponent: Fraction) -> Growth:
    return Growth.of(parameter, **{kind: exponent})


def _with(
    ticks: tuple[Fraction, ...], more: Iterable[Exponent]
) -> tuple[Fraction, ...]:
    return tuple(sorted({*ticks, *(Fraction(each) for each in more)}))
