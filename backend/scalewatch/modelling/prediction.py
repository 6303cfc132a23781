"""Forecasts with intervals that hold, from all curves that the measurements allow.

The bounds are quantiles of a mixture over the growths of the space (`quadrature`), with
the share `ONE_TERM`, and over curves outside of it (`families`). The value is the
median of the same with less weight on the latter: they make intervals honest, but a
value worse where the space has the truth. A `Noise` learned from many series widens
the bounds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.centred import Centred
from scalewatch.modelling.families import (
    FREE_POWER,
    TWO_TERMS,
    free_power,
    partners,
    two_terms,
)
from scalewatch.modelling.growth import Growth
from scalewatch.modelling.location import Location
from scalewatch.modelling.mixture import Mixture
from scalewatch.modelling.noise import Noise
from scalewatch.modelling.posterior import Prior
from scalewatch.modelling.quadrature import TargetTable, one_term
from scalewatch.modelling.rules.terms import term_table
from scalewatch.modelling.sampling import Family, sample
from scalewatch.modelling.space import Space

Reals = NDArray[np.float64]
Settings = Mapping[str, Reals]

ONE_TERM = 1 - FREE_POWER - TWO_TERMS
"""Prior share of the growths of the space."""

DOUBT = 0.1
"""Weight of the others in the value, relative to that in the bounds."""

BLOCK = 32
"""Series whose curves are compared together."""

LARGEST_LOG2 = 900.0
"""Growths are not followed beyond 2 to this power."""

LARGEST_LOG = 709.0
"""Forecasts beyond e to this power are no numbers."""


@dataclass(frozen=True, slots=True)
class Forecaster:
    """Curves that compete, at settings and at T targets.

    Parameters
    ----------
    terms
        Growths of the space.
    prior
        Of these growths.
    families
        Curves outside of it.
    """

    terms: TargetTable
    prior: Prior
    families: tuple[Family, ...]

    @classmethod
    def of(
        cls,
        space: Space,
        prior: Prior,
        settings: Settings,
        targets: Sequence[Mapping[str, float]],
    ) -> "Forecaster":
        """Evaluate the growths of a space, defined at all settings and targets."""
        beyond = {
            name: np.array([target[name] for target in targets]) for name in settings
        }
        return cls(
            target_table(space.growths, settings, beyond),
            prior,
            tuple(_families(settings, beyond)),
        )

    def forecasts(
        self, location: Location, noise: Noise, ratio: Reals, level: float
    ) -> Reals:
        """Return value, low and high, shape (S, T, 3).

        Parameters
        ----------
        location
            Of S series.
        noise
            Assumptions about their noise.
        ratio
            c₁/c₀ of the best fit of each growth of the space, shape (H, S).
        level
            Probability that the bounds should hold.
        """
        found = []
        for start in range(0, ratio.shape[1], BLOCK):
            block = slice(start, start + BLOCK)
            centred = Centred.of(location.only(block), noise)
            low, value, high = self._quantiles(centred, ratio[:, block], level)
            logs = np.stack(
                [
                    value,
                    value + noise.widening * (low - value),
                    value + noise.widening * (high - value),
                ]
            )
            found.append(np.exp(np.minimum(logs, LARGEST_LOG)).transpose(2, 1, 0))
        return np.concatenate(found)

    def _quantiles(
        self, centred: Centred, ratio: Reals, level: float
    ) -> tuple[Reals, Reals, Reals]:
        """Return low, value and high as logarithms, shape (T, S) each."""
        inside = one_term(centred, self.terms, ONE_TERM * self.prior.share, ratio)
        outside = [sample(centred, family) for family in self.families]
        bounds = Mixture.joined([inside, *outside]).quantiles(
            ((1 - level) / 2, (1 + level) / 2)
        )
        doubted = [each.weighted(DOUBT) for each in outside]
        value = Mixture.joined([inside, *doubted]).quantiles((0.5,))[:, 0]
        low, high = bounds.transpose(1, 0, 2)
        return low, np.clip(value, low, high), high


def target_table(
    growths: Sequence[Growth], settings: Settings, targets: Settings
) -> TargetTable:
    """Return growths over their largest value at the settings."""
    table = term_table(growths, settings)
    count = len(next(iter(targets.values())))
    logarithms = np.stack(
        [np.broadcast_to(growth.log2(targets), count) for growth in growths]
    )
    relative = logarithms - table.log2_scale[:, np.newaxis]
    return TargetTable(table.tau, np.exp2(np.minimum(relative, LARGEST_LOG2)))


def _families(settings: Settings, targets: Settings) -> Iterator[Family]:
    """Yield the curves outside of the space that are defined everywhere."""
    if len(settings) > 1:
        return
    ((parameter, x),) = settings.items()
    beyond = targets[parameter]
    smallest = min(x.min(), beyond.min(initial=np.inf))
    if smallest <= 0:
        return
    yield free_power(x, beyond)
    if smallest < 1:
        return
    logarithm, powers = partners(parameter)
    yield two_terms(
        target_table((logarithm,), settings, targets),
        target_table(powers, settings, targets),
    )
