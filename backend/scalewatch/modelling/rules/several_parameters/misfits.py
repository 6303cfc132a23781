"""Whether surfaces explain the settings, but for scatter that jobs have in common."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Indices
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.misfit.misfit import Misfits
from scalewatch.modelling.misfit.scatter import is_scatter
from scalewatch.modelling.rules.rule import Sample
from scalewatch.modelling.rules.several_parameters.answers import SelectedHypothesis
from scalewatch.modelling.rules.several_parameters.intervals import widened

FITTED: Final = 6
"""Degrees of freedom that a surface takes: terms, and the choice of them."""

MOST_SHARED: Final = 5.0
"""How many times as far as repetitions explain settings may lie from a surface because
of what repetitions of a job have in common."""

CAUTION: Final = 4.0
"""How many times the variance about the best surface becomes that of the noise: what
told it is judged by it, and of thousands of surfaces the best one was taken."""

WIDENING: Final = 1.2
"""By what factor their intervals are wider: under so much noise the simplest surface
is taken, and what lower-order terms are worth is not seen."""

ODDS: Final = 10.0
"""How many times as likely a verdict has to be: where settings tell little, what is
expected weighs more than they do."""


def _scattered(
    sample: Sample, misfits: Misfits | None, found: list[SelectedHypothesis]
) -> Indices:
    """Return flagged series that scatter about their surfaces, and do no more."""
    if misfits is None:
        return np.array([], dtype=np.intp)
    is_near = misfits.statistic[misfits.rows] <= MOST_SHARED**2
    near = misfits.rows[is_near].tolist()
    return np.array(
        [row for row in near if is_scatter(sample.settings, found[row].residuals)],
        dtype=np.intp,
    )


def _with_scatter(
    location: Location, series: Indices, found: list[SelectedHypothesis]
) -> Location:
    """Return locations of which some vary as settings scatter about their surfaces."""
    variance, freedom, known = (
        each.copy()
        for each in (location.variance, location.freedom, location.repeated_freedom)
    )
    left = len(location.log) - FITTED
    variance[series] = [CAUTION * found[row].least / left for row in series.tolist()]
    freedom[series] = known[series] = left
    return replace(location, variance=variance, freedom=freedom, repeated_freedom=known)


def misfits_of(
    sample: Sample,
    location: Location,
    found: list[SelectedHypothesis],
    ask: Callable[[Location], list[SelectedHypothesis]],
) -> Misfits | None:
    """Test for misfit; ask again about series that do no more than scatter.

    Parameters
    ----------
    sample, location
        Of S series.
    found
        What was found about each of them; overwritten where it is asked again.
    ask
        The contest, of locations with another variance.
    """
    misfits = _misfits(sample, location, found)
    shared = _scattered(sample, misfits, found)
    if not len(shared):
        return misfits
    location = _with_scatter(location, shared, found)
    again = ask(location.only(shared))
    for place, other in zip(shared.tolist(), again, strict=True):
        found[place] = _cautious(other)
    return _misfits(sample, location, found)


def _cautious(found: SelectedHypothesis) -> SelectedHypothesis:
    """Return what is found with wider intervals and a verdict that is less sure."""
    mismatch = float(found.verdicts[-1])
    least, most = sorted([mismatch, float(found.verdicts[:-1].sum())])
    verdicts = found.verdicts
    if least > 0:
        doubt = min(ODDS * least / (ODDS * least + most), 1 / 2)
        is_mismatch = mismatch > 1 / 2
        verdicts = verdicts * np.where(
            [is_mismatch, is_mismatch, not is_mismatch],
            doubt / least,
            (1 - doubt) / most,
        )
    return replace(
        found,
        forecasts=widened(found.forecasts, WIDENING),
        verdicts=verdicts,
    )


def _misfits(
    sample: Sample, location: Location, found: list[SelectedHypothesis]
) -> Misfits | None:
    """Test for misfit where settings are positive and more than can be fitted."""
    smallest = min(map(np.min, sample.settings.values()))
    if not found or smallest <= 0 or sample.values.shape[1] <= FITTED:
        return None
    least = np.array([each.least for each in found])
    return Misfits.of(sample.settings, location, least, sample.noise, FITTED)
