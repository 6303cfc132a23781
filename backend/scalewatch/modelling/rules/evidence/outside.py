"""Curves that are no growth of the space, at the settings and at targets."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.rules.evidence.importance_sampling import (
    TwoTermCurves,
    sample,
)
from scalewatch.modelling.rules.evidence.inside import LARGEST_LOG2, target_table
from scalewatch.modelling.rules.evidence.log_residuals import Centred
from scalewatch.modelling.rules.evidence.mixture import Mixture
from scalewatch.modelling.rules.evidence.model import Frame
from scalewatch.modelling.rules.evidence.shapes import Curve
from scalewatch.modelling.rules.evidence.two_term_curves import (
    free_power,
    partners,
    two_terms,
)

Settings = Mapping[str, Reals]


@dataclass(frozen=True, slots=True)
class Outside:
    """Curves that are no growth of the space, over a base in common.

    Parameters
    ----------
    log_base, target_log_base
        Logarithm of the base, shapes (n,) and (T,).
    families
        In the order of `Noise.kinds`.
    """

    log_base: Reals
    target_log_base: Reals
    families: tuple[TwoTermCurves, ...]

    @classmethod
    def of(cls, frame: Frame, settings: Settings, targets: Settings) -> "Outside":
        """Return those over the base of a frame."""
        least = -LARGEST_LOG2 * np.log(2)
        far = np.maximum(frame.log_base_at(targets), least)
        families = tuple(_families(frame.base, settings, targets))
        return cls(frame.log_base, far, families)

    def mixtures(self, location: Location, noise: Noise) -> list[Mixture]:
        """Return what each family says about the targets."""
        centred = Centred.of(location.over(self.log_base), noise)
        found = [sample(centred, family) for family in self.families]
        return [each.shifted(self.target_log_base) for each in found]


def _families(
    base: Curve, settings: Settings, targets: Settings
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
