"""Formulas a·(T + r·U) of a small fixed ratio: p - 1, p(p-1)/2, p log p - p.

Each setting bounds a by [(y - h)/s, (y + h)/s], s the sum at the setting; where these
intervals have something in common, the formula holds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import floor, log2
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.exact_counts.assumptions import ASSUMED
from scalewatch.modelling.exact_counts.description_length import (
    LEAST_BITS,
    Atom,
    coefficient_bits,
    free_bits,
    simplest_terms,
    sums_of,
)
from scalewatch.modelling.exact_counts.formula import Formula

RATIO_BITS: Final = log2(len(ASSUMED.ratios))


@dataclass(frozen=True, slots=True)
class Proportions:
    """All sums with fixed ratios.

    Parameters
    ----------
    atoms
        All terms, N of them.
    members, ratios
        Of each sum its terms, the fastest first, and their ratios to it, shape (M, 2);
        0 where there are fewer.
    sums
        Values at the settings, shape (M, n).
    bits
        Without the factor a, shape (M,).
    """

    atoms: Sequence[Atom]
    members: Indices
    ratios: Reals
    sums: Reals
    bits: Reals

    @classmethod
    def of(
        cls, atoms: tuple[Atom, ...], settings: Mapping[str, Reals]
    ) -> "Proportions":
        """Evaluate the sums of one term and of two."""
        members, ratios, bits = _sums(atoms)
        values = np.stack([atom.values(settings) for atom in atoms])
        sums = (ratios[..., np.newaxis] * values[members]).sum(axis=1)
        return cls(atoms, members, ratios, sums, bits)

    def formulas(
        self, y: Reals, tolerance: Reals, most: float, *, is_printed: bool
    ) -> Iterator[Formula]:
        """Yield the sums that hold with some factor.

        Parameters
        ----------
        y, tolerance
            Counts, and how far they may be off, shape (n,).
        most
            Bits beyond which no formula counts.
        is_printed
            Whether they were rounded, so that the factor is known within bounds.
        """
        lowest, highest = self._factors(y, tolerance)
        holds = (lowest <= highest) & (lowest > 0) & np.isfinite(highest)
        holds &= self.bits + LEAST_BITS <= most
        for place in np.flatnonzero(holds).tolist():
            low, high = float(lowest[place]), float(highest[place])
            factor = _roundest(low, high)
            free = free_bits(factor * self.sums[place], tolerance)
            simple = coefficient_bits(factor, free)
            is_there = self.ratios[place] != 0
            terms = tuple(self.atoms[each] for each in self.members[place][is_there])
            ratios = self.ratios[place][is_there]
            bits = float(self.bits[place])
            if not is_printed or simple < free:
                yield Formula(
                    terms,
                    factor * ratios,
                    bits + simple,
                    None if simple < free else tolerance,
                    None if simple < free else (low / factor, high / factor),
                )
            if is_printed:
                yield Formula(
                    terms,
                    factor * ratios,
                    bits + free,
                    tolerance,
                    (low / factor, high / factor),
                )

    def _factors(self, y: Reals, tolerance: Reals) -> tuple[Reals, Reals]:
        """Return the least and the largest factor of each sum, shape (M,)."""
        is_zero = self.sums == 0
        with np.errstate(divide="ignore", invalid="ignore"):
            below, above = (y - tolerance) / self.sums, (y + tolerance) / self.sums
        never = np.where(np.abs(y) <= tolerance, -np.inf, np.inf)
        low = np.where(is_zero, never, np.minimum(below, above))
        high = np.where(is_zero, np.inf, np.maximum(below, above))
        return low.max(axis=1), high.min(axis=1)


# Settings differ more than the terms that are defined at them.
@lru_cache(maxsize=16)
def _sums(atoms: tuple[Atom, ...]) -> tuple[Indices, Reals, Reals]:
    """Return the members, ratios and bits of the simplest sums."""
    falling = sorted(range(len(atoms)), key=lambda k: atoms[k].growth, reverse=True)
    known = [each for each in falling if atoms[each].bits <= ASSUMED.rarer_bits]
    known = simplest_terms(atoms, known, ASSUMED.most_terms)
    every: list[tuple[tuple[int, ...], tuple[float, ...]]] = [
        *(((each,), (1.0,)) for each in falling),
        *product(sums_of(atoms, known, 2), ((1.0, ratio) for ratio in ASSUMED.ratios)),
    ]
    members = np.zeros((len(every), 2), dtype=np.intp)
    ratios = np.zeros((len(every), 2))
    for row, (terms, proportions) in enumerate(every):
        members[row, : len(terms)], ratios[row, : len(proportions)] = terms, proportions
    own_bits = np.array([atom.bits for atom in atoms])[members] + RATIO_BITS
    bits = (own_bits * (ratios != 0)).sum(axis=1) - RATIO_BITS
    simplest = np.argsort(bits, kind="stable")[: ASSUMED.most_sums]
    return members[simplest], ratios[simplest], bits[simplest]


def _roundest(low: float, high: float) -> float:
    """Return the roundest number between two."""
    for parts in (1, 2, 4, 10):
        whole = floor(high * parts)
        if whole > 0 and whole >= low * parts:
            return whole / parts
    return (low + high) / 2
