"""The formulas that reproduce exact counts, none much longer than the shortest.

A single count may be off, as where a message was lost.

To leave out each setting in turn asks for as many searches as there are settings. One
count that is off lies in only one of two halves, so a formula that holds elsewhere
holds in the other half, and is far from that count.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from math import inf

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.exact_counts.assumptions import ASSUMED
from scalewatch.modelling.exact_counts.description_length import Atom, dictionary
from scalewatch.modelling.exact_counts.exactness import Rounding
from scalewatch.modelling.exact_counts.formula import Formula
from scalewatch.modelling.exact_counts.free_sums import TermSets
from scalewatch.modelling.exact_counts.proportional import Proportions
from scalewatch.modelling.growths.growth import CONSTANT

Columns = tuple[tuple[str, tuple[float, ...]], ...]
"""Names of parameters and their settings."""


def holding_formulas(
    settings: Mapping[str, Reals], y: Reals, rounding: Rounding, most: float
) -> list[Formula]:
    """Return the formulas that hold, the shortest first and none much longer."""
    if (y == y[0]).all():
        atom = Atom(CONSTANT, ASSUMED.common_bits)
        return [Formula((atom,), np.array([y[0]]), -ASSUMED.most_bits)]
    columns = tuple((name, tuple(x.tolist())) for name, x in settings.items())
    held: list[Formula] = []
    for search in _searches(_grid(columns), y, rounding):
        held += (
            formula
            for formula in search(most)
            if formula.bits <= most and formula.model.leading_coefficient > 0
        )
        shortest = min((formula.bits for formula in held), default=inf)
        most = min(most, shortest + ASSUMED.negligible_bits)
    distinct: dict[tuple[object, ...], Formula] = {}
    for formula in sorted(held, key=lambda formula: formula.bits):
        ratios = np.round(formula.coefficients / formula.coefficients[0], 9)
        is_fixed = formula.scale is not None or formula.tolerance is None
        shape = tuple(ratios.tolist()) if is_fixed else ()
        distinct.setdefault((formula.atoms, formula.tolerance is None, shape), formula)
    return list(distinct.values())


@dataclass(frozen=True, slots=True)
class _Grid:
    """Terms and sums that formulas of some settings are made of."""

    proportions: Proportions
    sets: tuple[TermSets, ...]


def _grid(columns: Columns) -> _Grid:
    """Return what formulas are made of; many series have the same settings."""
    return _of_one(columns) if len(columns) == 1 else _of_several(columns)


@lru_cache(maxsize=64)
def _of_one(columns: Columns) -> _Grid:
    return _made(columns)


# A grid of several parameters takes tens of megabytes; a series asks for that of all
# settings and those of two halves.
@lru_cache(maxsize=3)
def _of_several(columns: Columns) -> _Grid:
    return _made(columns)


def _made(columns: Columns) -> _Grid:
    settings = {name: np.array(x) for name, x in columns}
    atoms: tuple[Atom, ...] = dictionary(settings)
    return _Grid(Proportions.of(atoms, settings), TermSets.all_of(atoms, settings))


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
    bonus = 0.0 if rounding.printed is None else ASSUMED.unrounded_bits
    for formula in source.formulas(
        y, rounding.tolerance, most + bonus, is_printed=False
    ):
        yield replace(formula, bits=formula.bits - bonus)


def suspects(
    settings: Mapping[str, Reals], y: Reals, rounding: Rounding, most: float
) -> Indices:
    """Return the places of counts that may be off, rising.

    Parameters
    ----------
    settings, y
        As for `Counts.of`.
    rounding
        Of the counts.
    most
        Bits of the longest formula.
    """
    places = np.arange(len(y))
    if len(y) < 2 * ASSUMED.least_but_one:
        return places
    tolerance = rounding.tolerance if rounding.printed is None else rounding.printed
    places_off: set[int] = set()
    for half in (places % 2 == 0, places % 2 == 1):
        of_half = Rounding(rounding.half_unit, rounding.tolerance[half])
        here = {name: x[half] for name, x in settings.items()}
        for formula in holding_formulas(here, y[half], of_half, most)[
            : ASSUMED.formulas_of_half
        ]:
            off = np.abs(y - formula.model(settings)) / tolerance
            many = 1 if formula.tolerance is None else ASSUMED.farthest
            places_off.update(np.argsort(-off, kind="stable")[:many].tolist())
    return np.array(sorted(places_off), dtype=np.intp)
