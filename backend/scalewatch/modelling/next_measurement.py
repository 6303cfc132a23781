"""The smallest further measurement that would settle an undecided verdict.

Of all candidates the cheapest is proposed at which many repetitions would more likely
than not settle the verdict, where none would the cheapest that tells at least half as
much as any; and of repetitions there the fewest that do. A run at p with R' repetitions
costs p·(startup + R'·E[G(p)]) core-seconds.

What settles is counted, not computed: `measured_outcomes` equally likely values are
taken from the forecast of each candidate, scattered as repetitions are, and modelled
with the measurements by the same rule that will see the real one. How much a candidate
tells is its mutual information with the verdict V,

    I(V; y) = H(V) - E[H(V | y)]

in bits, H from the posterior of the verdicts, the expectation over the outcomes.

Equal costs at all scales, many repetitions at small p, already settle more verdicts
than repeated sweeps; what is proposed here needs a quarter to two thirds of a sweep's
cost for a verdict at 0.95, see benchmarks/README.md.

References
----------
D. V. Lindley, "On a Measure of the Information Provided by an Experiment", Annals of
Mathematical Statistics 27, 1956.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from scalewatch.modelling.arrays import Reals, widened
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.space import (
    default_deviation_limit,
    pmnf,
    search_space,
)
from scalewatch.modelling.growths.verdict import Verdict
from scalewatch.modelling.measurements.assumptions import USUAL, Noise
from scalewatch.modelling.measurements.batch import Batch, most_repetitions, obstacle
from scalewatch.modelling.measurements.location import FLOOR, located
from scalewatch.modelling.rules.evidence.rule import EVIDENCE
from scalewatch.modelling.rules.rule import Sample
from scalewatch.modelling.search.finding import Finding
from scalewatch.modelling.search.findings import Findings
from scalewatch.modelling.search.search import find_models


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a run.

    Parameters
    ----------
    startup
        Seconds before anything is measured.
    seconds_per_unit
        Seconds that a repetition takes per unit of the metric: 1 for a time in
        seconds, 0 where the metric is no time.
    """

    startup: float = 1.0
    seconds_per_unit: float = 1.0

    def hours(self, size: float, repetitions: int, value: float) -> float:
        """Return the cost of one run on so many cores, nodes or GPUs."""
        seconds = self.startup + repetitions * value * self.seconds_per_unit
        return float(size * seconds / 3600)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A further measurement.

    Parameters
    ----------
    at
        Setting.
    repetitions
        How many.
    hours
        What it costs, in hours of a core, node or GPU.
    information
        Bits about the verdict that are to be expected.
    settles
        Probability that the verdict is settled thereby.
    """

    at: Mapping[str, float]
    repetitions: int
    hours: float
    information: float
    settles: float


def next_measurement(  # noqa: PLR0913, one keyword per choice of the user
    x: ArrayLike,
    values: ArrayLike,
    expectation: Growth,
    *,
    parameter: str = "p",
    deviation_limit: Growth | None = None,
    candidates: Sequence[float] | None = None,
    cost: Cost | None = None,
    level: float = 0.9,
    noise: Noise = USUAL,
) -> Proposal | None:
    """Return what to measure next; None if the verdict is settled or cannot be.

    It cannot be where no growth explains the settings, nor by repeating exact counts.

    Parameters
    ----------
    x
        Settings of the number of cores, shape (n,).
    values
        Repetitions of one series, shape (n, R), NaN where one is missing.
    expectation, deviation_limit
        E and D.
    parameter
        Name of the number of cores.
    candidates
        Where one could measure: the settings measured, and twice and four times the
        largest, unless given.
    cost
        What a run costs, `Cost()` unless given.
    level
        Probability that settles the verdict.
    noise
        Assumptions about the noise.

    Raises
    ------
    WrongShape, NotFinite, OutsideDomain
        If the arrays do not fit each other, or a setting or candidate makes no sense.
    """
    batch = Batch.of(x, np.asarray(values, np.float64)[np.newaxis], (parameter,))
    (_, measured), *_ = batch.groups()
    space = pmnf(parameter) | search_space(expectation, parameter)
    if obstacle(measured.settings, space) or not np.nanmin(measured.values) > 0:
        return None
    ask = partial(
        find_models,
        parameter=parameter,
        expectation=expectation,
        deviation_limit=deviation_limit or default_deviation_limit(expectation),
        level=level,
        noise=noise,
    )
    settings = measured.settings[parameter]
    (finding,) = ask(settings, measured.values)
    if finding.verdict is not Verdict.UNDECIDED or finding.exactness:
        return None
    if candidates is None:
        farther = [settings[-1] * times for times in ASSUMED.farther_settings]
        candidates = [*settings.tolist(), *farther]
    sample = Sample(
        measured.settings,
        measured.values,
        space,
        EVIDENCE.summary,
        targets=tuple({parameter: float(each)} for each in candidates),
        level=level,
        noise=noise,
        may_fall=True,
    )
    state = _State.of(sample, finding, cost or Cost(), ask)
    times = ASSUMED.more_repetitions
    thorough = [state.proposal(at, times[-1]) for at in range(len(candidates))]
    by_cost = sorted(range(len(candidates)), key=lambda at: thorough[at].hours)
    is_enough = _criterion(thorough)
    at = next(at for at in by_cost if is_enough(thorough[at]))
    fewer = (state.proposal(at, each) for each in times[:-1])
    return next(filter(is_enough, fewer), thorough[at])


def _criterion(proposals: Sequence[Proposal]) -> Callable[[Proposal], bool]:
    """Return what the cheapest proposal has to fulfil."""
    if any(each.settles >= ASSUMED.likely_settled for each in proposals):
        return lambda proposal: proposal.settles >= ASSUMED.likely_settled
    most = max(each.information for each in proposals)
    return lambda proposal: proposal.information >= min(most / 2, most)


@dataclass(frozen=True, slots=True)
class _State:
    """Knowledge before the measurement, and whom to ask what is found after it.

    Parameters
    ----------
    sample
        The measurements of one series; its targets are the candidates.
    doubt
        Entropy of the verdicts.
    outcomes
        Equally likely values at each candidate, shape (candidates, values).
    scatter
        Standard deviation of the logarithm of one repetition.
    ask
        Returns what is found at settings with repetitions.
    """

    sample: Sample
    doubt: float
    outcomes: Reals
    scatter: float
    cost: Cost
    ask: Callable[[Reals, Reals], Findings]

    @classmethod
    def of(
        cls,
        sample: Sample,
        finding: Finding,
        cost: Cost,
        ask: Callable[[Reals, Reals], Findings],
    ) -> "_State":
        """Forecast all candidates; the bounds tell deviations to either side."""
        forecasts = EVIDENCE.select(sample).forecasts
        assert forecasts is not None
        value, low, high = np.log(forecasts[0]).T
        even = ndtri(
            (np.arange(ASSUMED.measured_outcomes) + 0.5) / ASSUMED.measured_outcomes
        )
        below, above = (value - low)[:, np.newaxis], (high - value)[:, np.newaxis]
        reach = np.where(even < 0, below, above) / ndtri((1 + sample.level) / 2)
        variance = located(sample.values, sample.noise).variance[0] - FLOOR**2
        repetitions = most_repetitions(sample.values[0])
        return cls(
            sample,
            _entropy(finding),
            np.exp(value[:, np.newaxis] + even * reach),
            math.sqrt(variance * repetitions),
            cost,
            ask,
        )

    def proposal(self, at: int, times: int) -> Proposal:
        """Return what to expect of so many times the repetitions at a candidate."""
        ((parameter, x),) = self.sample.settings.items()
        target = self.sample.targets[at]
        (measured,) = self.sample.values
        repetitions = times * most_repetitions(measured)
        drawn = np.random.default_rng(0).standard_normal(
            (ASSUMED.measured_outcomes, repetitions)
        )
        further = self.outcomes[at, :, np.newaxis] * np.exp(self.scatter * drawn)
        width = max(measured.shape[1], repetitions)
        before = np.broadcast_to(
            widened(measured, width), (ASSUMED.measured_outcomes, len(x), width)
        )
        further = widened(further, width)[:, np.newaxis]
        findings = self.ask(
            np.append(x, target[parameter]), np.concatenate([before, further], axis=1)
        )
        typical = float(np.median(self.outcomes[at]))
        return Proposal(
            at=target,
            repetitions=repetitions,
            hours=self.cost.hours(target[parameter], repetitions, typical),
            information=self.doubt - float(np.mean([*map(_entropy, findings)])),
            settles=float(
                np.mean([each.verdict is not Verdict.UNDECIDED for each in findings])
            ),
        )


def _entropy(finding: Finding) -> float:
    """Return the entropy of the posterior of the verdicts, in bits."""
    shares = finding.verdict_probability.values()
    return -sum(share * math.log2(share) for share in shares if share > 0)
