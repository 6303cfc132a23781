"""Series of one machine and metric, pooled by settings, and what their holdouts show.

The last measurement of each series is forecast from all others.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.space import Space
from scalewatch.modelling.measurements.assumptions import EXCESSES, USUAL, Noise
from scalewatch.modelling.measurements.batch import Batch, obstacle
from scalewatch.modelling.measurements.discrepancy import Departing, sizes
from scalewatch.modelling.measurements.location import MEASURED, located
from scalewatch.modelling.noise.assumptions import ASSUMED
from scalewatch.modelling.rules.evidence.hypotheses import Hypotheses
from scalewatch.modelling.rules.evidence.model import falls
from scalewatch.modelling.rules.evidence.posterior import Prior
from scalewatch.modelling.rules.evidence.prediction import Forecaster
from scalewatch.modelling.rules.evidence.weighing import Weighed

Settings = Mapping[str, Reals]

MOST_SERIES: Final = ASSUMED.most_series


@dataclass(frozen=True, slots=True)
class Pool:
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
    def all_of(cls, batch: Batch, space: Space, *, may_fall: bool) -> "list[Pool]":
        """Return the series that can be modelled, by settings, not too many of them."""
        pools = [
            cls(part.settings, positive(part).values, space)
            for _, part in batch.groups()
            if obstacle(part.settings, space) is None
        ]
        if may_fall:
            pools = [part for pool in pools for part in pool.apart()]
        return thinned([pool for pool in pools if len(pool.values)], MOST_SERIES)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def hypotheses(self) -> Hypotheses:
        """All that competes."""
        return Hypotheses.of(self.space, self.settings, may_fall=self.is_falling)

    def apart(self) -> "Iterator[Pool]":
        """Yield the series that rise and those that fall."""
        is_falling = falls(located(self.values, USUAL))
        yield replace(self, values=self.values[~is_falling])
        yield replace(self, values=self.values[is_falling], is_falling=True)

    def weigh(self, location: Departing, noise: Noise) -> Weighed:
        """Weigh all that competes for all series."""
        hypotheses = self.hypotheses
        scratch = hypotheses.scratch(location.log.shape[1])
        return hypotheses.weigh(location, noise, scratch)

    def located(self, noise: Noise) -> list[Departing]:
        """Return the locations under each size of the discrepancy."""
        return sizes(located(self.values, noise), self.settings, noise)

    def but_last(self) -> "Pool":
        """Return it without the largest setting."""
        settings = {name: x[:-1] for name, x in self.settings.items()}
        return replace(self, settings=settings, values=self.values[:, :-1])


def positive(part: Batch) -> Batch:
    """Return the series all of whose values have logarithms, scaled.

    Beside 1e300, 1e-300 has none.
    """
    scaled, _ = part.only(part.is_finite).scaled()
    smallest = np.fmin.reduce(scaled.values, axis=(1, 2), initial=np.inf)
    return scaled.only(smallest > 0)


def thinned(pools: Sequence[Pool], most: int) -> list[Pool]:
    """Return about so many of all series, evenly spread."""
    step = -(-sum(len(pool.values) for pool in pools) // most)
    return [replace(pool, values=pool.values[:: max(step, 1)]) for pool in pools]


@dataclass(frozen=True, slots=True)
class Endings:
    """The last measurement of S series, and what the others say about it.

    Parameters
    ----------
    forecaster
        Of the last setting.
    locations, fits
        Of the others, under each size of the discrepancy.
    place, variance
        Logarithm of the measurement, and its variance, shape (S,).
    """

    forecaster: Forecaster
    locations: Sequence[Departing]
    fits: Sequence[tuple[Reals, Reals]]
    place: Reals
    variance: Reals

    @classmethod
    def of(cls, pool: Pool, noise: Noise) -> "Endings":
        """Weigh each series without its last measurement."""
        ((name, x),) = pool.settings.items()
        rest = pool.but_last()
        hypotheses = rest.hypotheses
        locations = rest.located(noise)
        weighed = [rest.weigh(location, noise) for location in locations]
        actual = located(pool.values, noise)
        # Without repetitions only what fits leave tells how measurements scatter.
        left = weighed[-1].misfit.mean() / max(len(rest.values[0]) - ASSUMED.fitted, 1)
        is_measured = actual.freedom >= MEASURED
        return cls(
            Forecaster.of(
                hypotheses,
                Prior.among(hypotheses, noise.shapes, None, None),
                rest.settings,
                [{name: float(x[-1])}],
            ),
            locations,
            [each.fits for each in weighed],
            place=actual.log[-1],
            variance=np.where(
                is_measured, actual.variance, np.maximum(left, actual.variance)
            ),
        )

    def scores(self, noise: Noise, interval: float) -> Reals:
        """Return by how much each last measurement misses its forecast."""
        question = self.locations, noise, self.fits, interval
        middle, low, high = np.log(self.forecaster.forecasts(*question)[:, 0]).T
        error = self.place - middle
        reach = np.where(error > 0, high - middle, middle - low)
        scatter = deviations(noise.shares, interval) ** 2 * self.variance
        return np.asarray(np.abs(error) / np.sqrt(reach**2 + scatter))


def deviations(shares: Sequence[float], interval: float) -> float:
    """Return how many standard deviations hold a location's error, excess and all."""
    low, high = 0.0, ASSUMED.most_deviations * math.sqrt(EXCESSES[-1])
    for _ in range(ASSUMED.deviation_halvings):
        middle = (low + high) / 2
        held = sum(
            share * math.erf(middle / math.sqrt(2 * excess))
            for share, excess in zip(shares, EXCESSES, strict=True)
        )
        low, high = (middle, high) if held < interval else (low, middle)
    return high
