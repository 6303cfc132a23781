"""The smallest further measurement that would settle an undecided verdict.

A measurement with R' repetitions at p scatters by their share of the measured variance
and by the excess that no repetition reduces, see `Noise`; it costs
p·(startup + R'·E[G(p)]) core-seconds. Of all candidates the cheapest is proposed that
more likely than not settles the verdict; where none does, the
cheapest that tells at least half as much as any.

Equal costs at all scales, many repetitions at small p, already settle more verdicts
than repeated sweeps; what is proposed here needs a quarter to two thirds of a sweep's
cost for a verdict at 0.95, see benchmarks/README.md.

What settles is counted, not computed: `REFITTED` outcomes are drawn and modelled with
the measurements, by the same rule that will see the real one.

How much a measurement would tell is its mutual information with the verdict. Of the
posterior remain normal densities of log G(p) with weights W_c, each belonging to a
verdict V. A measurement y of variance s² turns them into N(μ_c, σ_c² + s²), and

    I(V; y) = H(V) - E[H(V | y)]

in bits, with the expectation over outcomes drawn evenly from all of them.

References
----------
D. V. Lindley, "On a Measure of the Information Provided by an Experiment", Annals of
Mathematical Statistics 27, 1956.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scalewatch.modelling.arrays import Reals, total, widened
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.space import (
    Space,
    default_deviation_limit,
    pmnf,
    search_space,
)
from scalewatch.modelling.growths.verdict import Verdict
from scalewatch.modelling.measurements.assumptions import USUAL, Noise
from scalewatch.modelling.measurements.batch import Batch, most_repetitions, obstacle
from scalewatch.modelling.measurements.discrepancy import sizes
from scalewatch.modelling.measurements.estimators import located
from scalewatch.modelling.measurements.location import FLOOR
from scalewatch.modelling.rules.evidence.hypotheses import Hypotheses
from scalewatch.modelling.rules.evidence.mixture import Mixture
from scalewatch.modelling.rules.evidence.model import falls
from scalewatch.modelling.rules.evidence.posterior import posterior_of_sizes
from scalewatch.modelling.rules.evidence.prediction import Forecaster
from scalewatch.modelling.rules.evidence.prior import RANKS, Prior
from scalewatch.modelling.search.search import find_models

GOLDEN: Final = (5**0.5 - 1) / 2

MOST_TRIED: Final = 8
"""Proposals that are asked in turn whether they settle, the cheapest first."""

REFITTED: Final = 20
"""Outcomes that are modelled to tell how many of them settle the verdict."""
MISMATCH: Final = len(RANKS) - 1


@dataclass(frozen=True, slots=True)
class BeliefAtSetting:
    """Belief about log G at one setting, a mixture of normal densities.

    Parameters
    ----------
    weight
        W, shape (C,), sums to 1.
    mean, variance
        Of each density, shape (C,).
    rank
        Verdict of each density, index in `RANKS`.
    """

    weight: Reals
    mean: Reals
    variance: Reals
    rank: NDArray[np.intp]

    @property
    def median(self) -> float:
        """Median of the means."""
        order = np.argsort(self.mean)
        below = np.cumsum(self.weight[order])
        return float(self.mean[order[np.searchsorted(below, 0.5)]])

    @property
    def verdicts(self) -> Reals:
        """Posterior of the verdicts, shape (3,)."""
        shares = np.bincount(self.rank, self.weight, len(RANKS))
        return np.asarray(shares, dtype=np.float64)

    def outcomes(self, scatter: Reals) -> Reals:
        """Return outcomes of a measurement that are equally likely, (OUTCOMES,).

        Parameters
        ----------
        scatter
            Its variance under each density, shape (C,).
        """
        even, z = _points()
        part = np.searchsorted(np.cumsum(self.weight), even * self.weight.sum())
        part = np.minimum(part, len(self.weight) - 1)
        return np.asarray(
            self.mean[part] + np.sqrt((self.variance + scatter)[part]) * z
        )

    def verdicts_after(self, scatter: Reals) -> Reals:
        """Return the posterior of verdicts after each outcome, (OUTCOMES, 3).

        Parameters
        ----------
        scatter
            Variance of the measurement under each density, shape (C,).
        """
        variance = self.variance + scatter
        outcomes = self.outcomes(scatter)
        # In place: these 200 by 400 numbers take most of the time of a proposal.
        density = outcomes[:, np.newaxis] - self.mean
        density *= density
        density /= variance
        density -= density.min(axis=1, keepdims=True)
        density /= -2
        np.exp(density, out=density)
        density *= self.weight / np.sqrt(variance)
        verdicts = np.stack(
            [density[:, self.rank == rank].sum(axis=1) for rank in range(len(RANKS))],
            axis=1,
        )
        verdicts /= verdicts.sum(axis=1, keepdims=True)
        return verdicts


def entropy(probability: Reals) -> Reals:
    """Return the entropy along the last axis, in bits."""
    logs = np.log2(probability, out=np.zeros_like(probability), where=probability > 0)
    bits: Reals = -(probability * logs).sum(axis=-1)
    return bits


def is_settled(verdicts: Reals, level: float) -> NDArray[np.bool_]:
    """Tell where a posterior of verdicts settles one, as `verdict.decide` does."""
    mismatch = verdicts[..., MISMATCH]
    return (mismatch >= level) | (mismatch <= 1 - level)


@lru_cache
def _points() -> tuple[Reals, Reals]:
    steps = (np.arange(ASSUMED.outcomes) + 0.5) / ASSUMED.outcomes
    scattered = (0.5 + GOLDEN * np.arange(ASSUMED.outcomes)) % 1
    inverse = np.vectorize(NormalDist().inv_cdf)
    return steps, inverse(np.clip(scattered, 1e-6, 1 - 1e-6))


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
    limit = deviation_limit or default_deviation_limit(expectation)
    finding, *_ = find_models(
        x,
        np.asarray(values, np.float64)[np.newaxis],
        parameter=parameter,
        expectation=expectation,
        deviation_limit=limit,
        level=level,
        noise=noise,
    )
    is_open = finding.verdict is Verdict.UNDECIDED and not finding.exactness
    if not is_open:
        return None
    if candidates is None:
        largest = float(measured.settings[parameter].max())
        candidates = [
            *measured.settings[parameter],
            *(largest * k for k in ASSUMED.farther_settings),
        ]
    state = _State.of(measured, space, (expectation, limit), candidates, noise)
    proposals = [
        state.proposal(parameter, number, times, cost or Cost(), level)
        for number, times in product(range(len(candidates)), ASSUMED.more_repetitions)
    ]
    proposals.sort(key=lambda proposal: proposal.hours)
    most = max(proposal.information for proposal in proposals)
    cheapest = next(each for each in proposals if each.information >= most / 2)
    likely = [each for each in proposals if each.settles >= ASSUMED.likely_mismatch]
    for proposal in (*likely[:MOST_TRIED], cheapest):
        outcomes = state.outcomes(proposal)
        settled = [
            each.verdict is not Verdict.UNDECIDED
            for each in find_models(
                np.append(measured.settings[parameter], proposal.at[parameter]),
                _with_outcomes(measured.values[0], outcomes),
                parameter=parameter,
                expectation=expectation,
                deviation_limit=limit,
                level=level,
                noise=noise,
            )
        ]
        counted = replace(proposal, settles=float(np.mean(settled)))
        if counted.settles >= ASSUMED.likely_mismatch:
            return counted
    return counted


def _with_outcomes(values: Reals, outcomes: Reals) -> Reals:
    """Return repetitions, (n, R), with each of S further measurements, (S, R').

    Their shape is (S, n + 1, max(R, R')), NaN where one is missing.
    """
    width = max(values.shape[1], outcomes.shape[1])
    measured = np.broadcast_to(
        widened(values, width), (len(outcomes), len(values), width)
    )
    return np.concatenate([measured, widened(outcomes, width)[:, np.newaxis]], axis=1)


@dataclass(frozen=True, slots=True)
class _State:
    """Belief before the measurement.

    Parameters
    ----------
    candidates
        Settings.
    outlooks
        Of the candidates.
    repetitions, scatter
        Repetitions measured at a point, and the variance of one of them.
    excess
        Variance that no repetition reduces, under each density, shape (C,).
    """

    candidates: Sequence[float]
    outlooks: Sequence[BeliefAtSetting]
    repetitions: int
    scatter: float
    excess: Reals

    @classmethod
    def of(
        cls,
        measured: Batch,
        space: Space,
        question: tuple[Growth, Growth],
        candidates: Sequence[float],
        noise: Noise,
    ) -> "_State":
        """Weigh all curves; `question` is E and D."""
        location = located(measured.values, noise)
        hypotheses = Hypotheses.of(
            space, measured.settings, may_fall=bool(falls(location)[0])
        )
        prior = Prior.among(hypotheses, noise.shapes, *question)
        locations = sizes(location, measured.settings, noise)
        weighed = hypotheses.weigh_sizes(locations, noise, hypotheses.scratch(1))
        probability, _ = posterior_of_sizes(locations, weighed, prior)
        ((name, _),) = measured.settings.items()
        targets = [{name: float(each)} for each in candidates]
        forecaster = Forecaster.of(hypotheses, prior, measured.settings, targets)
        mixtures, weights, curves, excesses = [], [], [], []
        for at, curves_of_size, share in zip(
            locations, weighed, probability, strict=True
        ):
            for mixture, rows in forecaster.inside(at, noise, curves_of_size.fits):
                mixtures.append(mixture)
                weights.append(_shares(mixture, share[rows, 0]))
                curves.append(np.resize(rows, len(mixture.log_weight)))
                # Of a discrepancy the scatter is part of what a forecast is unsure of.
                known = np.zeros(len(mixture.log_weight))
                if not at.size:
                    variance = mixture.deviation[0, :, 0] ** 2 * total(at.weight)
                    known = np.maximum(variance - at.variance, 0)
                excesses.append(known)
        weight, mixture = np.concatenate(weights), Mixture.joined(mixtures)
        heaviest = np.argsort(-weight, kind="stable")[: ASSUMED.densities]
        share = weight[heaviest] / weight[heaviest].sum()
        ranks = np.asarray(prior.ranks)[np.concatenate(curves)[heaviest]]
        repetitions = most_repetitions(measured.values[0])
        return cls(
            candidates=candidates,
            outlooks=[
                BeliefAtSetting(
                    share, mean[heaviest, 0], deviation[heaviest, 0] ** 2, ranks
                )
                for mean, deviation in zip(mixture.mean, mixture.deviation, strict=True)
            ],
            repetitions=repetitions,
            scatter=float(location.variance[0] - FLOOR**2) * repetitions,
            excess=np.concatenate(excesses)[heaviest],
        )

    def outcomes(self, proposal: Proposal) -> Reals:
        """Return repetitions as they may come out, shape (REFITTED, R')."""
        (setting,) = proposal.at.values()
        outlook = self.outlooks[
            [float(each) for each in self.candidates].index(setting)
        ]
        places = outlook.outcomes(self.excess)[:: ASSUMED.outcomes // REFITTED]
        scatter = np.random.default_rng(0).standard_normal(
            (len(places), proposal.repetitions)
        )
        scatter *= math.sqrt(self.scatter)
        return np.asarray(np.exp(places[:, np.newaxis] + scatter))

    def proposal(
        self, parameter: str, number: int, times: int, cost: Cost, level: float
    ) -> Proposal:
        """Return what to expect of measuring at a candidate."""
        setting, outlook = self.candidates[number], self.outlooks[number]
        repetitions = times * self.repetitions
        scatter = self.scatter / repetitions + FLOOR**2 + self.excess
        after = outlook.verdicts_after(scatter)
        return Proposal(
            at={parameter: float(setting)},
            repetitions=repetitions,
            hours=cost.hours(setting, repetitions, float(np.exp(outlook.median))),
            information=float(entropy(outlook.verdicts) - entropy(after).mean()),
            settles=float(is_settled(after, level).mean()),
        )


def _shares(mixture: Mixture, probability: Reals) -> Reals:
    """Return the weight of each density, by curve as the posterior has it."""
    # The densities of a mixture are nodes by curves, see `quadrature`.
    logs = mixture.log_weight.reshape(-1, len(probability))
    most = logs.max(axis=0)
    # A difference that is not positive at some candidate has no node at all.
    nodes = np.exp(logs - np.where(np.isfinite(most), most, 0.0))
    whole = nodes.sum(axis=0)
    shares: Reals = nodes / np.where(whole > 0, whole, 1.0) * probability
    return shares.ravel()
