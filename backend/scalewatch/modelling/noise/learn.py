"""Learn the noise that many series of one machine and metric have in common.

The estimator of the repetitions is the one under which the best growth of each series
leaves the least misfit. The shares of the sizes of the discrepancy and of the excesses
follow by expectation maximisation from those of `USUAL`, which count like
`pseudo_series`. What comes beyond the last setting, no past of one series
tells, but many forecasts that measurements have met do: the largest setting of every
series is forecast from the others, and `Noise.future` is the least size under which
`enough` of the nominal share of these intervals hold. Fewer than `SURE` of them do not
make it less than `LEAST_FUTURE`.

A `LearnedNoise` is reused for later measurements. To learn takes longer than all that
is modelled with it, and what jobs that share a node do to a code changes seldom. So it
is reused as long as the best growths misfit new measurements, in units of their
variance, as they did those it was learned from; the typical variance of a repetition is
that of the new ones.

References
----------
A. P. Dempster, N. M. Laird, D. B. Rubin, "Maximum Likelihood from Incomplete Data via
the EM Algorithm", Journal of the Royal Statistical Society B 39, 1977.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.exact_counts.exactness import exact_series
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.space import Space, pmnf, search_space
from scalewatch.modelling.measurements.assumptions import (
    EXCESSES,
    USUAL,
    Noise,
    Summary,
)
from scalewatch.modelling.measurements.batch import Batch
from scalewatch.modelling.measurements.discrepancy import Departing, independent
from scalewatch.modelling.measurements.location import (
    located,
    typical_variance,
)
from scalewatch.modelling.noise.assumptions import ASSUMED
from scalewatch.modelling.noise.pools import Endings, Pool, thinned
from scalewatch.modelling.rules.evidence.posterior import Prior

LEAST_SERIES: Final = ASSUMED.least_series


ESTIMATORS: Final = (USUAL, Noise("mean"), Noise("min", level=USUAL.summary))
"""Summaries that may locate curves; the least has no typical value."""


FUTURES: Final = (0.0, 0.1, 0.25, 0.5, 1.0, USUAL.future, 2.0, 3.0)
"""Sizes of the discrepancy beyond the last setting that are tried."""


LEAST_FUTURE: Final = ASSUMED.least_future

SURE: Final = ASSUMED.sure


def learn_noise(  # noqa: PLR0913, one keyword per choice of the user
    x: ArrayLike,
    values: ArrayLike,
    *,
    parameter: str = "p",
    expectations: Iterable[Growth] = (),
    space: Space | None = None,
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
        count that are positive, can be modelled and are no exact counts.
    parameter
        Name of what varies.
    expectations
        What of them are expected to grow like, all of `parameter`; growths that follow
        from one compete if it is not usual.
    space
        Growths that compete; unless given the usual ones, and those that fall where
        measurements do.
    summary
        How repetitions become one value; chosen from `ESTIMATORS` unless given.
    level
        Probability that intervals should hold.

    Raises
    ------
    WrongShape, NotFinite
        If the arrays do not fit each other or a setting is no number.
    """
    pools = pools_of(x, values, parameter, expectations, space)
    return learn_from(pools, summary=summary, level=level)


def pools_of(
    x: ArrayLike,
    values: ArrayLike,
    parameter: str,
    expectations: Iterable[Growth],
    space: Space | None = None,
) -> list[Pool]:
    """Return what `learn_noise` learns from, out of its arguments."""
    competing = space or _usual_space(parameter, expectations)
    batch = Batch.of(x, values, (parameter,))
    noisy = batch.only(~exact_series(batch.values))
    return Pool.all_of(noisy, competing, may_fall=space is None)


def learn_from(
    pools: Sequence[Pool], *, summary: Summary | None = None, level: float = 0.9
) -> Noise:
    """Return what pools say about their noise, as `learn_noise` does."""
    noise = replace(USUAL, summary=summary or USUAL.summary)
    if sum(map(len, pools)) < LEAST_SERIES:
        return noise
    if summary is None:
        noise = min(ESTIMATORS, key=lambda estimator: _typical_misfit(pools, estimator))
    noise = with_typical(pools, noise)
    sizes, shares = _shares(pools, noise)
    noise = replace(noise, sizes=sizes, shares=shares)
    return replace(noise, future=_future(pools, noise, level))


def _usual_space(parameter: str, expectations: Iterable[Growth]) -> Space:
    usual = pmnf(parameter)
    others = [search_space(each, parameter) for each in {*expectations} - {*usual}]
    return reduce(Space.__or__, others, usual)


def _typical_misfit(pools: Sequence[Pool], noise: Noise) -> float:
    """Return the mean misfit per point of the best growths but for the worst."""
    misfit = np.sort(np.concatenate([best_misfits(pool, noise)[0] for pool in pools]))
    return float(misfit[: int(ASSUMED.trimmed * len(misfit))].mean())


def best_misfits(pool: Pool, noise: Noise) -> tuple[Reals, Reals]:
    """Return the misfit per point of the best growth of each series, and its variance.

    The misfit is the mean squared residual in logarithms, the variance that of a point.
    """
    location = independent(located(pool.values, noise))
    least = pool.weigh(location, noise).misfit
    return least / len(location.log), location.variance


def with_typical(pools: Sequence[Pool], noise: Noise) -> Noise:
    """Return the noise with what is typical of the repetitions of these pools."""
    level = _typical(pools, noise.level) if noise.level else (0.0, 0.0)
    return replace(noise, typical=_typical(pools, noise.summary), level_typical=level)


def _typical(pools: Sequence[Pool], summary: Summary) -> tuple[float, float]:
    """Return the typical variance of the pool of most series."""
    return typical_variance(max(pools, key=len).values, summary)


def _shares(
    pools: Sequence[Pool], noise: Noise
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the shares of sizes and of excesses that make the series likeliest.

    Both are independent, so that the expectations of both follow from one table.
    """
    excesses = [replace(noise, shares=tuple(only)) for only in np.eye(len(EXCESSES))]
    tables = []
    for pool in pools:
        even = replace(noise, sizes=(1.0,) * len(noise.sizes))
        locations = pool.located(even)
        likely = [
            [_log_likelihood(pool, sized, excess) for excess in excesses]
            for sized in locations
        ]
        # Without repetitions there is no size 0.
        lacking = len(noise.sizes) - len(locations)
        absent = np.full((lacking, *np.shape(likely)[1:]), -np.inf)
        tables.append(np.concatenate([absent, likely]))
    log = np.concatenate(tables, axis=2)
    likelihood = np.exp(log - log.max(axis=(0, 1)))
    prior = np.array(USUAL.sizes), np.array(USUAL.shares)
    sizes, shares = prior
    for _ in range(ASSUMED.rounds):
        source = sizes[:, np.newaxis, np.newaxis] * shares[:, np.newaxis] * likelihood
        source /= source.sum(axis=(0, 1))
        sizes, shares = (
            ASSUMED.pseudo_series * usual + source.sum(axis=(axis, 2))
            for usual, axis in zip(prior, (1, 0), strict=True)
        )
        sizes, shares = sizes / sizes.sum(), shares / shares.sum()
    return tuple(sizes.tolist()), tuple(shares.tolist())


def _log_likelihood(pool: Pool, location: Departing, noise: Noise) -> Reals:
    """Return how likely each series is but for a summand of its own, shape (S,)."""
    prior = Prior.among(pool.hypotheses, noise.shapes, None, None)
    log_evidence = pool.weigh(location, noise).log_evidence
    joint = np.log(prior.share)[:, np.newaxis] + log_evidence
    return np.asarray(np.logaddexp.reduce(joint) + location.log_share)


def _future(pools: Sequence[Pool], noise: Noise, level: float) -> float:
    """Return the least size beyond the last setting under which intervals hold."""
    ends = [Endings.of(pool, noise) for pool in thinned(pools, ASSUMED.most_forecast)]
    is_few = sum(len(each.place) for each in ends) < SURE
    tried = [size for size in FUTURES if size >= LEAST_FUTURE or not is_few]

    def holds(size: float) -> int:
        assumed = replace(noise, future=size)
        score = np.concatenate([each.scores(assumed, level) for each in ends])
        return int(np.mean(score <= 1) >= level * ASSUMED.enough)

    place = bisect_left(tried, 1, key=holds)
    return tried[min(place, len(tried) - 1)]


@dataclass(frozen=True, slots=True)
class LearnedNoise:
    """Noise, and how well growths fit the series that it was learned from.

    Parameters
    ----------
    misfit
        Mean squared residual of the best growths, in units of the variance.
    series
        How many there were.
    """

    noise: Noise
    misfit: float
    series: int

    @classmethod
    def learn(
        cls, x: Reals, values: Reals, parameter: str, expectations: Iterable[Growth]
    ) -> Self | None:
        """Learn it from series, given as to `learn_noise`; None if they are too few."""
        pools = pools_of(x, values, parameter, expectations)
        series = sum(map(len, pools))
        if series < LEAST_SERIES:
            return None
        noise = learn_from(pools)
        return cls(noise, _misfit(pools, noise), series)

    def reuse(
        self, x: Reals, values: Reals, parameter: str, expectations: Iterable[Growth]
    ) -> Noise | None:
        """Return the noise of other series of the same machine and metric.

        None where they misfit otherwise.
        """
        pools = pools_of(x, values, parameter, expectations)
        series = sum(map(len, pools))
        if not series:
            return None
        few = series < LEAST_SERIES
        noise = self.noise if few else with_typical(pools, self.noise)
        misfits = (_misfit(pools, noise), self.misfit)
        error = math.sqrt(1 / series + 1 / self.series)
        has_changed = max(misfits) > min(misfits) * math.exp(ASSUMED.unlikely * error)
        return None if has_changed else noise


def _misfit(pools: Sequence[Pool], noise: Noise) -> float:
    """Return the mean misfit of all series but the worst, in units of the variance."""
    misfits = [best_misfits(pool, noise) for pool in pools]
    misfit, variance = map(np.concatenate, zip(*misfits, strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        ordered = np.sort(np.nan_to_num(misfit / variance))
    return float(ordered[: math.ceil(ASSUMED.trimmed * len(ordered))].mean())
