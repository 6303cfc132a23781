"""The dictionary of exact counts: terms that formulas are made of, and their bits.

A term costs bits before any coefficient does: few for those that textbooks are full of,
more for rarer ones, most for the rest of a search space. Terms of several parameters
are products of theirs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.model import Term
from scalewatch.modelling.growths.space import pmnf

COMMON_BITS: Final = 3.0
ROUNDED_UP_BITS: Final = 4.0
"""Of ⌈log p⌉, which is log p wherever only powers of two were measured."""

RARER_BITS: Final = 6.0
OTHER_BITS: Final = 9.0

COMMON: Final = (
    (0, 0),
    (0, 1),
    ("1/2", 0),
    (1, 0),
    (1, 1),
    ("3/2", 0),
    (2, 0),
    (3, 0),
    (-1, 0),
)
"""Exponents of p and of log p."""

RARER: Final = (
    (0, 2), ("1/3", 0), ("2/3", 0), ("1/2", 1), (1, 2), ("4/3", 0), (2, 1),
    ("5/2", 0), ("-1/2", 0), ("-2/3", 0), (-1, 1), (-2, 0),
)  # fmt: skip

EXPONENTIAL: Final = ((0, 0, 1), (1, 0, 1), (2, 0, 1), (0, 0, "1/2"))
"""Exponents of p, of log p and of 2^p: subsets, their members, pairs of these, and
halved searches."""

LARGEST_LOG2: Final = 53.0
"""No exact count exceeds 2 to this power; nor does an exponential that tells one."""

FACTORS: Final = (
    (0, 0),
    (0, 1),
    ("1/2", 0),
    (1, 0),
    (1, 1),
    (2, 0),
    (3, 0),
    (-1, 0),
    ("-1/2", 0),
)
"""Of one parameter among several."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A term of the dictionary.

    Parameters
    ----------
    bits
        What it costs to name it.
    is_rounded_up
        Whether its logarithm is rounded up.
    """

    growth: Growth
    bits: float
    is_rounded_up: bool = False

    def term(self, coefficient: float) -> Term:
        """Return it with a coefficient."""
        return Term(coefficient, self.growth, self.is_rounded_up)

    def values(self, settings: Mapping[str, Reals]) -> Reals:
        """Return its values at settings at which it is defined, shape (n,)."""
        points = len(next(iter(settings.values())))
        return np.broadcast_to(self.term(1.0)(settings), (points,))


def dictionary(settings: Mapping[str, Reals]) -> tuple[Atom, ...]:
    """Return the terms that are defined at all settings, the slowest first."""
    names = tuple(settings)
    atoms = _of_one(*settings.items()) if len(names) == 1 else _of_several(settings)
    defined = [each for each in atoms if each.growth.is_defined(settings).all()]
    return tuple(sorted(defined, key=lambda each: (each.growth, each.bits)))


def _of_one(scan: tuple[str, Reals]) -> Sequence[Atom]:
    parameter, settings = scan
    common = [Growth.of(parameter, *each) for each in COMMON]
    rarer = [Growth.of(parameter, *each) for each in RARER]
    others = {*pmnf(parameter)} - {*common, *rarer}
    exponential = [Growth.of(parameter, *each) for each in EXPONENTIAL]
    largest = {parameter: np.max(settings)}
    return [
        *(Atom(each, COMMON_BITS) for each in common),
        Atom(Growth.of(parameter, log=1), ROUNDED_UP_BITS, is_rounded_up=True),
        *(Atom(each, RARER_BITS) for each in rarer),
        Atom(Growth.of(parameter, 1, 1), RARER_BITS, is_rounded_up=True),
        *(Atom(each, OTHER_BITS) for each in others),
        *(
            Atom(each, RARER_BITS)
            for each in exponential
            if each.log2(largest) <= LARGEST_LOG2
        ),
    ]


def _of_several(settings: Mapping[str, Reals]) -> Sequence[Atom]:
    each = [[Growth.of(name, *factor) for factor in FACTORS] for name in settings]
    # At powers of two alone ⌈log p⌉ is log p.
    rounding = [
        name for name, x in settings.items() if (np.log2(np.maximum(x, 1)) % 1).any()
    ]
    atoms = []
    for growths in product(*each):
        factors = [growth for growth in growths if growth != CONSTANT]
        whole = Growth(tuple(factor for g in factors for factor in g.factors))
        is_plain = all(_is_plain(growth) for growth in factors)
        bits = COMMON_BITS if is_plain else RARER_BITS
        atoms.append(Atom(whole, bits))
        logs = [name for name in settings if whole.factor(name).log]
        if len(logs) == 1 and logs[0] in rounding:
            more = ROUNDED_UP_BITS - COMMON_BITS
            atoms.append(Atom(whole, bits + more, is_rounded_up=True))
    return atoms


def _is_plain(growth: Growth) -> bool:
    (factor,) = growth.factors
    return (
        factor.power.denominator == 1
        and factor.log <= 1
        and factor.power <= Fraction(1)
    )


def simplest_terms(
    atoms: Sequence[Atom], places: Sequence[int], most: int
) -> list[int]:
    """Return the places of the terms with the fewest bits and parameters, in order."""
    ordered = sorted(
        places,
        key=lambda place: (atoms[place].bits, len(atoms[place].growth.parameters)),
    )
    kept = {*ordered[:most]}
    return [place for place in places if place in kept]
