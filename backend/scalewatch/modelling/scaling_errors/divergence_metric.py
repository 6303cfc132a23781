"""Divergence metrics: one number for how quickly a scaling error grows.

The reference asks for a D that is larger for the less desirable of two scalings
(section 2.2), and offers -R, the negative correlation coefficient of n₂ and the error
for a fixed n₁. As the error is positive where time is lost, that -R is *smaller* for
a steadily growing error: `value` is therefore +R, and `printed` the published -R.

R says how straight the error grows, not how fast: 0.001·n₂ is as bad as n₂, and an
exponential error can look better than a linear one. Two others look at the share of
the ideal that is lost, ε = α·n₁/n₂ or β:

* area: the mean of ε over log n₂, from 0 (ideal) to 1 (all is lost);
* growth: the exponent by which the slowdown 1/(1 - ε) grows at the largest scale. The
  error itself would not do, since α never exceeds n₂/n₁, nor β 1, however bad it is.

References
----------
"Formulation of Scientific Codes", LA-UR-14-26577, section 2.2.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.scaling_errors.errors import ScalingErrors, row_of
from scalewatch.modelling.search.finding import Finding
from scalewatch.modelling.search.search import find_models
from scalewatch.reasons import CONSTANT_ERROR, FewScales

NEEDED_FOR_CORRELATION = 3
"""Two points are always on a line."""

NEEDED_FOR_AREA = 2


class DivergenceMetric(StrEnum):
    """How the divergence of a scaling is measured."""

    AREA = "area"
    GROWTH = "growth"
    CORRELATION = "correlation"


@dataclass(frozen=True, slots=True)
class ErrorDivergence:
    """How much a scaling diverges from the ideal, for one n₁.

    Parameters
    ----------
    metric
        How it is measured.
    value
        Larger is worse; None where it cannot be told.
    reason
        Why it cannot be told, or is what it is by convention, in words.
    growth
        Growth of the slowdown over the scale, for that metric.
    """

    metric: DivergenceMetric
    value: float | None
    reason: str | None = None
    growth: Growth | None = None

    @property
    def printed(self) -> float | None:
        """The published D′ = -R, of the correlation."""
        is_published = self.metric is DivergenceMetric.CORRELATION
        return -self.value if is_published and self.value is not None else None


def error_divergences(
    scalings: Sequence[ScalingErrors],
    metric: DivergenceMetric = DivergenceMetric.AREA,
    base: float | None = None,
    parameter: str = "p",
) -> tuple[ErrorDivergence, ...]:
    """Measure scalings by one metric, so that the best can be told from the others.

    Parameters
    ----------
    scalings
        Any number, over scales of their own.
    metric
        How.
    base
        n₁; the smallest scale of each unless given.
    parameter
        Name of the scale, over which slowdowns grow.

    Raises
    ------
    UnknownChoice
        If a scaling has no such base.
    """
    rows = [row_of(each, base) for each in scalings]
    if metric is DivergenceMetric.GROWTH:
        return tuple(error_growths(scalings, rows, parameter))
    measure = area if metric is DivergenceMetric.AREA else correlation
    return tuple(map(measure, scalings, rows))


def correlation(scaling: ScalingErrors, row: int) -> ErrorDivergence:
    """Return R of n₂ and the error; a constant error does not grow: 0."""
    n2, error = _known(scaling.scales, scaling.errors[row])
    if n2.size < NEEDED_FOR_CORRELATION:
        return _too_few(DivergenceMetric.CORRELATION, n2.size, NEEDED_FOR_CORRELATION)
    if np.ptp(error) <= ASSUMED.constant_error * n2.max() / n2.min():
        return ErrorDivergence(DivergenceMetric.CORRELATION, 0.0, CONSTANT_ERROR)
    r = float(np.corrcoef(n2, error)[0, 1])
    return ErrorDivergence(DivergenceMetric.CORRELATION, min(max(r, -1.0), 1.0))


def area(scaling: ScalingErrors, row: int) -> ErrorDivergence:
    """Return the mean share of the ideal that is lost, over log n₂ from n₁ on."""
    n2, lost = _upwards(scaling, row)
    if n2.size < NEEDED_FOR_AREA:
        return _too_few(DivergenceMetric.AREA, n2.size, NEEDED_FOR_AREA)
    doublings = np.log2(n2)
    mean = float(np.trapezoid(lost, doublings) / np.ptp(doublings))
    return ErrorDivergence(DivergenceMetric.AREA, mean)


def error_growths(
    scalings: Sequence[ScalingErrors], rows: Sequence[int], parameter: str
) -> list[ErrorDivergence]:
    """Return the exponents by which slowdowns grow, from their fitted models.

    Scalings over the same scales are modelled together.
    """
    curves = [_slowdown(*each) for each in zip(scalings, rows, strict=True)]
    alike: dict[bytes, list[int]] = defaultdict(list)
    for place, (n2, _) in enumerate(curves):
        alike[n2.tobytes()].append(place)
    grown: dict[int, ErrorDivergence] = {}
    for places in alike.values():
        n2 = curves[places[0]][0]
        slowdowns = np.stack([curves[place][1] for place in places])
        findings = find_models(n2, slowdowns[:, :, np.newaxis], parameter=parameter)
        grown |= zip(places, (_growth(each, n2) for each in findings), strict=True)
    return [grown[place] for place in range(len(curves))]


def _slowdown(scaling: ScalingErrors, row: int) -> tuple[Reals, Reals]:
    """Return n₂, and how many times as long as ideal it takes there."""
    n2, lost = _upwards(scaling, row)
    is_telling = lost < 1  # rounding makes 1 of a time beyond all measure
    return n2[is_telling], 1 / (1 - lost[is_telling])


def _growth(finding: Finding, n2: Reals) -> ErrorDivergence:
    growth = finding.told_growth
    if growth is None:
        reason = finding.reason or str(finding.misfit)
        return ErrorDivergence(DivergenceMetric.GROWTH, None, reason)
    scale = float(n2.max())
    exponent = 0.0
    for factor in growth.factors:
        exponent += float(factor.power) + float(factor.exp2) * log(2) * scale
        if factor.log:
            exponent += float(factor.log) / log(scale)
    return ErrorDivergence(DivergenceMetric.GROWTH, exponent, growth=growth)


def _known(n2: Reals, error: Reals) -> tuple[Reals, Reals]:
    is_known = np.isfinite(error)
    return n2[is_known], error[is_known]


def _upwards(scaling: ScalingErrors, row: int) -> tuple[Reals, Reals]:
    """Return n₂ from n₁ on, rising, and the share of the ideal that is lost there."""
    n2, lost = _known(scaling.scales, scaling.normalised[row])
    is_upwards = n2 >= scaling.scales[row]
    order = np.argsort(n2[is_upwards])
    return n2[is_upwards][order], lost[is_upwards][order]


def _too_few(metric: DivergenceMetric, scales: int, needed: int) -> ErrorDivergence:
    return ErrorDivergence(metric, None, str(FewScales(scales, needed)))
