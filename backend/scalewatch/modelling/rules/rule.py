"""Interface of a rule: its sample, its selection, and how well models describe one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.space import Space
from scalewatch.modelling.measurements.assumptions import USUAL, Noise, Summary
from scalewatch.modelling.measurements.location import summarise

Hypothesis = tuple[Growth, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """A batch of series measured at the same settings, and what is asked about it.

    Parameters
    ----------
    settings
        Per parameter its settings, shape (n,), distinct as tuples, in rising order.
    values
        All repetitions, shape (S, n, R), finite; NaN where a repetition is missing,
        never for a whole (series, point).
    space
        Growths that compete; all defined and finite at `settings`.
    summary
        How repetitions become one value, chosen by the user or by the rule.
    expectation, deviation_limit
        E and D where given, both or none.
    targets
        Settings at which forecasts are wanted.
    level
        Probability that an interval should hold, and that settles a verdict.
    noise
        What is assumed of the noise.
    may_fall
        Whether growths that fall may be added to the space where measurements fall.
    """

    settings: Mapping[str, NDArray[np.float64]]
    values: NDArray[np.float64]
    space: Space
    summary: Summary
    expectation: Growth | None = None
    deviation_limit: Growth | None = None
    targets: tuple[Mapping[str, float], ...] = ()
    level: float = 0.9
    noise: Noise = USUAL
    may_fall: bool = False

    def summarised(self) -> NDArray[np.float64]:
        """Return one value per series and point, shape (S, n)."""
        return summarise(self.values, self.summary)


@dataclass(frozen=True, slots=True)
class Selection:
    """Selection by a rule, one row per series of the sample.

    Parameters
    ----------
    hypotheses
        What competed; indices below refer to it. H of them, of at most K terms.
    chosen
        Index of the selected hypothesis, shape (S,); -1 where there is none, then
        `reasons` says why and the other rows are ignored.
    coefficients
        c₀ … c_K of the selected hypothesis, shape (S, 1 + K), zero where unused.
    adjusted_r2, smape
        Quality of the selected model, shape (S,); SMAPE in percent, 0 … 200.
    hypothesis_probability
        Posterior of growths, shape (S, G), rows sum to 1; None for a rule without one.
    likely
        Where that would be too much: places in `leading` that its columns are about,
        shape (S, L). None for all of them in order.
    verdict_probability
        Posterior of match, approximate and mismatch, shape (S, 3), rows sum to 1;
        None for a rule without one or without an expectation.
    leading
        The growths that the columns of `hypothesis_probability` are about, each the
        leading-order term of hypotheses; None for a rule without.
    forecasts
        Value, low and high at each target, shape (S, len(targets), 3); None for a
        rule without intervals, then the model itself is evaluated.
    exponents
        Bounds of the local exponent at the last settings, shape (S, 2), infinite where
        nothing bounds it; None for a rule without.
    reasons
        Row to words: why there is no model where `chosen` is -1, and elsewhere why the
        verdict has to stay open whatever the model is.
    """

    hypotheses: tuple[Hypothesis, ...]
    chosen: NDArray[np.intp]
    coefficients: NDArray[np.float64]
    adjusted_r2: NDArray[np.float64]
    smape: NDArray[np.float64]
    hypothesis_probability: NDArray[np.float64] | None = None
    likely: NDArray[np.intp] | None = None
    verdict_probability: NDArray[np.float64] | None = None
    leading: tuple[Growth, ...] | None = None
    forecasts: NDArray[np.float64] | None = None
    exponents: NDArray[np.float64] | None = None
    reasons: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rule:
    """A way to select, with the choices that it makes unless the user does.

    Parameters
    ----------
    name
        As in `find_models(rule=…)`.
    summary
        The summary of repetitions it prescribes.
    auto_space
        What `space="auto"` means when there is an expectation; `both` adds what
        follows from it to the usual growths.
    select
        The rule itself.
    """

    name: str
    summary: Summary
    auto_space: Literal["expectation", "pmnf", "both"]
    select: Callable[[Sample], Selection]


def single_terms(space: Space) -> tuple[Hypothesis, ...]:
    """Return one hypothesis per growth of the space, in its order."""
    return tuple((growth,) if growth.factors else () for growth in space)


def adjusted_r2(r2: Reals, points: int, terms: int | NDArray[np.intp]) -> Reals:
    """Return R̄² = 1 - (1 - R²)(n - 1)/(n - k - 1), shape of `r2`.

    Parameters
    ----------
    r2
        Share of the variance that the model explains, 0 … 1.
    points
        n, more than `terms` + 1.
    terms
        k, terms besides the constant.
    """
    return 1 - (1 - r2) * (points - 1) / (points - terms - 1)


def adjusted_r2_of(
    actual: Reals, predicted: Reals, terms: int | NDArray[np.intp]
) -> Reals:
    """Return R̄² of models, NaN where it does not apply, shape (S,).

    It applies to models of some terms, but not as many as points, and to series that
    vary.

    Parameters
    ----------
    actual, predicted
        Point by series, shape (n, S).
    terms
        Terms besides the constant, of all models or of each.
    """
    mean = reduce(np.add, actual) / len(actual)
    variation = reduce(np.add, (actual - mean) ** 2)
    residual = reduce(np.add, (actual - predicted) ** 2)
    left = len(actual) - 1 - np.asarray(terms)
    applies = (variation > 0) & (left > 0) & (left < len(actual) - 1)
    unexplained = np.full(variation.shape, np.nan)
    np.divide(residual, variation, out=unexplained, where=applies)
    return adjusted_r2(1 - unexplained, len(actual), np.where(left > 0, terms, 0))


def smape(actual: Reals, predicted: Reals) -> Reals:
    """Return the symmetric mean absolute percentage error, 0 … 200, shape (S,).

    Parameters
    ----------
    actual, predicted
        Point by series, shape (n, S); a pair of zeros has no error.
    """
    error = np.abs(actual - predicted)
    scale = (np.abs(actual) + np.abs(predicted)) / 2
    ratio = np.divide(error, scale, out=np.zeros_like(error), where=scale > 0)
    mean: Reals = 100 * reduce(np.add, ratio) / len(ratio)
    return mean
