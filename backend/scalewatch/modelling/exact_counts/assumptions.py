"""Assumptions about exact counts: what formulas cost, and how exact a count is."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Numbers of exact counts; lengths are in bits.

    Source: research/counts.md and `benchmarks textbook`, exact and rounded counts.
    """

    margin: float = 3.0
    """Bits by which a formula is shorter than the counts themselves."""
    smooth_bits: float = 7.0
    """Bits to encode that no formula holds."""
    common_bits: float = 3.0
    """Bits of a term that textbooks are full of."""
    rarer_bits: float = 6.0
    """Bits of a rarer term."""
    other_bits: float = 9.0
    """Bits of any other term of the search space."""
    rounded_bits: float = 4.0
    """Bits of ⌈log p⌉ and, unless only powers of two were measured, of ⌊log p⌋."""
    unrounded_bits: float = 5.0
    """Bits by which a formula is shorter that needs no rounding."""
    negligible_bits: float = 10.0
    """A formula that is longer by so many bits weighs nothing."""
    least_but_one: int = 6
    """Settings, or half of them, by which a formula is told though one is off."""
    most_lost: float = 0.5
    """Share of the foretold count by which that one is off: a lost message, where a
    formula that is wrong is off by a multiple."""
    formulas_of_half: int = 5
    """Shortest formulas of a half that name suspects."""
    farthest: int = 3
    """Counts that a formula of free coefficients suspects."""
    held: float = 0.95
    """Share of the weight of all formulas whose values the bounds enclose."""
    smooth_weight: float = 0.05
    """Weight of the smooth function from which on its bounds count, too."""
    likely: float = 0.02
    """Weight of a growth that a further setting is to tell apart."""
    clearly: float = 4.0
    """Half-units by which values differ that are told apart."""
    dense: int = 4096
    """Whole numbers up to here are tried, up to twice the largest setting."""
    farther: tuple[int, ...] = (2, 3, 4, 6, 8, 12, 16, 32, 64)
    """Multiples of the largest setting that are tried."""
    round_bases: tuple[int, ...] = (2, 10)
    """Bases whose powers make their multiples round numbers."""
    ratios: tuple[float, ...] = (1.0, -1.0, 2.0, -2.0, 0.5, -0.5)
    """Ratios of the terms of a sum whose factor alone is free."""
    polynomial: int = 3
    """Degree of the polynomial with all of its terms."""
    least_freedom: int = 2
    """Settings beyond the coefficients, or anything would fit."""
    relative: float = 1e-9
    """Relative difference of values that a computer may have rounded apart."""
    beside_largest: float = 1e-12
    """The same, relative to the largest value of a series."""
    most_decimals: int = 6
    """Decimals of a printed value, at most."""
    majority: float = 2 / 3
    """Share of the repetitions of a whole number that agree although a few do not."""
    least_majority: int = 3
    """Repetitions of which a majority is one."""
    witnesses: int = 2
    """Combinations of the other parameters at which a count stays the same."""
    # Limits: no answer depends on them.
    slack: float = 1.0001
    """Half a unit of the last digit, and what a computer rounds besides."""
    most_binding: int = 16
    """Settings, evenly spread, that bound coefficients left open by rounding."""
    singular: float = 1e-12
    """Relative determinant below which equations have no solution."""
    over: float = 1e-6
    """Share of the tolerance by which rounding by the computer may exceed it."""
    most_sums: int = 20_000
    """Sums of one kind; of more, those with the most bits are left out."""
    most_terms: int = 100
    """Terms that sums are made of; three parameters have seven hundred."""
    most_bits: float = 60.0
    """Bits by which one description is shorter than another, at most."""
    largest_log: float = 600.0
    """Logarithm of a count beyond which none is foretold."""
    largest_log2: float = 53.0
    """No exact count, and no exponential that tells one, exceeds 2 to this power."""


ASSUMED: Final = Assumptions()
