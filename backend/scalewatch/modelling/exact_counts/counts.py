"""Exact counts: which formulas of the dictionary reproduce them, and how surely.

The formulas of `proportional` and `free_sums` are weighed by their description lengths
against each other and against "some other smooth function", see `description_length`.
Where one growth holds most of the weight the counts are *exact*, where several share it
they are *ambiguous*, and *none* fits where the smooth function is likelier or nothing
holds at all.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache, partial
from math import inf, log2
from typing import Final

import numpy as np

from scalewatch.modelling.arrays.types import Reals
from scalewatch.modelling.exact_counts.description_length import raw_bits, smooth_bits
from scalewatch.modelling.exact_counts.dictionary import (
    COMMON_BITS,
    Atom,
    dictionary,
)
from scalewatch.modelling.exact_counts.formula import Formula
from scalewatch.modelling.exact_counts.free_sums import TermSets
from scalewatch.modelling.exact_counts.proportional import Proportions
from scalewatch.modelling.exact_counts.rounding import Rounding
from scalewatch.modelling.growths.growth import CONSTANT, Growth

MARGIN: Final = 3.0
"""Bits by which a formula has to be shorter than the counts themselves."""

UNROUNDED_BITS: Final = 5.0
"""Bits by which a formula is shorter that tells all digits without being rounded."""

FEWEST_BUT_ONE: Final = 6
"""Settings of which one may be off."""

KEPT: Final = 40
"""Formulas that are told apart; the others weigh nothing."""

LEAST_WEIGHT: Final = 1e-3

NEGLIGIBLE_BITS: Final = 10.0
"""By so many bits longer a formula weighs nothing."""

Columns = tuple[tuple[str, tuple[float, ...]], ...]
"""Names of parameters and their settings."""

LARGEST_BITS: Final = 60.0


class Outcome(StrEnum):
    """What the description lengths of exact counts tell."""

    EXACT = "exact"
    AMBIGUOUS = "ambiguous"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Counts:
    """Exact counts and the formulas that reproduce them.

    Parameters
    ----------
    settings, y
        Per parameter its settings, and the counts, shape (n,).
    formulas
        The shortest first.
    weights
        Of the formulas, shape (F,); what is missing to 1 has the smooth function.
    excepted
        Place of one count that the formulas do not tell, such as that of a job whose
        message was lost.
    """

    settings: Mapping[str, Reals]
    y: Reals
    formulas: tuple[Formula, ...]
    weights: Reals
    excepted: int | None = None

    @classmethod
    def of(cls, settings: Mapping[str, Reals], y: Reals) -> "Counts":
        """Weigh what reproduces counts.

        Parameters
        ----------
        settings
            Per parameter its settings, shape (n,), distinct as tuples, rising.
        y
            Counts, finite, shape (n,).
        """
        rounding = Rounding.of(y)
        digit = 2 * rounding.half_unit if rounding.half_unit else 1.0
        if digit != 1:
            # In units of the last digit a coefficient of a few of them is a small one.
            whole = cls.of(settings, np.round(y / digit))
            formulas = tuple(each.scaled(digit) for each in whole.formulas)
            return replace(whole, y=whole.y * digit, formulas=formulas)
        smooth = _smooth(settings, y, rounding)
        most = min(raw_bits(y, rounding) - MARGIN, smooth + NEGLIGIBLE_BITS)
        held = _holding(settings, y, rounding, most)
        counts = cls._weighed(settings, y, held, smooth)
        if len(y) < FEWEST_BUT_ONE or counts.is_without_rounding:
            return counts
        return min(
            (counts, *cls._but_one(settings, y, rounding, smooth, most)),
            key=lambda each: each.formulas[0].bits if each.formulas else inf,
        )

    @classmethod
    def _but_one(
        cls,
        settings: Mapping[str, Reals],
        y: Reals,
        rounding: Rounding,
        smooth: float,
        most: float,
    ) -> "Iterator[Counts]":
        """Yield what reproduces all counts but one, which is told in full."""
        for place in range(len(y)):
            kept = np.arange(len(y)) != place
            others = {name: x[kept] for name, x in settings.items()}
            told = Rounding(rounding.half_unit, rounding.tolerance[kept])
            more = log2(len(y)) + raw_bits(y[place : place + 1], rounding)
            formulas = [
                replace(each, bits=each.bits + more)
                for each in _holding(others, y[kept], told, most - more)
            ]
            found = cls._weighed(others, y[kept], formulas, smooth)
            yield replace(found, excepted=place)

    @classmethod
    def _weighed(
        cls,
        settings: Mapping[str, Reals],
        y: Reals,
        formulas: Sequence[Formula],
        smooth: float,
    ) -> "Counts":
        """Keep the formulas that weigh anything beside the smooth function."""
        if not formulas:
            return cls(settings, y, (), np.zeros(0))
        bits = np.array([each.bits for each in formulas])
        weights = np.exp2(bits[0] - bits)
        rival = np.exp2(min(LARGEST_BITS, bits[0] - smooth))
        share = weights.sum() / (weights.sum() + rival)
        kept = np.flatnonzero(weights / weights.sum() > LEAST_WEIGHT)[:KEPT]
        weights = weights[kept] / weights[kept].sum() * share
        return cls(settings, y, tuple(formulas[each] for each in kept), weights)

    @property
    def is_without_rounding(self) -> bool:
        """Whether the shortest formula tells all digits and leaves nothing open."""
        return bool(self.formulas) and self.formulas[0].tolerance is None

    @property
    def unexplained(self) -> float:
        """Weight of "some other smooth function", 1 where no formula holds."""
        return 1.0 - float(self.weights.sum())

    @property
    def class_probability(self) -> dict[Growth, float]:
        """Weight of each growth, the likeliest first."""
        probability: dict[Growth, float] = {}
        for formula, weight in zip(self.formulas, self.weights.tolist(), strict=True):
            growth = formula.growth
            probability[growth] = probability.get(growth, 0.0) + weight
        return dict(sorted(probability.items(), key=lambda each: -each[1]))

    def outcome(self, level: float) -> Outcome:
        """Return what is settled with a probability."""
        if self.unexplained > 0.5:
            return Outcome.NONE
        likeliest = next(iter(self.class_probability.values()))
        return Outcome.EXACT if likeliest >= level else Outcome.AMBIGUOUS


@dataclass(frozen=True, slots=True)
class _Grid:
    """What formulas of some settings are made of."""

    proportions: Proportions
    sets: tuple[TermSets, ...]


def _grid(columns: Columns) -> _Grid:
    """Return what formulas are made of; many series have the same settings."""
    return _of_one(columns) if len(columns) == 1 else _of_several(columns)


@lru_cache(maxsize=64)
def _of_one(columns: Columns) -> _Grid:
    return _made(columns)


# A grid of several parameters takes tens of megabytes.
@lru_cache(maxsize=2)
def _of_several(columns: Columns) -> _Grid:
    return _made(columns)


def _made(columns: Columns) -> _Grid:
    settings = {name: np.array(x) for name, x in columns}
    atoms: tuple[Atom, ...] = dictionary(settings)
    return _Grid(Proportions.of(atoms, settings), TermSets.all_of(atoms, settings))


def _holding(
    settings: Mapping[str, Reals], y: Reals, rounding: Rounding, most: float
) -> list[Formula]:
    """Return the formulas that hold, the shortest first and none much longer."""
    if (y == y[0]).all():
        return [_constant(y[0])]
    columns = tuple((name, tuple(x.tolist())) for name, x in settings.items())
    held: list[Formula] = []
    for found in _searches(_grid(columns), y, rounding):
        held += (
            each
            for each in found(most)
            if each.bits <= most and _is_sensible(each, settings, rounding)
        )
        shortest = min((each.bits for each in held), default=inf)
        most = min(most, shortest + NEGLIGIBLE_BITS)
    return _distinct(held)


def _searches(
    grid: _Grid, y: Reals, rounding: Rounding
) -> Iterator[Callable[[float], Iterator[Formula]]]:
    """Yield searches for formulas of at most so many bits, simple ones first."""
    sources: Sequence[Proportions | TermSets] = (grid.proportions, *grid.sets)
    for source in sources:
        yield partial(_unrounded, source, y, rounding)
        if rounding.printed is not None:
            yield partial(source.formulas, y, rounding.printed, is_printed=True)


def _unrounded(
    source: Proportions | TermSets, y: Reals, rounding: Rounding, most: float
) -> Iterator[Formula]:
    """Yield formulas that need no rounding, shorter where others would."""
    bonus = 0.0 if rounding.printed is None else UNROUNDED_BITS
    for each in source.formulas(y, rounding.tolerance, most + bonus, is_printed=False):
        yield replace(each, bits=each.bits - bonus)


def _constant(value: float) -> Formula:
    """Return the formula of counts that are all the same, for which no other is."""
    atom = Atom(CONSTANT, COMMON_BITS)
    return Formula((atom,), np.array([value]), -LARGEST_BITS)


def _is_sensible(
    formula: Formula, settings: Mapping[str, Reals], rounding: Rounding
) -> bool:
    """Tell whether the leading term is positive and each term can be seen."""
    tolerance = rounding.tolerance if formula.tolerance is None else formula.tolerance
    if formula.model.leading_coefficient <= 0:
        return False
    if len(formula.atoms) == 1:
        return True
    return all(
        (np.abs(coefficient * atom.values(settings)) > 2 * tolerance).any()
        for atom, coefficient in zip(
            formula.atoms, formula.coefficients.tolist(), strict=True
        )
    )


def _distinct(formulas: Iterable[Formula]) -> list[Formula]:
    """Return formulas once each, the shortest first."""
    distinct: dict[tuple[object, ...], Formula] = {}
    for formula in sorted(formulas, key=lambda each: each.bits):
        ratios = np.round(formula.coefficients / formula.coefficients[0], 9)
        is_fixed = formula.scale is not None or formula.tolerance is None
        shape = tuple(ratios.tolist()) if is_fixed else ()
        distinct.setdefault((formula.atoms, formula.tolerance is None, shape), formula)
    return list(distinct.values())


def _smooth(settings: Mapping[str, Reals], y: Reals, rounding: Rounding) -> float:
    if len(settings) > 1:
        return raw_bits(y, rounding)
    (x,) = settings.values()
    return smooth_bits(x, y, rounding)
