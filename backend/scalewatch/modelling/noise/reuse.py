"""What was learned of the noise of a machine and metric, reused for later measurements.

To learn takes longer than all that is modelled with it, and what jobs that share a node
do to a code changes seldom. So it is reused as long as the best growths misfit
new measurements, in units of their variance, as they did those it was learned from; the
typical variance of a repetition is that of the new ones.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.noise.learn import (
    LEAST_SERIES,
    TRIMMED,
    best_misfits,
    learn_from,
    pools_of,
    with_typical,
)
from scalewatch.modelling.noise.pools import Pool

UNLIKELY: Final = 2.5
"""Standard errors by which misfits differ if something has changed; the logarithm of
the mean misfit of S series scatters by about 1/√S."""


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
        has_changed = max(misfits) > min(misfits) * math.exp(UNLIKELY * error)
        return None if has_changed else noise


def _misfit(pools: Sequence[Pool], noise: Noise) -> float:
    """Return the mean misfit of all series but the worst, in units of the variance."""
    found = [best_misfits(pool, noise) for pool in pools]
    misfit, variance = map(np.concatenate, zip(*found, strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        ordered = np.sort(np.nan_to_num(misfit / variance))
    return float(ordered[: math.ceil(TRIMMED * len(ordered))].mean())
