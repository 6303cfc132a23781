"""Description lengths of formulas of exact counts, and the dictionary of their terms.

The shortest description of the counts is the likeliest: a formula of b bits has the
weight 2^-b. A coefficient that is a small fraction m/d takes 2 + log₂(1 + m) + ½ log₂ d
bits, fewer if m is round, any other as many as the precision of the counts asks for.

What no formula of the dictionary describes may still be smooth. "Some other smooth
function" gives two values in full and, of each further one, the distance to where the
local power law of those before it leads. Without this rival three free terms would pass
for an exact formula of six small counts.

Terms are those of a dictionary. A term costs bits before any coefficient does: few for
those that textbooks are full of, more for rarer ones, most for the rest of a search
space. Terms of several parameters are products of theirs.

References
----------
J. Rissanen, "Modeling by shortest data description", Automatica 14, 1978.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.exact_counts.assumptions import ASSUMED
from scalewatch.modelling.exact_counts.exactness import Rounding
from scalewatch.modelling.growths.growth import CONSTANT, Growth, Rounded
from scalewatch.modelling.growths.model import Term, simple_fraction
from scalewatch.modelling.growths.space import pmnf

FULL_BITS = -math.log2(ASSUMED.relative)
"""Bits of a number of full precision."""


LEAST_BITS = 3.0
"""Bits of the coefficient 1."""


def coefficient_bits(coefficient: float, free: float) -> float:
    """Return the bits of a coefficient; `free` are those of any number."""
    fraction = simple_fraction(coefficient)
    if fraction is None:
        return free
    simple = 2 + _whole_bits(abs(fraction.numerator))
    return min(free, simple + math.log2(fraction.denominator) / 2)


def _whole_bits(number: int) -> float:
    """Return the bits of a whole number; round ones are short: 1000000, 2^20."""
    bits = math.log2(1 + number)
    for base in ASSUMED.round_bases:
        rest, exponent = number, 0
        while rest % base == 0:
            rest, exponent = rest // base, exponent + 1
        bits = min(bits, math.log2(1 + rest) + 1 + math.log2(1 + exponent))
    return bits


def free_bits(y: Reals, tolerance: Reals) -> float:
    """Return the bits of a coefficient that is fitted to counts."""
    return math.log2(max(2.0, float(np.abs(y).max() / tolerance.max())))


def raw_bits(y: Reals, rounding: Rounding) -> float:
    """Return the bits of the counts themselves, shape (n,)."""
    if rounding.half_unit is None:
        return FULL_BITS * len(y)
    return float(np.log2(1 + np.abs(y) / rounding.unit(y)).sum())


def smooth_bits(x: Reals, y: Reals, rounding: Rounding) -> float:
    """Return the bits of counts as some smooth function of one parameter.

    Parameters
    ----------
    x, y
        Settings, rising, and counts, shape (n,).
    """
    foretold = np.zeros(len(y))
    known = np.flatnonzero((x > 0) & (y > 0))
    for k in range(len(y)):
        before = known[known < k]
        if len(before) > 1 and x[k] > 0:
            places = np.log(x[[*before, k]])
            foretold[k] = _power_law(places, np.log(y[before]))
    is_told = foretold > 0
    distance = np.where(is_told, np.minimum(np.abs(y - foretold), np.abs(y)), np.abs(y))
    bits = np.log2(1 + distance / rounding.unit(y))
    return float(bits.sum()) + np.count_nonzero(is_told) + ASSUMED.smooth_bits


def _power_law(x: Reals, y: Reals) -> float:
    """Return what follows logarithms y; the slope goes on changing half as fast."""
    slopes = np.diff(y) / np.diff(x[:-1])
    slope = slopes[-1]
    if len(slopes) > 1:
        middles = (x[1:] + x[:-1]) / 2
        change = (slopes[-1] - slopes[-2]) / (middles[-2] - middles[-3])
        slope += change * (middles[-1] - middles[-2]) / 2
    ahead = y[-1] + slope * (x[-1] - x[-2])
    return math.exp(min(max(float(ahead), -ASSUMED.largest_log), ASSUMED.largest_log))


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
"""Exponents of one parameter among several."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A term of the dictionary.

    Parameters
    ----------
    bits
        What it costs to name it.
    rounding
        How its logarithm is rounded.
    """

    growth: Growth
    bits: float
    rounding: Rounded = ""

    def term(self, coefficient: float) -> Term:
        """Return it with a coefficient."""
        return Term(coefficient, self.growth, self.rounding)

    def values(self, settings: Mapping[str, Reals]) -> Reals:
        """Return its values at settings at which it is defined, shape (n,)."""
        points = len(next(iter(settings.values())))
        return np.broadcast_to(self.term(1.0)(settings), (points,))


def dictionary(settings: Mapping[str, Reals]) -> tuple[Atom, ...]:
    """Return the terms that are defined at all settings, the slowest first."""
    names = tuple(settings)
    atoms = _of_one(*settings.items()) if len(names) == 1 else _of_several(settings)
    defined = [atom for atom in atoms if atom.growth.is_defined(settings).all()]
    return tuple(sorted(defined, key=lambda atom: (atom.growth, atom.bits)))


def _of_one(scan: tuple[str, Reals]) -> Sequence[Atom]:
    parameter, settings = scan
    common = [Growth.of(parameter, *each) for each in COMMON]
    rarer = [Growth.of(parameter, *each) for each in RARER]
    others = {*pmnf(parameter)} - {*common, *rarer}
    exponential = [Growth.of(parameter, *each) for each in EXPONENTIAL]
    largest = {parameter: np.max(settings)}
    # Where only powers of two were measured ⌊log p⌋ is log p.
    roundings: list[Rounded] = ["ceil", "floor"] if _rounds(settings) else ["ceil"]
    return [
        *(Atom(each, ASSUMED.common_bits) for each in common),
        *(
            Atom(Growth.of(parameter, log=1), ASSUMED.rounded_bits, each)
            for each in roundings
        ),
        *(Atom(each, ASSUMED.rarer_bits) for each in rarer),
        *(
            Atom(Growth.of(parameter, 1, 1), ASSUMED.rarer_bits, each)
            for each in roundings
        ),
        *(Atom(each, ASSUMED.other_bits) for each in others),
        *(
            Atom(each, ASSUMED.rarer_bits)
            for each in exponential
            if each.log2(largest) <= ASSUMED.largest_log2
        ),
    ]


def _of_several(settings: Mapping[str, Reals]) -> Sequence[Atom]:
    by_name = [[Growth.of(name, *factor) for factor in FACTORS] for name in settings]
    # At powers of two alone ⌈log p⌉ is log p.
    rounding = [name for name, x in settings.items() if _rounds(x)]
    atoms = []
    for growths in product(*by_name):
        factors = [growth for growth in growths if growth != CONSTANT]
        whole = Growth(tuple(factor for g in factors for factor in g.factors))
        is_plain = all(_is_plain(growth) for growth in factors)
        bits = ASSUMED.common_bits if is_plain else ASSUMED.rarer_bits
        atoms.append(Atom(whole, bits))
        logs = [name for name in settings if whole.factor(name).log]
        if len(logs) == 1 and logs[0] in rounding:
            more = ASSUMED.rounded_bits - ASSUMED.common_bits
            atoms += [Atom(whole, bits + more, each) for each in ("ceil", "floor")]
    return atoms


def _rounds(x: Reals) -> bool:
    """Tell whether rounding changes a logarithm of settings."""
    return bool((np.log2(np.maximum(x, 1)) % 1).any())


def _is_plain(growth: Growth) -> bool:
    (factor,) = growth.factors
    return (
        factor.power.denominator == 1
        and factor.log <= 1
        and factor.power <= Fraction(1)
    )


def sums_of(
    atoms: Sequence[Atom], places: Sequence[int], size: int
) -> Iterator[tuple[int, ...]]:
    """Yield the places of so many terms, each of another growth."""
    numbers = {growth: k for k, growth in enumerate({atom.growth for atom in atoms})}
    of = [numbers[atom.growth] for atom in atoms]
    for chosen in combinations(places, size):
        if len({of[place] for place in chosen}) == size:
            yield chosen


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
