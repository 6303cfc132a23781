"""Finding about one series: model, verdict, forecasts."""

from collections.abc import Mapping
from dataclasses import dataclass

from scalewatch.modelling.exact_counts.counts import Outcome
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.model import Model
from scalewatch.modelling.growths.verdict import Direction, Verdict, direction
from scalewatch.modelling.measurements.repetitions import STEADY, Unsteadiness
from scalewatch.reasons import LastStep, NoFit


@dataclass(frozen=True, slots=True)
class Forecast:
    """Predicted metric at a target scale.

    Parameters
    ----------
    at
        Settings of the target.
    value
        In the unit of the metric.
    low, high
        Bounds of the interval; None for a rule that cannot tell.
    level
        Probability that the interval holds.
    """

    at: Mapping[str, float]
    value: float
    low: float | None
    high: float | None
    level: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A formula that reproduces exact counts, and its probability."""

    model: Model
    probability: float


@dataclass(frozen=True, slots=True)
class Exactness:
    """Formulas of exact counts.

    Parameters
    ----------
    outcome
        Whether one growth is settled, several compete or no formula holds.
    candidates
        Formulas that hold, the likeliest first.
    separating
        The cheapest further setting that would tell their growths apart, if several
        compete.
    excepted
        Settings at which the counts are not what the formula tells.
    independent
        Parameters, of several, on which they do not depend.
    """

    outcome: Outcome | None
    candidates: tuple[Candidate, ...] = ()
    separating: Mapping[str, float] | None = None
    excepted: tuple[Mapping[str, float], ...] = ()
    independent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """All that is known about one series.

    Parameters
    ----------
    model
        The selected model; None if the series cannot be modelled.
    growth
        Leading-order term of the model, which explains nothing where there is a
        `misfit`: readers are told `told_growth`.
    points
        Distinct settings that were measured.
    repetitions
        Most repetitions at one of them.
    adjusted_r2
        None for a constant model, to which it does not apply.
    smape
        Symmetric mean absolute percentage error, 0 … 200.
    class_probability
        Posterior of the likeliest growths, highest first; empty for a rule without.
    expectation, deviation_limit
        E and D, if there is an expectation.
    divergence
        δ = G/E, if there is an expectation, and a growth explains the series.
    verdict
        `undecided` without a model or an expectation.
    verdict_probability
        Posterior of the verdicts; empty for a rule without.
    forecasts
        One per target.
    reason
        Why there is no model or no verdict, in words.
    rule
        Name of the rule that answered.
    unexplained
        Posterior that no growth which competes explains the series; what
        `class_probability` lacks.
    exactness
        None unless the series is one of exact counts.
    misfit
        How far it lies from all growths; None unless surely none explains it.
    unsteadiness
        How its repetitions are not alike: a warm-up, two modes.
    horizon
        The largest setting up to which forecasts are close enough to be told; None if
        no target lies beyond.
    last_step
        How the curve goes at the last settings, where the model goes otherwise.
    """

    model: Model | None
    growth: Growth | None
    points: int
    repetitions: int
    adjusted_r2: float | None
    smape: float | None
    class_probability: Mapping[Growth, float]
    expectation: Growth | None
    deviation_limit: Growth | None
    divergence: Growth | None
    verdict: Verdict
    verdict_probability: Mapping[Verdict, float]
    forecasts: tuple[Forecast, ...]
    reason: str | None
    rule: str = ""
    unexplained: float = 0.0
    exactness: Exactness | None = None
    misfit: NoFit | None = None
    horizon: float | None = None
    unsteadiness: Unsteadiness = STEADY
    last_step: LastStep | None = None

    @property
    def told_growth(self) -> Growth | None:
        """How the series grows; None where the growth of its model does not fit."""
        return None if self.misfit else self.growth

    @property
    def direction(self) -> Direction | None:
        """Whether the series scales worse or better than expected."""
        return None if self.divergence is None else direction(self.divergence)
