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

Curves depart from these surfaces as they do from growths, by a discrepancy over each
parameter (`discrepancy`): so settings may scatter by more than repetitions tell, and
forecasts go on from the last settings.

Work that processes share falls along a parameter, as n/p + p does: falling powers are
among the terms of signed sums, and where there are none 1/p is among the growths.

References
----------
A. Calotoiu et al., "Fast Multi-Parameter Performance Modeling", CLUSTER 2016.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.terms import Terms, log2_table, term_table
from scalewatch.modelling.growths.verdict import judge
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.batch import never_together, unresolved
from scalewatch.modelling.measurements.discrepancy import sizes
from scalewatch.modelling.measurements.location import Location, located
from scalewatch.modelling.rules.evidence.log_residuals import Kriging, Places
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
    count,
)
from scalewatch.modelling.rules.several_parameters.contest import Contest
from scalewatch.modelling.rules.several_parameters.elimination import (
    Weights,
    fit,
    level_of,
)
from scalewatch.reasons import NO_FACTORS, NOT_POSITIVE


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
    return _selection(sample, rows, _likeliest(sample, location))


def _likeliest(sample: Sample, location: Location) -> list[SelectedHypothesis]:
    """Return what is found about series."""
    if not location.log.shape[1]:
        return []
    names = tuple(sample.settings)
    targets = {
        name: np.array([each[name] for each in sample.targets], dtype=np.float64)
        for name in names
    }
    places = Places.of(sample.settings, targets)
    of_sizes = [
        Weights.all_of(each, Kriging.of(each, places, sample.noise.future))
        for each in sizes(location, sample.settings, sample.noise)
    ]
    questions_for = _asked(sample)
    scales = np.exp(level_of(location)).tolist()
    return [
        questions_for(weights[0])
        .answer([each for each in weights if np.isfinite(each.log_share)])
        .times(scale)
        for scale, *weights in zip(scales, *of_sizes, strict=True)
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
                        weights,
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
    weights: Weights,
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
    weights
        Of the series.
    """
    misfit = np.zeros(len(tau))
    for line in _lines(settings, parameter):
        # At worst a growth is a constant.
        along, growths = tau[:, line], np.arange(len(tau))[:, np.newaxis]
        counted = weights.along(line)
        constant, _ = fit(along, growths[:1, :0], counted)
        with_term, _ = fit(along, growths, counted)
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
