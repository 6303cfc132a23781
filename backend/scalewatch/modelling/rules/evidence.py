"""The default rule: the likeliest growth, from the scatter of the repetitions.

Robust locations of the repetitions (`location`), the evidence of each growth under
relative noise whose size the repetitions tell (`evidence`), and the prior of
`posterior` give every growth a probability. The model is the likeliest growth, fitted
by relative least squares. With an expectation the verdict comes first, and the model
is the likeliest growth that has it, so that the two never contradict each other.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.estimators import located
from scalewatch.modelling.evidence import Evidence, weigh
from scalewatch.modelling.location import Location
from scalewatch.modelling.posterior import (
    Prior,
    likeliest,
    posterior,
    verdict_posterior,
)
from scalewatch.modelling.prediction import Forecaster
from scalewatch.modelling.quality import adjusted_r2, smape
from scalewatch.modelling.rows import total
from scalewatch.modelling.rules.rule import Rule, Sample, Selection, single_terms
from scalewatch.modelling.rules.terms import term_table
from scalewatch.modelling.scratch import Scratch

Reals = NDArray[np.float64]
Indices = NDArray[np.intp]

BLOCK: Final = 512
"""Series that are weighed together; their scratch memory stays near the cache."""

NOT_POSITIVE: Final = "a value is zero or negative, which relative errors cannot weigh"


def select(sample: Sample) -> Selection:
    """Select for each series the likeliest growth."""
    prior = Prior.of(sample.space, sample.expectation, sample.deviation_limit)
    table = term_table(sample.space.growths, sample.settings)
    series, growths = len(sample.values), len(sample.space)
    chosen = np.full(series, -1)
    coefficients = np.zeros((series, 2))
    quality = np.full((2, series), np.nan)
    probability = np.zeros((series, growths))
    forecasts = np.zeros((series, len(sample.targets), 3))
    forecaster = _forecaster(sample, prior)

    noise = sample.noise
    if sample.summary != EVIDENCE.summary:
        noise = replace(noise, summary=sample.summary, level=None)

    is_positive = np.fmin.reduce(sample.values, axis=(1, 2)) > 0
    for rows, scratch in _blocks(np.flatnonzero(is_positive), growths):
        location = located(sample.values[rows], noise)
        weighed = weigh(table.tau, sample.space.constant, location, noise, scratch)
        beliefs = posterior(weighed.log_evidence, prior)
        probability[rows] = beliefs.T
        best = likeliest(beliefs, prior, sample.level)
        model = _centred(_pick(weighed, best), table.tau[best].T, location)
        chosen[rows] = best
        coefficients[rows] = model.T
        quality[:, rows] = _quality(location, model, table.tau[best].T)
        if forecaster:
            forecasts[rows] = forecaster.forecasts(
                location, noise, weighed.fit.ratio, sample.level
            )
        scratch.take_back(weighed.log_evidence, *weighed.fit.arrays)
    coefficients[:, 1] *= np.exp2(-table.log2_scale[chosen])
    quality[0, chosen == sample.space.constant] = np.nan
    return Selection(
        hypotheses=single_terms(sample.space),
        chosen=chosen,
        coefficients=coefficients,
        adjusted_r2=quality[0],
        smape=quality[1],
        hypothesis_probability=probability,
        verdict_probability=verdict_posterior(probability, prior),
        forecasts=forecasts if forecaster else None,
        reasons=dict.fromkeys(np.flatnonzero(~is_positive).tolist(), NOT_POSITIVE),
    )


def _forecaster(sample: Sample, prior: Prior) -> Forecaster | None:
    if not sample.targets:
        return None
    return Forecaster.of(sample.space, prior, sample.settings, sample.targets)


def _blocks(rows: Indices, growths: int) -> Iterator[tuple[Indices, Scratch]]:
    """Yield rows that are weighed together, with scratch of their size."""
    scratch = Scratch((growths, BLOCK))
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        if len(block) < BLOCK:
            scratch = Scratch((growths, len(block)))
        yield block, scratch


def _pick(weighed: Evidence, chosen: Indices) -> Reals:
    """Return c₀ and the c₁ of τ of the chosen growths, shape (2, S)."""
    series = np.arange(len(chosen))
    relative = np.stack(
        [weighed.fit.constant[chosen, series], weighed.fit.slope[chosen, series]]
    )
    return relative * np.exp(weighed.level)


def _centred(model: Reals, tau: Reals, location: Location) -> Reals:
    """Return the models through the middle of the logarithms, as forecasts run.

    Relative least squares pays at most 1 for any point far above the curve, so that
    a growth which fits badly would lie below nearly all of its measurements.
    """
    fitted = model[0] + model[1] * tau
    weight = np.where(fitted > 0, location.weight, 0)  # log p is 0 at p = 1
    logarithm = np.log(fitted, out=np.zeros_like(fitted), where=fitted > 0)
    centred: Reals = model * np.exp(
        total(weight * (location.log - logarithm)) / total(weight)
    )
    return centred


def _quality(location: Location, model: Reals, tau: Reals) -> Reals:
    """Return adjusted R² and SMAPE at the locations, shape (2, S)."""
    actual = np.exp(location.log)
    fitted = model[0] + model[1] * tau
    variation = total((actual - total(actual) / len(actual)) ** 2)
    residual = total((actual - fitted) ** 2)
    unexplained = np.ones_like(variation)
    np.divide(residual, variation, out=unexplained, where=variation > 0)
    return np.stack(
        [
            adjusted_r2(1 - unexplained, len(actual), terms=1),
            smape(actual, fitted),
        ]
    )


EVIDENCE = Rule("evidence", summary="robust", auto_space="both", select=select)
"""The likeliest growth, from the scatter of the repetitions."""
