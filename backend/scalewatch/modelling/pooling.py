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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scalewatch.modelling.batch import Batch
from scalewatch.modelling.estimators import located
from scalewatch.modelling.evidence import weigh
from scalewatch.modelling.frames import Frame, falls, frames_of
from scalewatch.modelling.growth import Growth
from scalewatch.modelling.location import Location
from scalewatch.modelling.noise import EXCESSES, USUAL, Noise
from scalewatch.modelling.obstacles import obstacle
from scalewatch.modelling.posterior import Prior
from scalewatch.modelling.prediction import Forecaster
from scalewatch.modelling.scratch import Scratch
from scalewatch.modelling.space import Space, pmnf, search_space
from scalewatch.modelling.summary import Summary
from scalewatch.modelling.widening import believed, deviations

Reals = NDArray[np.float64]
Settings = Mapping[str, Reals]

LEAST_SERIES: Final = 20
"""Fewer tell nothing."""

MOST_SERIES: Final = 500
"""More tell nothing new; as many are taken, evenly spread over the batch."""

ESTIMATORS: Final = (USUAL, Noise("mean"), Noise("min", level=USUAL.summary))
"""What may tell the shape of curves; the least tells no typical value."""

ROUNDS: Final = 50
PSEUDO_SERIES: Final = 20.0

TRIMMED: Final = 0.9
"""Share of the series, those of least misfit, that choose the estimator."""

MOST_FORECAST: Final = 200
"""Series that are forecast, evenly spread; their widening is then known to 6 %."""

FITTED: Final = 3
"""What a curve is fitted by: constant, coefficient, growth."""

MEASURED: Final = 2.0
"""Degrees of freedom that a variance has which repetitions have shown."""


@dataclass(frozen=True, slots=True)
class _Pool:
    """Series measured at the same settings, all of them positive.

    Parameters
    ----------
    space
        Growths that compete.
    is_falling
        Whether those of strong scaling compete as well.
    """

    settings: Settings
    values: Reals
    space: Space
    is_falling: bool = False

    @classmethod
    def all_of(cls, batch: Batch, space: Space, *, may_fall: bool) -> "list[_Pool]":
        """Return the series that can be modelled, by settings, not too many of them."""
        pools = [
            cls(part.settings, part.only(sound).scaled()[0].values, space)
            for _, part in batch.groups()
            if (sound := is_positive(part)).any()
            and obstacle(part.settings, space) is None
        ]
        if may_fall:
            pools = [part for pool in pools for part in pool.apart()]
        return _thinned([pool for pool in pools if len(pool.values)], MOST_SERIES)

    @property
    def frames(self) -> tuple[Frame, ...]:
        """All that competes."""
        return frames_of(self.space, self.settings, may_fall=self.is_falling)

    def apart(self) -> "Iterator[_Pool]":
        """Yield the series that rise and those that fall."""
        is_falling = falls(located(self.values, USUAL))
        yield replace(self, values=self.values[~is_falling])
        yield replace(self, values=self.values[is_falling], is_falling=True)

    def but_last(self) -> "_Pool":
        """Return it without the largest setting."""
        settings = {name: x[:-1] for name, x in self.settings.items()}
        return replace(self, settings=settings, values=self.values[:, :-1])


def is_positive(part: Batch) -> NDArray[np.bool_]:
    """Tell which series have a logarithm."""
    smallest = np.fmin.reduce(part.values, axis=(1, 2), initial=np.inf)
    return np.asarray((smallest > 0) & part.is_finite)


def _thinned(pools: Sequence[_Pool], most: int) -> list[_Pool]:
    """Return about so many of all series, evenly spread."""
    step = -(-sum(len(pool.values) for pool in pools) // most)
    return [replace(pool, values=pool.values[:: max(step, 1)]) for pool in pools]


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
        count that are positive and can be modelled.
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
    competing = space or _usual_space(parameter, expectations)
    batch = Batch.of(x, values, (parameter,))
    pools = _Pool.all_of(batch, competing, may_fall=space is None)
    noise = replace(USUAL, summary=summary or USUAL.summary)
    if sum(len(pool.values) for pool in pools) < LEAST_SERIES:
        return noise
    if summary is None:
        noise = min(ESTIMATORS, key=lambda each: _typical_misfit(pools, each))
    noise = replace(noise, shares=_shares(pools, noise))
    return replace(noise, widening=_widening(pools, noise, level))


def _usual_space(parameter: str, expectations: Iterable[Growth]) -> Space:
    usual = pmnf(parameter)
    others = [search_space(each, parameter) for each in {*expectations} - {*usual}]
    return reduce(Space.__or__, others, usual)


@dataclass(frozen=True, slots=True)
class _Weighed:
    """What S series say about H growths of all frames.

    Parameters
    ----------
    log_evidence, misfit
        Shape (H, S).
    ratios
        c₁/c₀ by frame.
    """

    log_evidence: Reals
    misfit: Reals
    ratios: tuple[Reals, ...]


def _weigh(pool: _Pool, location: Location, noise: Noise) -> _Weighed:
    found = []
    for frame in pool.frames:
        scratch = Scratch((len(frame.growths), location.log.shape[1]))
        divided = location.over(frame.log_base)
        found.append(weigh(frame.tau, frame.alone, divided, noise, scratch))
    return _Weighed(
        np.concatenate([each.log_evidence for each in found], dtype=np.float64),
        np.concatenate([each.fit.misfit for each in found]),
        tuple(each.fit.ratio for each in found),
    )


def _typical_misfit(pools: Sequence[_Pool], noise: Noise) -> float:
    """Return the mean misfit per point of the best growths but for the worst."""
    found = []
    for pool in pools:
        location = located(pool.values, noise)
        least = _weigh(pool, location, noise).misfit.min(axis=0)
        found.append(least / len(location.log))
    misfit = np.sort(np.concatenate(found))
    return float(misfit[: int(TRIMMED * len(misfit))].mean())


def _shares(pools: Sequence[_Pool], noise: Noise) -> tuple[float, ...]:
    """Return the shares of the excesses that make the series likeliest."""
    likelihood = np.hstack([_likelihoods(pool, noise) for pool in pools])
    usual = np.array(USUAL.shares)[:, np.newaxis]
    shares = usual
    for _ in range(ROUNDS):
        excess = shares * likelihood
        excess /= excess.sum(axis=0)
        shares = PSEUDO_SERIES * usual + excess.sum(axis=1, keepdims=True)
        shares /= shares.sum()
    return tuple(shares[:, 0].tolist())


def _likelihoods(pool: _Pool, noise: Noise) -> Reals:
    """Return how likely each series is under each excess, shape (λ, S)."""
    location = located(pool.values, noise)
    prior = np.log(Prior.among(pool.frames, None, None).share)[:, np.newaxis]
    logarithm = np.stack(
        [
            np.logaddexp.reduce(
                prior
                + _weigh(
                    pool, location, replace(noise, shares=tuple(only))
                ).log_evidence
            )
            for only in np.eye(len(EXCESSES)).tolist()
        ]
    )
    return np.asarray(np.exp(logarithm - logarithm.max(axis=0)))


def _widening(pools: Sequence[_Pool], noise: Noise, interval: float) -> float:
    """Return the factor by which intervals have to be widened to hold."""
    scores = [_scores(pool, noise, interval) for pool in _thinned(pools, MOST_FORECAST)]
    score = np.sort(np.concatenate(scores))
    rank = min(math.ceil(interval * (len(score) + 1)), len(score))
    return believed(float(score[rank - 1]))


def _scores(pool: _Pool, noise: Noise, interval: float) -> Reals:
    """Return by how much the last measurement of each series misses its forecast."""
    ((name, x),) = pool.settings.items()
    rest = pool.but_last()
    location = located(rest.values, noise)
    forecaster = Forecaster.of(
        rest.frames,
        Prior.among(rest.frames, None, None),
        rest.settings,
        [{name: float(x[-1])}],
    )
    weighed = _weigh(rest, location, noise)
    forecasts = forecaster.forecasts(location, noise, weighed.ratios, interval)
    middle, low, high = np.log(forecasts[:, 0]).T
    actual = located(pool.values, noise)
    error = actual.log[-1] - middle
    reach = np.where(error > 0, high - middle, middle - low)
    scatter = deviations(noise.shares, interval) ** 2 * actual.variance
    # Without repetitions only what fits leave tells how measurements scatter.
    left = weighed.misfit.min(axis=0).mean() / max(len(location.log) - FITTED, 1)
    left *= NormalDist().inv_cdf((1 + interval) / 2) ** 2
    scatter = np.where(actual.freedom < MEASURED, np.maximum(left, scatter), scatter)
    return np.asarray(np.abs(error) / np.sqrt(reach**2 + scatter))
