"""Series of one machine and metric, put together by their settings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.space import Space
from scalewatch.modelling.measurements.assumptions import USUAL, Noise
from scalewatch.modelling.measurements.batch import Batch
from scalewatch.modelling.measurements.estimators import located
from scalewatch.modelling.measurements.feasibility import obstacle
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.rules.evidence.hypotheses import Hypotheses
from scalewatch.modelling.rules.evidence.model import falls
from scalewatch.modelling.rules.evidence.weighing import Weighed

Settings = Mapping[str, Reals]

MOST_SERIES: Final = 500
"""More tell nothing new; as many are taken, evenly spread over the batch."""


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

    def weigh(self, location: Location, noise: Noise) -> Weighed:
        """Weigh all that competes for all series."""
        hypotheses = self.hypotheses
        scratch = hypotheses.scratch(location.log.shape[1])
        return hypotheses.weigh(location, noise, scratch)

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
