"""Models of several parameters: sums and products of single-parameter terms.

All hypotheses of `structures` compete, such as f·g, f + g and f·g + f. A series is
located by the logarithms of its repetitions, see `location`, and fitted relatively;
the likeliest hypothesis is selected, see `contest`.

Where the space admits too many hypotheses, as with three parameters, those compete
whose growths are the fittest of each parameter by itself, see `strong_scaling`. Where
the settings cannot tell a product from a sum, simplicity alone decides between them:
the verdict stays open unless both have the same, and says which measurement would
settle it.

Where settings scatter about the likeliest surface by more than repetitions tell, and do
no more than scatter, the contest is held again with that as the noise, see
`misfits_of`.

Where measurements fall along a parameter, as n/p does, hypotheses compete as well that
are multiples of 1/p, see `strong_scaling`.

References
----------
A. Calotoiu et al., "Fast Multi-Parameter Performance Modeling", CLUSTER 2016.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial, reduce

import numpy as np

from scalewatch.modelling.arrays import Indices, total
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.structures import count
from scalewatch.modelling.growths.terms import Terms, log2_table, term_table
from scalewatch.modelling.growths.verdict import judge
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.designs import never_together, unresolved
from scalewatch.modelling.measurements.estimators import located
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.misfit.misfit import Misfit, Misfits
from scalewatch.modelling.misfit.scatter import is_scatter
from scalewatch.modelling.rules.evidence.least_squares import LARGEST_RANGE
from scalewatch.modelling.rules.rule import Hypothesis, Rule, Sample, Selection
from scalewatch.modelling.rules.several_parameters.answers import (
    Questions,
    SelectedHypothesis,
)
from scalewatch.modelling.rules.several_parameters.assumptions import ASSUMED
from scalewatch.modelling.rules.several_parameters.competitors import common_growths
from scalewatch.modelling.rules.several_parameters.contest import Contest
from scalewatch.modelling.rules.several_parameters.elimination import Weights
from scalewatch.modelling.rules.several_parameters.intervals import widened
from scalewatch.modelling.rules.several_parameters.strong_scaling import (
    Base,
    falling,
    shortlist,
)
from scalewatch.reasons import NO_FACTORS, NOT_POSITIVE


def _scattered(
    sample: Sample, misfits: Misfits | None, selected: list[SelectedHypothesis]
) -> Indices:
    """Return flagged series that scatter about their surfaces, and do no more."""
    if misfits is None:
        return np.array([], dtype=np.intp)
    is_near = misfits.statistic[misfits.rows] <= ASSUMED.most_shared**2
    near = misfits.rows[is_near].tolist()
    return np.array(
        [row for row in near if is_scatter(sample.settings, selected[row].residuals)],
        dtype=np.intp,
    )


def misfits_of(
    sample: Sample,
    location: Location,
    selected: list[SelectedHypothesis],
    ask: Callable[[Location], list[SelectedHypothesis]],
) -> Misfits | None:
    """Test for misfit; ask again about series that do no more than scatter.

    Parameters
    ----------
    sample, location
        Of S series.
    selected
        What was found about each of them; overwritten where it is asked again.
    ask
        The contest, of locations with another variance.
    """
    misfits = _misfits(sample, location, selected)
    shared = _scattered(sample, misfits, selected)
    if not len(shared):
        return misfits
    variance, freedom, known = (
        each.copy()
        for each in (location.variance, location.freedom, location.repeated_freedom)
    )
    left = len(location.log) - ASSUMED.fitted
    variance[shared] = [
        ASSUMED.caution * selected[row].least / left for row in shared.tolist()
    ]
    freedom[shared] = known[shared] = left
    location = replace(
        location, variance=variance, freedom=freedom, repeated_freedom=known
    )
    again = ask(location.only(shared))
    for place, other in zip(shared.tolist(), again, strict=True):
        mismatch = float(other.verdicts[-1])
        least, most = sorted([mismatch, float(other.verdicts[:-1].sum())])
        verdicts = other.verdicts
        if least > 0:
            doubt = min(ASSUMED.odds * least / (ASSUMED.odds * least + most), 1 / 2)
            is_mismatch = mismatch > 1 / 2
            verdicts = verdicts * np.where(
                [is_mismatch, is_mismatch, not is_mismatch],
                doubt / least,
                (1 - doubt) / most,
            )
        selected[place] = replace(
            other,
            forecasts=widened(other.forecasts, ASSUMED.widening),
            verdicts=verdicts,
        )
    return _misfits(sample, location, selected)


def _misfits(
    sample: Sample, location: Location, selected: list[SelectedHypothesis]
) -> Misfits | None:
    """Test for misfit where settings are positive and more than can be fitted."""
    smallest = min(map(np.min, sample.settings.values()))
    if not selected or smallest <= 0 or sample.values.shape[1] <= ASSUMED.fitted:
        return None
    least = np.array([each.least for each in selected])
    return Misfits.of(sample.settings, location, least, sample.noise, ASSUMED.fitted)


def select(sample: Sample) -> Selection:
    """Select the likeliest sum of products for each series."""
    if not any(_terms(sample)):
        series = len(sample.values)
        return Selection(
            hypotheses=(),
            chosen=np.full(series, -1, dtype=np.intp),
            coefficients=np.zeros((series, 1)),
            adjusted_r2=np.full(series, np.nan),
            smape=np.full(series, np.nan),
            reasons=dict.fromkeys(range(series), NO_FACTORS),
        )
    rows = np.flatnonzero(np.fmin.reduce(sample.values, axis=(1, 2)) > 0)
    location = located(sample.values[rows], Noise(sample.summary))
    selected = _likeliest(sample, location)
    misfits = misfits_of(sample, location, selected, partial(_likeliest, sample))
    return _selection(sample, rows, selected, misfits)


def _likeliest(sample: Sample, location: Location) -> list[SelectedHypothesis]:
    """Return what is found about series, whatever base they have."""
    base = Base.none(sample.values.shape[1], len(sample.targets))
    selected = _answers(sample, base, location)
    if sample.may_fall:
        for base, falls in falling(sample.settings, sample.targets, location):
            others = _answers(sample, base, location.only(falls))
            for place, other in zip(falls.tolist(), others, strict=True):
                if other.evidence > selected[place].evidence:
                    selected[place] = other
    return selected


def _answers(
    sample: Sample, base: Base, location: Location
) -> list[SelectedHypothesis]:
    """Return what is found about series if all growths are multiples of a base."""
    if not location.log.shape[1]:
        return []
    log = location.log - np.log(base.tau)[:, np.newaxis]
    level = total(log) / len(log)
    weights = [
        Weights(*each)
        for each in zip(
            np.exp(np.clip(level - log, -LARGEST_RANGE, LARGEST_RANGE)).T,
            location.weight.T,
            location.variance.tolist(),
            location.freedom.tolist(),
            strict=True,
        )
    ]
    questions = map(_asked(sample, base), weights)
    return [
        question.answer(each).times(size)
        for question, each, size in zip(
            questions, weights, np.exp(level).tolist(), strict=True
        )
    ]


def _asked(sample: Sample, base: Base) -> Callable[[Weights], Questions]:
    """Return a function that holds the contest a series needs."""
    terms = tuple(_terms(sample))
    points = sample.values.shape[1]
    if count([len(each.growths) for each in terms]) <= ASSUMED.most_hypotheses:
        sizes = tuple(len(each.growths) for each in terms)
        has_sums = (
            len(terms) == 2
            and points >= ASSUMED.least_points
            and base.growth == CONSTANT
        )
        if has_sums:
            terms = tuple(_with_common(sample, each) for each in terms)
        contest = Contest.of(terms, sizes, points, has_sums=has_sums)
        same = Questions.of(sample, contest, base)
        return lambda _: same
    length = 1
    while count([length + 1] * len(terms)) <= ASSUMED.most_hypotheses:
        length += 1

    def shortlisted(weights: Weights) -> Questions:
        short = (
            each.only(
                np.sort(
                    shortlist(
                        sample.settings,
                        each.parameter,
                        each.table.tau,
                        weights.inverse,
                        weights.omega,
                    )[:length]
                )
            )
            for each in terms
        )
        contest = Contest.of(tuple(short), (length,) * len(terms), points)
        return Questions.of(sample, contest, base)

    return shortlisted


def _terms(sample: Sample) -> Iterator[Terms]:
    """Yield the growths of each parameter that was varied."""
    for name, settings in sample.settings.items():
        growths = tuple(each for each in sample.space if each.parameters == (name,))
        if growths and np.ptp(settings) > 0:
            yield Terms(name, growths, term_table(growths, sample.settings))


def _with_common(sample: Sample, terms: Terms) -> Terms:
    """Return growths of a parameter, and the common ones that are not among them."""
    if not sample.may_fall:
        return terms
    name = terms.parameter
    x = {name: sample.settings[name]}
    at = [*sample.settings[name].tolist(), *(target[name] for target in sample.targets)]
    others = [
        each
        for each in common_growths(name, may_fall=min(at) > 0)
        if each not in terms.growths
    ]
    defined = np.flatnonzero(~np.isnan(log2_table(others, x)).any(axis=1)).tolist()
    growths = (*terms.growths, *(others[each] for each in defined))
    return Terms(name, growths, term_table(growths, x))


def _selection(
    sample: Sample,
    rows: Indices,
    selected: list[SelectedHypothesis],
    misfits: Misfits | None,
) -> Selection:
    """Put answers about some series of a sample together; the others have none."""
    numbers: dict[Hypothesis, int] = {}
    series = len(sample.values)
    width = max((len(hypothesis.coefficients) for hypothesis in selected), default=1)
    chosen = np.full(series, -1, dtype=np.intp)
    coefficients = np.zeros((series, width))
    likely = np.zeros((series, ASSUMED.listed), dtype=np.intp)
    probability = np.zeros((series, ASSUMED.listed))
    verdicts = np.zeros((series, 3))
    forecasts = np.zeros((series, len(sample.targets), 3))
    quality = np.full((2, series), np.nan)
    for row, hypothesis in zip(rows, selected, strict=True):
        chosen[row] = numbers.setdefault(hypothesis.hypothesis, len(numbers))
        coefficients[row, : len(hypothesis.coefficients)] = hypothesis.coefficients
        likely[row, : len(hypothesis.growths)] = [
            numbers.setdefault((growth,) if growth.factors else (), len(numbers))
            for growth in hypothesis.growths
        ]
        probability[row, : len(hypothesis.growths)] = hypothesis.probability
        verdicts[row] = hypothesis.verdicts
        forecasts[row] = widened(hypothesis.forecasts, sample.noise.widening)
        quality[:, row] = hypothesis.quality
    flagged: dict[int, Misfit] = {}
    if misfits is not None:
        widened_forecasts = forecasts[rows]
        misfits.widen(widened_forecasts, sample.beyond())
        forecasts[rows] = widened_forecasts
        flagged = {int(rows[place]): misfit for place, misfit in misfits.flagged()}
    doubt = unresolved(sample.settings)
    if doubt is not None:
        forecasts[:, never_together(sample.settings, sample.targets)] = np.nan
    answered = set(rows.tolist())
    reasons = {
        row: NOT_POSITIVE for row in range(len(sample.values)) if row not in answered
    }
    if doubt is not None:
        reasons |= {
            row: doubt
            for row, hypothesis in zip(rows.tolist(), selected, strict=True)
            if _is_ambiguous(sample, hypothesis.hypothesis)
        }
    return Selection(
        hypotheses=tuple(numbers),
        chosen=chosen,
        coefficients=coefficients,
        adjusted_r2=quality[0],
        smape=quality[1],
        hypothesis_probability=probability,
        likely=likely,
        verdict_probability=None if sample.expectation is None else verdicts,
        forecasts=forecasts,
        misfits=flagged,
        reasons=reasons,
    )


def _is_ambiguous(sample: Sample, hypothesis: Hypothesis) -> bool:
    """Tell whether it matters if growths are multiplied or added."""
    expectation, limit = sample.expectation, sample.deviation_limit
    if expectation is None or limit is None:
        return True
    factors = {Growth((f,)) for growth in hypothesis for f in growth.factors}
    if len({growth.parameters for growth in factors}) < 2:
        return False
    readings = reduce(Growth.__mul__, factors), max(factors)
    return len({judge(each, expectation, limit) for each in readings}) > 1


SURFACES = Rule("surfaces", summary="robust", auto_space="both", select=select)
"""Sums and products of single-parameter terms, by their posterior."""
