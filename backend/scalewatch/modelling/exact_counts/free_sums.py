"""Formulas whose coefficients are free and signed: 8580 + 8p, 1.88 m³ - 2 m².

All sets of two and of three terms, and of two parameters the products of two sums of
two, such as (n - 1)·(p - 1), are fitted at once, by an orthonormal basis of each
that depends on the settings alone. Least squares leave at most √n times what the best
fit leaves at any setting, so few sets remain whose coefficients have to be found.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
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
from scalewatch.modelling.exact_counts.formula import Formula, corners
from scalewatch.modelling.growths.fractions import simple_fraction
from scalewatch.modelling.growths.growth import CONSTANT

MISSING: Final = -1


@dataclass(frozen=True, slots=True)
class TermSets:
    """Sets of K terms each.

    Parameters
    ----------
    atoms
        All terms, N of them.
    values
        At the settings, shape (N, n).
    members
        Which terms are in which set, shape (sets, K), the fastest first.
    bases
        Orthonormal bases, shape (sets, n, K).
    bits
        Of the terms, without coefficients, shape (sets,).
    """

    atoms: Sequence[Atom]
    values: Reals
    members: Indices
    bases: Reals
    bits: Reals

    @classmethod
    def all_of(
        cls, atoms: Sequence[Atom], settings: Mapping[str, Reals]
    ) -> "tuple[TermSets, ...]":
        """Return the sets of one size each that the settings can tell."""
        falling = sorted(atoms, key=lambda atom: atom.growth, reverse=True)
        values = np.stack([atom.values(settings) for atom in falling])
        sizes = [
            size
            for size in (2, 3, 4)
            if size + ASSUMED.least_freedom <= values.shape[1]
        ]
        members = [np.array(list(_members(falling, size))) for size in sizes]
        return tuple(cls._of(falling, values, sets) for sets in members if sets.size)

    @classmethod
    def _of(cls, atoms: Sequence[Atom], values: Reals, members: Indices) -> "TermSets":
        bits = np.array([atom.bits for atom in atoms])[members].sum(axis=1)
        simplest = np.argsort(bits, kind="stable")[: ASSUMED.most_sums]
        members, bits = members[simplest], bits[simplest]
        columns = values[members].transpose(0, 2, 1)
        columns = columns / np.abs(columns).max(axis=1, keepdims=True)
        return cls(atoms, values, members, np.linalg.qr(columns)[0], bits)

    @property
    def size(self) -> int:
        """K."""
        return int(self.members.shape[1])

    def formulas(
        self, y: Reals, tolerance: Reals, most: float, *, is_printed: bool
    ) -> Iterator[Formula]:
        """Yield the sets that reproduce counts, as `Proportions.formulas`."""
        free = free_bits(y, tolerance)
        least = free if is_printed else min(free, LEAST_BITS)
        short = np.flatnonzero(self.bits + self.size * least <= most)
        bases = self.bases[short]
        along = np.matmul(bases.transpose(0, 2, 1), y)[..., np.newaxis]
        residual = y - np.matmul(bases, along)[..., 0]
        left = np.sqrt((residual**2).sum(axis=1))
        near: Indices = short[left <= np.sqrt((tolerance**2).sum())]
        for place in near.tolist():
            members = self.members[place]
            fitted = _fit(self.values[members].T, y, tolerance, is_printed=is_printed)
            if fitted is None:
                continue
            bits = float(self.bits[place])
            bits += sum(
                free if is_printed else coefficient_bits(each, free)
                for each in fitted.tolist()
            )
            is_open = is_printed or None in map(simple_fraction, fitted.tolist())
            atoms = tuple(self.atoms[each] for each in members)
            yield Formula(atoms, fitted, bits, tolerance if is_open else None)


def _members(falling: Sequence[Atom], size: int) -> Iterator[tuple[int, ...]]:
    """Yield sets of terms; the rarest ones stand alone beside a constant."""
    parameters = {name for atom in falling for name in atom.growth.parameters}
    if size > ASSUMED.polynomial and len(parameters) > 1:
        yield from _products(falling, sorted(parameters))
        return
    known = [k for k, atom in enumerate(falling) if atom.bits < ASSUMED.other_bits]
    known = simplest_terms(falling, known, ASSUMED.most_terms)
    if size > ASSUMED.polynomial:
        whole = [
            k
            for k in known
            if all(
                factor.power.denominator == 1 and factor.power > 0 and not factor.log
                for factor in falling[k].growth.factors
            )
        ]
        yield from combinations(whole[-size:], size) if len(whole) == size else ()
        return
    yield from sums_of(falling, known, size)
    if size == 2:
        (constant,) = (k for k, atom in enumerate(falling) if atom.growth == CONSTANT)
        for other in range(len(falling)):
            if other not in known:
                yield (other, constant) if other < constant else (constant, other)


def _products(
    falling: Sequence[Atom], parameters: Sequence[str]
) -> Iterator[tuple[int, ...]]:
    """Yield the terms of all (t + u)·(v + w), t and u of one of two parameters."""
    if len(parameters) > 2:
        return
    places = {
        atom.growth: place for place, atom in enumerate(falling) if not atom.rounding
    }
    first, second = (
        [each for each in places if {*each.parameters} <= {name}] for name in parameters
    )
    table = np.array([[places.get(t * v, MISSING) for v in second] for t in first])
    for rows, columns in product(
        combinations(range(len(first)), 2), combinations(range(len(second)), 2)
    ):
        members = table[np.ix_(rows, columns)].ravel().tolist()
        if MISSING not in members:
            yield tuple(sorted(members))


def _fit(
    design: Reals, y: Reals, tolerance: Reals, *, is_printed: bool
) -> Reals | None:
    """Return coefficients within the tolerance, None where there are none."""
    weight = 1 / tolerance
    size = np.abs(design).max(axis=0)
    fitted = np.linalg.lstsq(
        design / size * weight[:, np.newaxis], y * weight, rcond=None
    )[0]
    coefficients: Reals = fitted / size
    for candidate in (
        np.array([float(simple_fraction(c) or c) for c in coefficients.tolist()]),
        coefficients,
    ):
        if (np.abs(design @ candidate - y) <= tolerance).all():
            return candidate
    if not is_printed:
        return None
    possible = corners(design, y, tolerance)
    if not len(possible):
        return None
    middle: Reals = possible.mean(axis=0)
    return middle
