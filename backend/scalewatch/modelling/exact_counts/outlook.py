"""What formulas of exact counts foretell, and which setting would tell them apart."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.exact_counts.counts import Counts
from scalewatch.modelling.exact_counts.formula import Formula
from scalewatch.modelling.exact_counts.rounding import Rounding
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.model import ADDABLE_LOG2
from scalewatch.modelling.misfit.local_exponents import ExponentInterval

HELD: Final = 0.95
"""Share of the weight of all formulas whose values the bounds enclose."""

SMALL: Final = 0.05
"""Weight of the smooth function from which on its bounds count, too."""

LIKELY: Final = 0.02
"""Weight of a growth that a further setting is to tell apart."""

CLEARLY: Final = 4.0
"""Half-units by which values differ that are told apart."""

DENSE: Final = 4096
"""Whole numbers up to here are tried, up to twice the largest setting."""

FARTHER: Final = (2, 3, 4, 6, 8, 12, 16, 32, 64)


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
    interval = exponents(counts) if counts.unexplained > SMALL else None
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
    further = _further(x)
    further = further[_are_numbers(rivals, {name: further})]
    values = np.stack(
        [formula.hull({name: x}, counts.y, {name: further})[0] for formula in rivals]
    )
    half = Rounding.of(counts.y).half_unit or 0.0
    needed = np.maximum(CLEARLY * half, 1e-6 * np.abs(values[0]))
    gaps = np.diff(np.sort(values, axis=0), axis=0).min(axis=0)
    tells = np.flatnonzero(gaps > needed)
    return {name: float(further[tells[0]])} if len(tells) else None


def _hulls(counts: Counts, targets: Mapping[str, Reals]) -> Iterator[Reals]:
    """Yield value, low and high of the formulas that hold most of the weight."""
    held = 0.0
    enough = HELD * counts.weights.sum()
    for formula, weight in zip(counts.formulas, counts.weights.tolist(), strict=True):
        yield np.stack(formula.hull(counts.settings, counts.y, targets))
        held += weight
        if held >= enough:
            return


def _are_numbers(
    formulas: Sequence[Formula], settings: Mapping[str, Reals]
) -> NDArray[np.bool_]:
    """Tell at which settings the terms of all formulas are numbers that add up."""
    growths = {atom.growth for formula in formulas for atom in formula.atoms}
    sizes = [growth.log2(settings) for growth in growths]
    return np.asarray(np.max(sizes, axis=0) <= ADDABLE_LOG2)


def _best_of_each_growth(counts: Counts) -> Iterator[Formula]:
    probability = counts.class_probability
    seen: set[Growth] = set()
    for formula in counts.formulas:
        growth = formula.growth
        if growth not in seen and probability[growth] > LIKELY:
            seen.add(growth)
            yield formula


def _further(x: Reals) -> Reals:
    """Return settings beside those measured, rising."""
    last = x[-1]
    dense = np.arange(max(2.0, np.ceil(x[0])), min(2 * last, DENSE) + 1)
    return np.setdiff1d(np.concatenate([dense, last * np.array(FARTHER)]), x)
