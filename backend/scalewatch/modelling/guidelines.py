"""Performance guidelines: f ⪯ g + h between regions of one library.

A shortcut should not be slower than what it is a shortcut for, such as
Allreduce ⪯ Reduce + Bcast. A guideline is checked on what was measured and, because
models are combined before they are reduced to their asymptotic form (section 2.4 of
the reference), on scales that were not: a guideline that holds everywhere today may
be about to break.

Whether a guideline is broken where it was measured, and was not before, has a
probability. A shortcut f breaks f ⪯ g + h at a setting if its location exceeds that of
the parts together by more than the tolerance. Locations are logarithms whose variances
the repetitions tell; what these do not show enters as the mixture of excesses that
`noise` describes. With d the logarithm of f over what is allowed and s² its variance,

    P(broken) = Σ_e share_e · T_ν(d / (s·√e)),

T_ν being Student's distribution function.

References
----------
S. Shudler et al., "Exascaling Your Library: Will Your Implementation Meet Your
Expectations?", ICS 2015, sections 2.1, 2.4 and 4.2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from scalewatch.errors import BadExpression, UnknownChoice
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.model import Model, first_above, total
from scalewatch.modelling.measurements.assumptions import EXCESSES, Noise
from scalewatch.modelling.measurements.location import locate

SIGNS = ("⪯", "≼", "≤", "<=")
"""How "is not slower than" may be written."""


@dataclass(frozen=True, slots=True)
class Guideline:
    """A region should not need more than others together.

    Parameters
    ----------
    region
        f, the shortcut.
    parts
        g, h, …: what it can be replaced by.
    """

    region: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.region} ⪯ {' + '.join(self.parts)}"


@dataclass(frozen=True, slots=True)
class GuidelineCheck:
    """Whether a guideline holds where measured, and where the models say it breaks.

    Parameters
    ----------
    guideline
        What was checked.
    violated_at
        Settings at which the shortcut was measured slower, rising.
    violated_from
        Smallest scale, from the largest setting on, at which the models break it;
        None if they never do.
    growth, allowed
        Leading-order terms of both sides; None where one explains nothing.
    excess
        The shortcut over its parts at the largest setting of `violated_at`; None
        where there is none.
    """

    guideline: Guideline
    violated_at: tuple[float, ...]
    violated_from: float | None
    growth: Growth | None
    allowed: Growth | None
    excess: float | None = None

    @property
    def holds(self) -> bool:
        """Whether neither measurements nor models break it."""
        return not self.violated_at and self.violated_from is None


def parse_guideline(text: str) -> Guideline:
    """Read `MPI_Allreduce ⪯ MPI_Reduce + MPI_Bcast`; `<=` will do.

    Raises
    ------
    BadExpression
        With the position and what was expected there.
    """
    sign = next((sign for sign in SIGNS if sign in text), None)
    if sign is None:
        raise BadExpression(text, len(text), "'⪯' or '<=' and the parts")
    region, parts = text.split(sign, 1)
    if not region.strip():
        raise BadExpression(text, 0, "a region")
    position = len(region) + len(sign)
    for part in parts.split("+"):
        if not part.strip():
            raise BadExpression(text, position, "a region")
        position += len(part) + 1
    return Guideline(region.strip(), tuple(part.strip() for part in parts.split("+")))


def check_guideline(  # noqa: PLR0913, measurements and models belong together
    guideline: Guideline,
    x: Sequence[float],
    values: Mapping[str, Sequence[float]],
    models: Mapping[str, Model],
    *,
    parameter: str = "p",
    tolerance: float = ASSUMED.guideline_tolerance,
) -> GuidelineCheck:
    """Check a guideline on measurements and on combined models.

    Parameters
    ----------
    guideline
        Names of regions.
    x
        Settings, shape (n,).
    values
        Summarised measurements by region, shape (n,), NaN where missing.
    models
        Models by region, in the same unit.
    parameter
        What is scaled.
    tolerance
        Share by which a shortcut may be slower.

    Raises
    ------
    UnknownChoice
        If a region of the guideline was not measured or has no model.
    """
    for region in (guideline.region, *guideline.parts):
        if region not in values or region not in models:
            raise UnknownChoice("region", region, sorted({*values} & {*models}))
    parts = tuple(models[each] for each in guideline.parts)
    allowed = total(parts) * (1 + tolerance)
    model = models[guideline.region]
    violated_at = violations(guideline, x, values, tolerance)
    excess = None
    if violated_at:
        place = [float(setting) for setting in x].index(violated_at[-1])
        together = sum(values[each][place] for each in guideline.parts)
        excess = values[guideline.region][place] / together
    return GuidelineCheck(
        guideline=guideline,
        violated_at=violated_at,
        violated_from=first_above(model, allowed, parameter, start=float(max(x))),
        growth=model.growth,
        allowed=allowed.growth,
        excess=excess,
    )


def violations(
    guideline: Guideline,
    x: Sequence[float],
    values: Mapping[str, Sequence[float]],
    tolerance: float = ASSUMED.guideline_tolerance,
) -> tuple[float, ...]:
    """Return the settings at which a shortcut was measured slower, rising.

    Parameters
    ----------
    x, values, tolerance
        As `check_guideline` takes them.
    """
    together = zip(*(values[each] for each in guideline.parts), strict=True)
    slower = {
        float(setting)
        for setting, shortcut, parts in zip(
            x, values[guideline.region], together, strict=True
        )
        if shortcut > sum(parts) * (1 + tolerance)
    }
    return tuple(sorted(slower))


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
    tolerance: float = ASSUMED.guideline_tolerance,
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
