"""Description lengths: how many bits a formula takes, and the numbers themselves.

The shortest description of the counts is the likeliest: a formula of b bits has the
weight 2^-b. A coefficient that is a small fraction m/d takes 2 + log₂(1 + m) + ½ log₂ d
bits, fewer if m is round, any other as many as the precision of the counts asks for.

What no formula of the dictionary describes may still be smooth. "Some other smooth
function" gives two values in full and, of each further one, the distance to where the
local power law of those before it leads. Without this rival three free terms would pass
for an exact formula of six small counts.

References
----------
J. Rissanen, "Modeling by shortest data description", Automatica 14, 1978.
"""

import math

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.exact_counts.rounding import RELATIVE, Rounding
from scalewatch.modelling.growths.fractions import simple_fraction

FULL_BITS = -math.log2(RELATIVE)
"""Of a number of full precision."""

ROUND = (2, 10)
"""Of powers of these, multiples are round."""

LEAST_BITS = 3.0
"""Of the coefficient 1."""

SMOOTH_BITS = 7.0
"""That no formula holds takes so many bits to say."""

LARGEST_LOG = 600.0

PROPORTIONAL_BIT = 1.0
"""That coefficients are told as multiples of the first one."""


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
    for base in ROUND:
        rest, exponent = number, 0
        while rest % base == 0:
            rest, exponent = rest // base, exponent + 1
        bits = min(bits, math.log2(1 + rest) + 1 + math.log2(1 + exponent))
    return bits


def sum_bits(coefficients: Reals, free: float) -> float:
    """Return the bits of coefficients, each alone or as multiples of the first one."""
    first, *others = coefficients.tolist()
    alone = sum(coefficient_bits(each, free) for each in (first, *others))
    multiples = coefficient_bits(first, free)
    for each in others:
        bits = coefficient_bits(each / first, free) + PROPORTIONAL_BIT
        multiples += min(free, bits)
    return min(alone, multiples)


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
    foretold = _foretold(x, y)
    is_told = foretold > 0
    distance = np.where(is_told, np.minimum(np.abs(y - foretold), np.abs(y)), np.abs(y))
    bits = np.log2(1 + distance / rounding.unit(y))
    return float(bits.sum()) + np.count_nonzero(is_told) + SMOOTH_BITS


def _foretold(x: Reals, y: Reals) -> Reals:
    """Return where the power law of positive counts leads; 0 for the first ones."""
    foretold = np.zeros(len(y))
    known = np.flatnonzero((x > 0) & (y > 0))
    for k in range(len(y)):
        before = known[known < k]
        if len(before) > 1 and x[k] > 0:
            places = np.log(x[[*before, k]])
            foretold[k] = _power_law(places, np.log(y[before]))
    return foretold


def _power_law(x: Reals, y: Reals) -> float:
    """Return what follows logarithms y; the slope goes on changing half as fast."""
    slopes = np.diff(y) / np.diff(x[:-1])
    slope = slopes[-1]
    if len(slopes) > 1:
        middles = (x[1:] + x[:-1]) / 2
        change = (slopes[-1] - slopes[-2]) / (middles[-2] - middles[-3])
        slope += change * (middles[-1] - middles[-2]) / 2
    ahead = y[-1] + slope * (x[-1] - x[-2])
    return math.exp(min(max(float(ahead), -LARGEST_LOG), LARGEST_LOG))
