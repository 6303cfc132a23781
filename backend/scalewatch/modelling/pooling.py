"""What many series of one machine and metric tell about their common noise.

The estimator of the repetitions is the one under which the best growth of each series
leaves the least misfit. The shares of the excesses follow by expectation
maximisation from those of `USUAL`, which count like `PSEUDO_SERIES`. The widening is
conformal: every series is forecast at its largest setting from the others, and
intervals are widened until the promised share of them holds. Real codes fit no model
exactly; it is their misfit, not the scatter of repetitions, that limits a forecast.

References
----------
A. P. Dempster, N. M. Laird, D. B. Rubin, "Maximum Likelihood from Incomplete Data via
the EM Algorithm", Journal of the Royal Statistical Society B 39, 1977.
G. Shafer and V. Vovk, "A Tutorial on Conformal Prediction", JMLR 9, 2008.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scalewatch.modelling.batch import Batch
from scalewatch.modelling.estimators import located
from scalewatch.modelling.evidence import Evidence, weigh
from scalewatch.modelling.frames import frames_of
from scalewatch.modelling.likelihood import Likelihood
from scalewatch.modelling.location import Location
from scalewatch.modelling.noise import USUAL, Noise
from scalewatch.modelling.obstacles import obstacle
from scalewatch.modelling.posterior import Prior, posterior
from scalewatch.modelling.prediction import Forecaster
from scalewatch.modelling.rules.terms import term_table
from scalewatch.modelling.scratch import Scratch
from scalewatch.modelling.space import Space, pmnf
from scalewatch.modelling.summary import Summary

Reals = NDArray[np.float64]
Settings = Mapping[str, Reals]

LEAST_SERIES: Final = 20
"""Fewer tell nothing."""

MOST_SERIES: Final = 500
"""More tell nothing new; as many are taken, evenly spread over the batch."""

ESTIMATORS: Final = (USUAL, Noise("mean"), Noise("min", level=USUAL.summary))
"""What may tell the shape of curves; the least tells no typical value."""

ROUNDS: Final = 15
PSEUDO_SERIES: Final = 20.0

TRIMMED: Final = 0.9
"""Share of the series, those of least misfit, that choose the estimator."""

SLACK: Final = 1.15
"""Up to this widening, outliers in the measurements that are forecast explain it."""


@dataclass(frozen=True, slots=True)
class _Pool:
    """Series measured at the same settings, all of them positive."""

    settings: Settings
    values: Reals
    space: Space

    @classmethod
    def all_of(cls, batch: Batch, space: Space) -> "list[_Pool]":
        """Return the series that can be modelled, by settings, not too many of them."""
        pools = [
            cls(part.settings, part.values[_is_positive(part)], space)
            for _, part in batch.groups()
            if obstacle(part.settings, space) is None
        ]
        series = sum(len(pool.values) for pool in pools)
        step = max(1, -(-series // MOST_SERIES))
        thinned = [replace(pool, values=pool.values[::step]) for pool in pools]
        return [pool for pool in thinned if len(pool.values)]


def _is_positive(part: Batch) -> NDArray[np.bool_]:
    smallest = np.fmin.reduce(part.values, axis=(1, 2), initial=np.inf)
    return np.asarray((smallest > 0) & part.is_finite)


def learn_noise(
    x: ArrayLike,
    values: ArrayLike,
    *,
    parameter: str = "p",
    summary: Summary | None = None,
    level: float = 0.9,
) -> Noise:
    """Return what series of one machine and metric say about their noise.

    Parameters
    ----------
    x
        Settings, shape (n,).
    values
        Repetitions, shape (S, n, R), any unit; NaN where one is missing. Those series
        count that are positive and can be modelled.
    parameter
        Name of what varies.
    summary
        How repetitions become one value; chosen from `ESTIMATORS` unless given.
    level
        Probability that intervals should hold.

    Raises
    ------
    WrongShape, NotFinite
        If the arrays do not fit each other or a setting is no number.
    """
    pools = _Pool.all_of(Batch.of(x, values, (parameter,)), pmnf(parameter))
    noise = replace(USUAL, summary=summary or USUAL.summary)
    if sum(len(pool.values) for pool in pools) < LEAST_SERIES:
        return noise
    if summary is None:
        noise = min(ESTIMATORS, key=lambda each: _typical_misfit(pools, each))
    noise = replace(noise, shares=_shares(pools, noise))
    return replace(noise, widening=_widening(pools, noise, level))


def _weigh(pool: _Pool, location: Location, noise: Noise) -> Evidence:
    tau = term_table(pool.space.growths, pool.settings).tau
    scratch = Scratch((len(tau), location.log.shape[1]))
    return weigh(tau, pool.space.constant, location, noise, scratch)


def _typical_misfit(pools: Sequence[_Pool], noise: Noise) -> float:
    """Return the mean misfit per point of the best growths but for the worst."""
    found = []
    for pool in pools:
        location = located(pool.values, noise)
        least = _weigh(pool, location, noise).fit.misfit.min(axis=0)
        found.append(least / len(location.log))
    misfit = np.sort(np.concatenate(found))
    return float(misfit[: int(TRIMMED * len(misfit))].mean())


def _shares(pools: Sequence[_Pool], noise: Noise) -> tuple[float, ...]:
    """Return the shares of the excesses that make the series likeliest."""
    all_located = [located(pool.values, noise) for pool in pools]
    usual = np.array(noise.shares)
    shares = usual
    for _ in range(ROUNDS):
        assumed = replace(noise, shares=tuple(shares.tolist()))
        shares = sum(
            (
                _excesses(pool, location, assumed)
                for pool, location in zip(pools, all_located, strict=True)
            ),
            start=PSEUDO_SERIES * usual,
        )
        shares /= shares.sum()
    return tuple(shares.tolist())


def _excesses(pool: _Pool, location: Location, noise: Noise) -> Reals:
    """Return how many of the series have each excess."""
    weighed = _weigh(pool, location, noise)
    belief = posterior(weighed.log_evidence, Prior.of(pool.space, None, None))
    excess = Likelihood.of(location, noise).responsibilities(
        weighed.fit.misfit, Scratch(belief.shape)
    )
    return np.asarray(np.einsum("lhs,hs->l", excess, belief))


def _widening(pools: Sequence[_Pool], noise: Noise, interval: float) -> float:
    """Return the factor by which intervals have to be widened to hold."""
    score = np.sort(np.concatenate([_scores(pool, noise, interval) for pool in pools]))
    rank = min(math.ceil(interval * (len(score) + 1)), len(score))
    widening = float(score[rank - 1])
    return widening if widening > SLACK else 1.0


def _scores(pool: _Pool, noise: Noise, interval: float) -> Reals:
    """Return by how much the last measurement of each series misses its forecast."""
    ((name, x),) = pool.settings.items()
    rest = replace(pool, settings={name: x[:-1]}, values=pool.values[:, :-1])
    location = located(rest.values, noise)
    frames = tuple(frames_of(pool.space, rest.settings))
    forecaster = Forecaster.of(
        frames,
        Prior.among(frames, None, None),
        rest.settings,
        [{name: float(x[-1])}],
    )
    ratio = _weigh(rest, location, noise).fit.ratio
    forecasts = forecaster.forecasts(location, noise, [ratio], interval)
    middle, low, high = np.log(forecasts[:, 0]).T
    actual = located(pool.values, noise)
    error = actual.log[-1] - middle
    reach = np.where(error > 0, high - middle, middle - low)
    scatter = NormalDist().inv_cdf((1 + interval) / 2) ** 2 * actual.variance
    return np.asarray(np.abs(error) / np.sqrt(reach**2 + scatter))
