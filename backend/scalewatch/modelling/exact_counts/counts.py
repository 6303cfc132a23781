"""Exact counts: which formulas of the dictionary reproduce them, and how surely.

The `formulas` that hold, none much longer than the shortest, are weighed by their
description lengths against each other and against "some other smooth function", see
`description_length`. Where one growth holds most of the weight the counts are *exact*,
where several share it they are *ambiguous*, and *none* fits where the smooth function
is likelier or nothing holds at all.

The formulas that hold foretell values beyond the settings; where several hold, the
cheapest setting at which they differ would separate them.

A single count may be off, as where a message was lost. To leave out each setting in
turn asks for as many searches as there are settings. One count that is off lies in only
one of two halves, so a formula that holds elsewhere holds in the other half, and is far
from that count.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache, partial
from math import inf, log2

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.exact_counts.assumptions import ASSUMED
from scalewatch.modelling.exact_counts.description_length import (
    Atom,
    dictionary,
    raw_bits,
    smooth_bits,
)
from scalewatch.modelling.exact_counts.exactness import Rounding
from scalewatch.modelling.exact_counts.formulas import Formula, Proportions, TermSets
from scalewatch.modelling.growths.assumptions import ASSUMED as OF_GROWTHS
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.misfit import ExponentInterval

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


class Outcome(StrEnum):
    """Outcome of comparing the description lengths of exact counts."""

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
            formulas = tuple(candidate.scaled(digit) for candidate in whole.formulas)
            return replace(whole, y=whole.y * digit, formulas=formulas)
        smooth = _smooth(settings, y, rounding)
        most = min(
            raw_bits(y, rounding) - ASSUMED.margin, smooth + ASSUMED.negligible_bits
        )
        held = holding_formulas(settings, y, rounding, most)
        counts = cls._weighed(settings, y, held, smooth)
        if len(y) < ASSUMED.least_but_one or counts.is_without_rounding:
            return counts
        return min(
            (counts, *cls._but_one(settings, y, rounding, smooth, most)),
            key=lambda candidate: (
                candidate.formulas[0].bits if candidate.formulas else inf
            ),
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
        for place in suspects(settings, y, rounding, most).tolist():
            kept = np.arange(len(y)) != place
            others = {name: x[kept] for name, x in settings.items()}
            here = {name: x[place] for name, x in settings.items()}
            of_others = Rounding(rounding.half_unit, rounding.tolerance[kept])
            more = log2(len(y)) + raw_bits(y[place : place + 1], rounding)
            formulas = [
                replace(each, bits=each.bits + more)
                for each in holding_formulas(others, y[kept], of_others, most - more)
                if _is_almost(y[place], float(each.model(here)))
            ]
            counts = cls._weighed(others, y[kept], formulas, smooth)
            yield replace(counts, excepted=place)

    @classmethod
    def _weighed(
        cls,
        settings: Mapping[str, Reals],
        y: Reals,
        formulas: Sequence[Formula],
        smooth: float,
    ) -> "Counts":
        """Weigh formulas beside the smooth function."""
        if not formulas:
            return cls(settings, y, (), np.zeros(0))
        bits = np.array([each.bits for each in formulas])
        weights = np.exp2(bits[0] - bits)
        rival = np.exp2(min(ASSUMED.most_bits, bits[0] - smooth))
        share = weights.sum() / (weights.sum() + rival)
        return cls(settings, y, tuple(formulas), weights / weights.sum() * share)

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
        return dict(sorted(probability.items(), key=lambda item: -item[1]))

    def outcome(self, level: float) -> Outcome:
        """Return what is settled with a probability."""
        if self.unexplained > 0.5:
            return Outcome.NONE
        likeliest = next(iter(self.class_probability.values()))
        return Outcome.EXACT if likeliest >= level else Outcome.AMBIGUOUS


def _is_almost(count: float, foretold: float) -> bool:
    return abs(count - foretold) < ASSUMED.most_lost * abs(foretold)


def _smooth(settings: Mapping[str, Reals], y: Reals, rounding: Rounding) -> float:
    if len(settings) > 1:
        return raw_bits(y, rounding)
    (x,) = settings.values()
    return smooth_bits(x, y, rounding)


def exponents(counts: Counts) -> ExponentInterval | None:
    """Return the interval of the local exponent; None unless counts are positive."""
    if len(counts.settings) > 1 or not (counts.y > 0).all():
        return None
    (x,) = counts.settings.values()
    if not (x > 0).all():
        return None
    rounding = Rounding.of(counts.y)
    off = rounding.tolerance if rounding.printed is None else rounding.printed
    return ExponentInterval.of_exact(x, counts.y, off)


def outlook(counts: Counts, targets: Mapping[str, Reals]) -> Reals | None:
    """Return value, low and high at targets, shape (3, T).

    None where there is no formula and the local exponent is not known.

    Parameters
    ----------
    targets
        Settings of all parameters, shape (T,).
    """
    hulls = list(_hulls(counts, targets))
    interval = exponents(counts) if counts.unexplained > ASSUMED.smooth_weight else None
    if interval:
        ((name, x),) = counts.settings.items()
        grown = np.stack(interval.beyond(targets[name] / x[-1])) * counts.y[-1]
        hulls.insert(0 if counts.unexplained > 0.5 else len(hulls), grown)
    if not hulls or (counts.unexplained > 0.5 and not interval):
        return None
    every = np.stack(hulls)
    return np.stack([every[0, 0], every[:, 1].min(axis=0), every[:, 2].max(axis=0)])


def separating_setting(counts: Counts) -> dict[str, float] | None:
    """Return the cheapest further setting at which likely growths tell other counts.

    None where one growth is likely, none of those tried would do, or several
    parameters vary.
    """
    rivals = list(_best_of_each_growth(counts))
    if len(rivals) < 2 or len(counts.settings) > 1:
        return None
    ((name, x),) = counts.settings.items()
    last = x[-1]
    dense = np.arange(max(2.0, np.ceil(x[0])), min(2 * last, ASSUMED.dense) + 1)
    further = np.setdiff1d(np.concatenate([dense, last * np.array(ASSUMED.farther)]), x)
    growths = {atom.growth for formula in rivals for atom in formula.atoms}
    sizes = np.broadcast_arrays(
        *(growth.log2({name: further}) for growth in growths), further
    )[:-1]
    further = further[np.asarray(np.max(sizes, axis=0) <= OF_GROWTHS.addable_log2)]
    values = np.stack(
        [formula.hull({name: x}, counts.y, {name: further})[0] for formula in rivals]
    )
    half = Rounding.of(counts.y).half_unit or 0.0
    needed = np.maximum(ASSUMED.clearly * half, 1e-6 * np.abs(values[0]))
    gaps = np.diff(np.sort(values, axis=0), axis=0).min(axis=0)
    tells = np.flatnonzero(gaps > needed)
    return {name: float(further[tells[0]])} if len(tells) else None


def _hulls(counts: Counts, targets: Mapping[str, Reals]) -> Iterator[Reals]:
    """Yield value, low and high of the formulas that hold most of the weight."""
    held = 0.0
    enough = ASSUMED.held * counts.weights.sum()
    for formula, weight in zip(counts.formulas, counts.weights.tolist(), strict=True):
        yield np.stack(formula.hull(counts.settings, counts.y, targets))
        held += weight
        if held >= enough:
            return


def _best_of_each_growth(counts: Counts) -> Iterator[Formula]:
    probability = counts.class_probability
    seen: set[Growth] = set()
    for formula in counts.formulas:
        growth = formula.growth
        if growth not in seen and probability[growth] > ASSUMED.likely:
            seen.add(growth)
            yield formula
