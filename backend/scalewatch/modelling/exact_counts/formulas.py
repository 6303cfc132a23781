"""Formulas that reproduce exact counts, and what they foretell.

Of a·(T + r·U) with a small fixed ratio, such as p - 1, p(p-1)/2, p log p - p, each
setting bounds a by [(y - h)/s, (y + h)/s], s the sum at the setting; where these
intervals have something in common, the formula holds.

Coefficients may be free and signed as well: 8580 + 8p, 1.88 m³ - 2 m². All sets of two
and of three terms, and of two parameters the products of two sums of two, such as (n -
1)·(p - 1), are fitted at once, by an orthonormal basis of each that depends on the
settings alone. Least squares leave at most √n times what the best fit leaves at any
setting, so few sets remain whose coefficients have to be found.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, product
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
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.model import Model, simple_fraction


@dataclass(frozen=True, slots=True)
class Formula:
    """A sum of terms.

    Parameters
    ----------
    atoms, coefficients
        Of its K terms, the fastest first, shape (K,).
    bits
        Its description length.
    tolerance
        How far it may be from the counts, shape (n,); None where its coefficients are
        fractions that leave nothing open.
    scale
        Factors by which it may be scaled as a whole; None where coefficients are free
        one by one.
    """

    atoms: tuple[Atom, ...]
    coefficients: Reals
    bits: float
    tolerance: Reals | None = None
    scale: tuple[float, float] | None = None

    @property
    def growth(self) -> Growth:
        """Its leading-order term."""
        return self.model.growth

    @property
    def model(self) -> Model:
        """It as a model."""
        pairs = list(zip(self.atoms, self.coefficients.tolist(), strict=True))
        constant = sum(c for atom, c in pairs if atom.growth == CONSTANT)
        terms = [atom.term(c) for atom, c in pairs if atom.growth != CONSTANT]
        return Model(float(constant), tuple(terms[::-1]), is_exact=True)

    def scaled(self, factor: float) -> "Formula":
        """Return that of counts which are so many times as large."""
        tolerance = None if self.tolerance is None else self.tolerance * factor
        return replace(
            self, coefficients=self.coefficients * factor, tolerance=tolerance
        )

    def hull(
        self, settings: Mapping[str, Reals], y: Reals, targets: Mapping[str, Reals]
    ) -> tuple[Reals, Reals, Reals]:
        """Return value, low and high at targets: all that the tolerance allows.

        Parameters
        ----------
        settings, y
            Where the counts were taken, and the counts, shape (n,).
        targets
            Settings, shape (T,).
        """
        beyond = np.stack([atom.values(targets) for atom in self.atoms])
        value = self.coefficients @ beyond
        if self.tolerance is None:
            return value, value, value
        if self.scale is not None:
            ends = np.multiply.outer(np.array(self.scale), value)
            return value, ends.min(axis=0), ends.max(axis=0)
        design = np.stack([atom.values(settings) for atom in self.atoms], axis=1)
        assert self.tolerance is not None
        every = np.concatenate(
            [corners(design, y, self.tolerance) @ beyond, value[np.newaxis]]
        )
        return value, every.min(axis=0), every.max(axis=0)


def corners(design: Reals, y: Reals, tolerance: Reals) -> Reals:
    """Return the corners of all coefficients c with |design · c - y| ≤ tolerance.

    What a linear forecast may be at most and at least, it is at a corner.

    Parameters
    ----------
    design
        Terms at the settings, shape (n, K).
    y, tolerance
        Shape (n,).

    Returns
    -------
    array
        Shape (corners, K); none where no coefficients are so close.
    """
    points = len(y)
    spread = np.linspace(0, points - 1, min(points, ASSUMED.most_binding))
    binding = [int(each) for each in np.unique(spread.round())]
    rows = np.array(list(combinations(binding, design.shape[1])))
    squares = design[rows]
    size = np.abs(design).max(axis=0)
    is_regular = np.abs(np.linalg.det(squares / size)) > ASSUMED.singular
    squares, rows = squares[is_regular], rows[is_regular]
    if not len(rows):
        return np.empty((0, design.shape[1]))
    signs = np.array(list(product((-1.0, 1.0), repeat=design.shape[1])))
    bounds = y[rows][:, np.newaxis] + signs * tolerance[rows][:, np.newaxis]
    solved = np.linalg.solve(squares[:, np.newaxis], bounds[..., np.newaxis])[..., 0]
    solved = solved.reshape(-1, design.shape[1])
    is_inside = np.abs(solved @ design.T - y) <= tolerance * (1 + ASSUMED.over)
    inside: Reals = solved[is_inside[:, binding].all(axis=1)]
    return inside


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
