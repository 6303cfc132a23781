"""Speed-up, parallel efficiency and serial fraction, beside the scaling error.

For c = n₂/n₁ times the processes and the share e = M(k, n₁)/M(·, n₂) of the time:

* speed-up s is e for strong scaling and, scaled, c·e for weak scaling;
* parallel efficiency is s/c: 1 - α/c, and 1 - β;
* the serial fraction of Karp and Flatt is (1/s - 1/c) / (1 - 1/c). If it stays
  constant, serial work limits the code; if it grows, overhead does.

References
----------
A. H. Karp and H. P. Flatt, "Measuring Parallel Processor Performance",
Communications of the ACM 33(5), 1990.
"""

from dataclasses import dataclass

import numpy as np

from scalewatch.errors import UnknownChoice
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.scaling_errors.errors import ScalingErrors


@dataclass(frozen=True, slots=True)
class SpeedUp:
    """How much faster a code is than at a base scale.

    Parameters
    ----------
    base
        n₁.
    scales
        n₂, shape (n,).
    speed_up, efficiency, serial_fraction
        Shape (n,), NaN where not known; the fraction, of Karp and Flatt, also where
        n₂ = n₁.
    """

    base: float
    scales: Reals
    speed_up: Reals
    efficiency: Reals
    serial_fraction: Reals


def speed_up(errors: ScalingErrors, base: float | None = None) -> SpeedUp:
    """Return speed-ups over a base scale, the smallest unless given.

    Raises
    ------
    UnknownChoice
        If the base is not among the scales.
    """
    scales = errors.scales
    row = row_of(errors, base)
    factor = scales / scales[row]
    efficiency = 1 - errors.normalised[row]
    gained = factor * efficiency
    # Of a time beyond all measure, rounding leaves no speed-up at all.
    is_other = (factor != 1) & (gained > 0)
    fraction = np.full(scales.shape, np.nan)
    others = factor[is_other]
    fraction[is_other] = (1 / gained[is_other] - 1 / others) / (1 - 1 / others)
    return SpeedUp(float(scales[row]), scales, gained, efficiency, fraction)


def row_of(errors: ScalingErrors, base: float | None) -> int:
    """Return the row of a base scale, the smallest unless given.

    Raises
    ------
    UnknownChoice
        If the base is not among the scales.
    """
    if base is None:
        return int(errors.scales.argmin())
    rows = np.flatnonzero(errors.scales == base)
    if not rows.size:
        known = map("{:g}".format, errors.scales)
        wanted = f"{base:g}"
        raise UnknownChoice("scale", wanted, known)
    return int(rows[0])
