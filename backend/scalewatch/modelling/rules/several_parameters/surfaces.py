"""Models of several parameters: sums and products of single-parameter terms.

All hypotheses of `structures` compete, such as f·g, f + g and f·g + f. A series is
located by the logarithms of its repetitions, see `location`, and fitted relatively;
the likeliest hypothesis is selected, see `contest`.

Where the space admits too many hypotheses, as with three parameters, those compete
whose growths are the fittest of each parameter by itself. Along a line on which one
parameter varies and the others are held, every structure is c + c'·f(p) with
coefficients of that line; so the misfit of f, summed over the lines, tells how well f
can do in any structure, before the others are known. Where the settings cannot tell a
product from a sum, simplicity alone decides between them: the verdict stays open unless
both have the same, and says which measurement would settle it.

Where settings scatter about the likeliest surface by more than repetitions tell, and do
no more than scatter, the contest is held again with that as the noise, see
`misfits_of`.

Work that processes share falls along a parameter, as n/p + p does: falling powers are
among the terms of signed sums, and where there are none 1/p is among the growths.

References
----------
A. Calotoiu et al., "Fast Multi-Parameter Performance Modeling", CLUSTER 2016.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals, total
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
from scalewatch.modelling.rules.evidence.model import ONE, Powers, growth_with
from scalewatch.modelling.rules.rule import Hypothesis, Rule, Sample, Selection
from scalewatch.modelling.rules.several_parameters.answers import (
    Questions,
    SelectedHypothesis,
)
from scalewatch.modelling.rules.several_parameters.assumptions import ASSUMED
from scalewatch.modelling.rules.several_parameters.competitors import (
    COMMON,
    INVERSE,
)
from scalewatch.modelling.rules.several_parameters.contest import Contest
from scalewatch.modelling.rules.several_parameters.elimination import (
    Design,
    Weights,
    fit,
)
from scalewatch.modelling.rules.several_parameters.intervals import widened
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
) -> Misfits | None:
    """Test for misfit; ask again about series that do no more than scatter.

    Parameters
    ----------
    sample, location
        Of S series.
    selected
        What was found about each of them; overwritten where it is asked again.
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
    again = _likeliest(sample, location.only(shared))
    for place, other in zip(shared.tolist(), again, strict=True):
        selected[place] = replace(
            other, forecasts=widened(other.forecasts, ASSUMED.widening)
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
    return Misfits.of(sample.settings, location, least, ASSUMED.fitted)


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
    misfits = misfits_of(sample, location, selected)
    return _selection(sample, rows, selected, misfits)


def _likeliest(sample: Sample, location: Location) -> list[SelectedHypothesis]:
    """Return what is found about series."""
    if not location.log.shape[1]:
        return []
    level = total(location.log) / len(location.log)
    weights = [
        Weights(*each)
        for each in zip(
            np.exp(np.clip(level - location.log, -LARGEST_RANGE, LARGEST_RANGE)).T,
            location.weight.T,
            location.variance.tolist(),
            location.freedom.tolist(),
            strict=True,
        )
    ]
    questions = map(_asked(sample), weights)
    return [
        question.answer(each).times(size)
        for question, each, size in zip(
            questions, weights, np.exp(level).tolist(), strict=True
        )
    ]


def _asked(sample: Sample) -> Callable[[Weights], Questions]:
    """Return a function that holds the contest a series needs."""
    terms = tuple(_terms(sample))
    points = sample.values.shape[1]
    has_sums = len(terms) == 2 and points >= ASSUMED.least_points
    if not has_sums and sample.may_fall:
        terms = tuple(_with(sample, each, [INVERSE]) for each in terms)
    if count([len(each.growths) for each in terms]) <= ASSUMED.most_hypotheses:
        sizes = tuple(len(each.growths) for each in terms)
        if has_sums and sample.may_fall:
            terms = tuple(_with(sample, each, COMMON) for each in terms)
        contest = Contest.of(terms, sizes, points, has_sums=has_sums)
        same = Questions.of(sample, contest)
        return lambda _: same
    length = 1
    while count([length + 1] * len(terms)) <= ASSUMED.most_hypotheses:
        length += 1

    def shortlisted(weights: Weights) -> Questions:
        short = (
            each.only(
                np.sort(
                    _shortlist(
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
        return Questions.of(sample, contest)

    return shortlisted


def _shortlist(
    settings: Mapping[str, Reals],
    parameter: str,
    tau: Reals,
    weight: Reals,
    omega: Reals,
) -> Indices:
    """Return the growths of one parameter, the fittest first, shape (G,).

    Parameters
    ----------
    settings
        Per parameter its settings, shape (n,).
    parameter
        The one that varies.
    tau
        Its growths, shape (G, n).
    weight, omega
        As in `elimination.fit`, shape (n,).
    """
    misfit = np.zeros(len(tau))
    for line in _lines(settings, parameter):
        # At worst a growth is a constant.
        along, growths = tau[:, line], np.arange(len(tau))[:, np.newaxis]
        constant, _ = fit(Design.of(along, growths[:1, :0]), weight[line], omega[line])
        with_term, _ = fit(Design.of(along, growths), weight[line], omega[line])
        misfit += np.minimum(with_term, constant)
    return misfit.argsort(kind="stable")


def _lines(settings: Mapping[str, Reals], parameter: str) -> Iterator[Indices]:
    """Yield the points of each line; all points where there is no line."""
    held = [column for name, column in settings.items() if name != parameter]
    if not held:
        yield np.arange(len(settings[parameter]))
        return
    place = np.unique(np.stack(held, axis=1), axis=0, return_inverse=True)[1]
    lines = [
        np.flatnonzero(place.reshape(-1) == line) for line in range(place.max() + 1)
    ]
    long = [line for line in lines if len(line) >= ASSUMED.shortest_line]
    yield from long or [np.arange(len(settings[parameter]))]


def _terms(sample: Sample) -> Iterator[Terms]:
    """Yield the growths of each parameter that was varied."""
    for name, settings in sample.settings.items():
        growths = tuple(each for each in sample.space if each.parameters == (name,))
        if growths and np.ptp(settings) > 0:
            yield Terms(name, growths, term_table(growths, sample.settings))


def _with(sample: Sample, terms: Terms, more: Sequence[Powers]) -> Terms:
    """Return growths of a parameter and further ones, where they are defined."""
    name = terms.parameter
    x = {name: sample.settings[name]}
    others = [growth_with(name, each) for each in more if each != ONE]
    others = [each for each in others if each not in terms.growths]
    if min(x[name].min(), *(target[name] for target in sample.targets), 1) <= 0:
        others = [each for each in others if each > CONSTANT]
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
    leading: dict[Growth, int] = {}
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
            leading.setdefault(growth, len(leading)) for growth in hypothesis.growths
        ]
        probability[row, : len(hypothesis.growths)] = hypothesis.probability
        verdicts[row] = hypothesis.verdicts
        forecasts[row] = hypothesis.forecasts
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
        leading=tuple(leading),
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
