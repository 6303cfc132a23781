"""How much two profiles of the same code differ.

A profile holds the seconds spent per function. Two distribution-difference functions
of the reference: Pearson's χ² test of independence over functions and profiles
(equation 12), and Kendall's τ over the order of functions by time (equation 13).

The reference requires a difference near 0 for similar profiles (equation 11), but
its χ² function is the right-tailed probability, which is near 1 for them: both are
given, `p_value` as printed there and `difference` = 1 - p as required.

References
----------
"Formulation of Scientific Codes", LA-UR-14-26577, section 3.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from scalewatch.errors import BadProfile

Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ProfileDifference:
    """Differences between two profiles.

    Parameters
    ----------
    chi2
        Pearson's statistic; it grows with the unit of time, the reference counts
        seconds.
    degrees_of_freedom
        Functions less one.
    p_value
        Probability of a larger χ² by chance, near 1 for similar profiles.
    tau
        Kendall's τ: 1 for the same order of functions, -1 for the reverse.
    """

    chi2: float
    degrees_of_freedom: int
    p_value: float
    tau: float

    @property
    def difference(self) -> float:
        """χ² difference, 0 for profiles of the same proportions, at most 1."""
        return 1 - self.p_value

    @property
    def order_difference(self) -> float:
        """τ difference (1 - τ)/2: 0 for the same order, 1 for the reverse."""
        return (1 - self.tau) / 2


def profile_difference(
    a: Mapping[str, float], b: Mapping[str, float]
) -> ProfileDifference:
    """Compare two profiles; a function missing in one took no time there.

    Parameters
    ----------
    a, b
        Seconds by function.

    Raises
    ------
    BadProfile
        If a profile has no time at all, or a time that is negative or no number.
    """
    seconds = _table(a, b)
    expected = np.outer(seconds.sum(axis=1), seconds.sum(axis=0)) / seconds.sum()
    chi2 = float(np.sum((seconds - expected) ** 2 / expected))
    degrees = seconds.shape[1] - 1
    p_value = float(chdtrc(degrees, chi2)) if degrees else 1.0
    return ProfileDifference(chi2, degrees, p_value, _kendall_tau(*seconds))


def _table(a: Mapping[str, float], b: Mapping[str, float]) -> Reals:
    """Profiles by functions that took any time."""
    functions = sorted({*a, *b})
    table = np.array([[each.get(name, 0.0) for name in functions] for each in (a, b)])
    for name, profile in zip(("first", "second"), table, strict=True):
        if not (np.isfinite(profile).all() and (profile >= 0).all() and profile.any()):
            raise BadProfile(name)
    return np.asarray(table[:, table.any(axis=0)])


def _kendall_tau(a: Reals, b: Reals) -> float:
    """(C - D)/N over pairs; functions that tie may be taken in either order."""
    pairs = list(combinations(range(a.size), 2))
    if not pairs:
        return 1.0
    first, second = np.array(pairs).T
    changed = np.sign(a[first] - a[second]) * np.sign(b[first] - b[second]) < 0
    return float(1 - 2 * changed.mean())
