"""Forecasts with intervals that hold, from all curves that the measurements allow.

The bounds are quantiles of a mixture over the growths of the space (`quadrature`) and
over curves outside of it (`families`), with the shares of `Noise.kinds`. The value is
the median of the same with less weight on the latter: they make intervals honest, but
a value worse where the space has the truth.

A `Noise` learned from many series widens the bounds by k, which is what forecasts one
step beyond the measurements asked for. That curves depart from all models goes on
beyond: like a random walk, by 1 + (k - 1)·√h after h steps.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from scalewatch.modelling.arrays.types import Reals
from scalewatch.modelling.evidence.bases import Frame, by_frame
from scalewatch.modelling.evidence.posterior import Prior
from scalewatch.modelling.forecasts.importance_sampling import TwoTermCurves, sample
from scalewatch.modelling.forecasts.log_residuals import Centred
from scalewatch.modelling.forecasts.mixture import Mixture
from scalewatch.modelling.forecasts.quadrature import TargetTable, one_term
from scalewatch.modelling.forecasts.two_term_curves import (
    free_power,
    partners,
    two_terms,
)
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.terms import log2_table, term_table
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.location import Location

Settings = Mapping[str, Reals]

DOUBT = 0.1
"""Weight of the others in the value, relative to that in the bounds."""

BLOCK = 64
"""Series whose curves are compared together."""

LARGEST_LOG2 = 900.0
"""Growths are not followed beyond 2 to this power."""

LARGEST_LOG = 709.0
"""Forecasts beyond e to this power are no numbers."""


@dataclass(frozen=True, slots=True)
class BasisCurves:
    """Curves with a base in common, at settings and at T targets.

    Parameters
    ----------
    log_base, target_log_base
        Logarithm of the base, shapes (n,) and (T,).
    terms
        Growths over the base.
    share
        Prior of these growths, shape (H,).
    families
        Curves that are no growth of the space, in the order of `Noise.kinds`.
    """

    log_base: Reals
    target_log_base: Reals
    terms: TargetTable
    share: Reals
    families: tuple[TwoTermCurves, ...]

    def mixtures(self, location: Location, noise: Noise, ratio: Reals) -> list[Mixture]:
        """Return what the growths, and then each family, say about the targets."""
        centred = Centred.of(location.over(self.log_base), noise)
        found = [one_term(centred, self.terms, self.share, ratio)]
        found += [sample(centred, family) for family in self.families]
        return [each.shifted(self.target_log_base) for each in found]


@dataclass(frozen=True, slots=True)
class TargetDensities:
    """What curves say about the targets, by kind in the order of `Noise.kinds`."""

    kinds: tuple[Mixture, ...]

    def quantiles(
        self, shares: Sequence[float], level: float
    ) -> tuple[Reals, Reals, Reals]:
        """Return low, value and high as logarithms, shape (T, S) each."""
        size = len(self.kinds[0].log_weight)
        # Some settings have growths only: logarithms need positive ones.
        pairs = zip(self.kinds, shares, strict=False)
        weighted = [kind.weighted(np.log(share)) for kind, share in pairs]
        mixture, parts = Mixture.joined(weighted).heaviest()
        bounds = mixture.quantiles(((1 - level) / 2, (1 + level) / 2))
        doubted = mixture.weighted(np.where(parts < size, 0.0, np.log(DOUBT)))
        value = doubted.quantiles((0.5,))[:, 0]
        low, high = bounds.transpose(1, 0, 2)
        return low, np.clip(value, low, high), high


@dataclass(frozen=True, slots=True)
class Forecaster:
    """All curves that compete.

    Parameters
    ----------
    parts
        One per base.
    steps
        How far each target lies beyond the measurements, at least 1, shape (T,).
    """

    parts: tuple[BasisCurves, ...]
    steps: Reals

    @classmethod
    def of(
        cls,
        frames: Sequence[Frame],
        prior: Prior,
        settings: Settings,
        targets: Sequence[Mapping[str, float]],
    ) -> "Forecaster":
        """Evaluate growths, defined at all settings and targets.

        Parameters
        ----------
        frames
            Of the growths.
        prior
            Of all of them in order.
        settings, targets
            Where they are evaluated.
        """
        beyond = {
            name: np.array([target[name] for target in targets]) for name in settings
        }
        return cls(
            tuple(
                _part(frame, share, settings, beyond)
                for frame, share in zip(
                    frames, by_frame(frames, prior.share), strict=True
                )
            ),
            _steps(settings, beyond),
        )

    def forecasts(
        self,
        location: Location,
        noise: Noise,
        ratios: Sequence[Reals],
        level: float,
    ) -> Reals:
        """Return value, low and high, shape (S, T, 3).

        Parameters
        ----------
        location
            Of S series.
        noise
            Assumptions about their noise.
        ratios
            Per part c₁/c₀ of the best fit of each growth, shape (H, S).
        level
            Probability that the bounds should hold.
        """
        widening = 1 + (noise.widening - 1) * np.sqrt(self.steps)[:, np.newaxis]
        found = []
        for outlook in self.outlooks(location, noise, ratios):
            low, value, high = outlook.quantiles(noise.kinds, level)
            logs = np.stack(
                [
                    value,
                    value + widening * (low - value),
                    value + widening * (high - value),
                ]
            )
            found.append(np.exp(np.minimum(logs, LARGEST_LOG)).transpose(2, 1, 0))
        return np.concatenate(found)

    def outlooks(
        self, location: Location, noise: Noise, ratios: Sequence[Reals]
    ) -> Iterator[TargetDensities]:
        """Yield what all curves say about the targets, for a block of series each."""
        for start in range(0, ratios[0].shape[1], BLOCK):
            block = slice(start, start + BLOCK)
            found = [
                part.mixtures(location.only(block), noise, ratio[:, block])
                for part, ratio in zip(self.parts, ratios, strict=True)
            ]
            by_kind = zip_longest(*found)
            yield TargetDensities(
                tuple(
                    Mixture.joined([each for each in kind if each]) for kind in by_kind
                )
            )


def _steps(settings: Settings, targets: Settings) -> Reals:
    """Return how many times as far as the last two settings lie apart, at least 1."""
    ((parameter, x),) = settings.items()
    beyond = targets[parameter]
    *_, before, last = x
    if before <= 0:
        return np.ones_like(beyond)
    step = np.log(last / before)
    return np.asarray(np.maximum(np.log(np.maximum(beyond / last, 1)) / step, 1))


def _part(
    frame: Frame, share: Reals, settings: Settings, targets: Settings
) -> BasisCurves:
    base = log2_table((frame.base,), targets)[0] - frame.log2_scale[0, 0]
    ratios = [growth / frame.base for growth in frame.growths]
    return BasisCurves(
        log_base=frame.log_base,
        target_log_base=np.log(2) * np.maximum(base, -LARGEST_LOG2),
        terms=target_table(ratios, settings, targets),
        share=share,
        families=tuple(_families(frame.base, settings, targets)),
    )


def target_table(
    growths: Sequence[Growth], settings: Settings, targets: Settings
) -> TargetTable:
    """Return growths over their largest value at the settings."""
    table = term_table(growths, settings)
    relative = log2_table(growths, targets) - table.log2_scale[:, np.newaxis]
    return TargetTable(table.tau, np.exp2(np.minimum(relative, LARGEST_LOG2)))


def _families(
    base: Growth, settings: Settings, targets: Settings
) -> Iterator[TwoTermCurves]:
    """Yield the curves outside of the space that are defined everywhere."""
    if len(settings) > 1:
        return
    ((parameter, x),) = settings.items()
    beyond = targets[parameter]
    smallest = min(x.min(), beyond.min(initial=np.inf))
    if smallest <= 0:
        return
    if base in {CONSTANT, Growth.of(parameter, power=-1)}:
        yield free_power(x, beyond)
    if base != CONSTANT or smallest < 1:
        return
    logarithm, powers = partners(parameter)
    yield two_terms(
        target_table((logarithm,), settings, targets),
        target_table(powers, settings, targets),
    )
