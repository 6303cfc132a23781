"""How probably a guideline is broken where it was measured, and was not before.

A shortcut f breaks f ⪯ g + h at a setting if its location exceeds that of the parts
together by more than the tolerance. Locations are logarithms whose variances the
repetitions tell; what these do not show enters as the mixture of excesses that `noise`
describes. With d the logarithm of f over what is allowed and s² its variance,

    P(broken) = Σ_e share_e · T_ν(d / (s·√e)),

T_ν being Student's distribution function.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.guidelines.guidelines import TOLERANCE, Guideline
from scalewatch.modelling.measurements.assumptions import EXCESSES, Noise
from scalewatch.modelling.measurements.location import locate

Setting = tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RegionRepetitions:
    """Repetitions of a region.

    Parameters
    ----------
    settings
        Shape (n, parameters).
    values
        Shape (n, R), positive; NaN where one is missing.
    """

    settings: Reals
    values: Reals


@dataclass(frozen=True, slots=True)
class _Place:
    """A logarithm at one setting."""

    log: float
    variance: float
    freedom: float


def violation_odds(
    guideline: Guideline,
    measured: Mapping[str, RegionRepetitions],
    noise: Noise,
    tolerance: float = TOLERANCE,
) -> dict[Setting, float]:
    """Return the probability that a guideline is broken, by setting.

    Parameters
    ----------
    measured
        Of all regions of the guideline; settings that one of them lacks are left out.
    noise
        Of these regions.
    tolerance
        Share by which a shortcut may be slower.
    """
    located = {name: _places(each) for name, each in measured.items()}
    common = set.intersection(*(set(located[name]) for name in measured))
    return {
        at: _probability(
            located[guideline.region][at],
            [located[part][at] for part in guideline.parts],
            noise,
            tolerance,
        )
        for at in sorted(common)
    }


def newly_broken(
    before: Mapping[Setting, float], after: Mapping[Setting, float]
) -> float | None:
    """Return how probably a guideline is broken now where it held before.

    It is told by the setting that shows it best. A setting that was not measured
    before is taken to have been as bad as the worst one.

    That it is the best of several needs no correction: both factors of what is just
    allowed are spread evenly over 0 … 1, so that their product exceeds 0.9 in one of
    200 cases, and a guideline counts as new only if it held at all settings before.

    Returns
    -------
    float
        None where nothing is known of one of both.
    """
    if not before or not after:
        return None
    worst = max(before.values())
    return max(odds * (1 - before.get(at, worst)) for at, odds in after.items())


def _places(repeated: RegionRepetitions) -> dict[Setting, _Place]:
    location = locate(repeated.values[np.newaxis])
    (variance,), (freedom,) = location.variance.tolist(), location.freedom.tolist()
    return {
        tuple(at): _Place(log, variance / weight, freedom)
        for at, log, weight in zip(
            repeated.settings.tolist(),
            location.log[:, 0].tolist(),
            location.weight[:, 0].tolist(),
            strict=True,
        )
        if weight > 0
    }


def _probability(
    shortcut: _Place, parts: list[_Place], noise: Noise, tolerance: float
) -> float:
    together = np.exp([part.log for part in parts])
    share = together / together.sum()
    excess = shortcut.log - np.log(together.sum() * (1 + tolerance))
    variance = shortcut.variance + share**2 @ [part.variance for part in parts]
    freedom = min(place.freedom for place in (shortcut, *parts))
    spread = np.sqrt(variance * np.array(EXCESSES))
    return float(np.array(noise.shares) @ stdtr(freedom, excess / spread))
