"""Quadratic extrapolation of communication time and overhead.

The time T that all processes together spend in MPI should at most be linear in their
number P. It is fitted by f(P) = a₀ + a₁·P + a₂·P² on the first S settings, and the
next setting is extrapolated; then S grows (section 4 of the reference). A large a₂
hints at a scalability problem; the extrapolation makes sense as long as its largest
error on the fitted points,

    e_max = max |T - f(P)| / T,    equation (5),

the relative miss d of the next point and the drift of the coefficients are small.

References
----------
"Knowledge Based Automatic Scalability Analysis and Extrapolation for MPI Programs",
sections 3 and 4, tables 1 and 2.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scalewatch.errors import TooFewSettings, WrongShape
from scalewatch.modelling.arrays import Reals

FIRST_POINTS = 4
"""Settings that the first extrapolation starts from."""


@dataclass(frozen=True, slots=True)
class Extrapolation:
    """A quadratic through the first points, and how well it meets the next one.

    Parameters
    ----------
    settings
        Numbers of processes it was fitted to.
    a0, a1, a2
        Coefficients, in the unit of the times.
    e_max
        Largest relative error on the fitted points, in percent; None if a time is 0.
    d
        Relative miss of the next point, in percent; None after the last point or if
        its time is 0.
    """

    settings: tuple[float, ...]
    a0: float
    a1: float
    a2: float
    e_max: float | None
    d: float | None

    def __call__(self, processes: ArrayLike) -> Reals:
        """Evaluate at numbers of processes."""
        p = np.asarray(processes, dtype=np.float64)
        return self.a0 + self.a1 * p + self.a2 * p**2


def extrapolations(processes: ArrayLike, times: ArrayLike) -> tuple[Extrapolation, ...]:
    """Return one extrapolation for each S = 4 … N, as a row of the paper's table.

    Parameters
    ----------
    processes
        Distinct numbers of processes, shape (N,), in any order.
    times
        Communication time or overhead over all processes, shape (N,), any unit.

    Raises
    ------
    TooFewSettings
        If fewer than four numbers of processes were measured.
    WrongShape
        If there is not one time per number of processes.
    """
    p = np.asarray(processes, dtype=np.float64)
    t = np.asarray(times, dtype=np.float64)
    if p.ndim != 1 or t.shape != p.shape:
        raise WrongShape("times", t.shape, f"one time per setting, {p.shape}")
    distinct = np.unique(p).size
    if distinct < FIRST_POINTS or distinct < p.size:
        raise TooFewSettings(distinct, max(FIRST_POINTS, p.size))
    order = np.argsort(p)
    return tuple(
        _extrapolation(p[order], t[order], points)
        for points in range(FIRST_POINTS, p.size + 1)
    )


def drift(rows: tuple[Extrapolation, ...]) -> tuple[tuple[float, float], ...]:
    """Return smallest and largest value that each coefficient takes, a₀ to a₂."""
    columns = zip(*((row.a0, row.a1, row.a2) for row in rows), strict=True)
    return tuple((min(column), max(column)) for column in columns)


def _extrapolation(p: Reals, t: Reals, points: int) -> Extrapolation:
    # Fitted over P / P_max, where the three columns are of one size.
    scale = p[points - 1]
    powers = (p[:points, np.newaxis] / scale) ** np.arange(3)
    scaled = np.linalg.lstsq(powers, t[:points])[0]
    a0, a1, a2 = (scaled / scale ** np.arange(3)).tolist()
    fitted = Extrapolation(tuple(p[:points].tolist()), a0, a1, a2, None, None)
    following = slice(points, points + 1)
    return Extrapolation(
        fitted.settings,
        a0,
        a1,
        a2,
        e_max=_largest_miss(fitted, p[:points], t[:points]),
        d=_largest_miss(fitted, p[following], t[following]),
    )


def _largest_miss(fitted: Extrapolation, p: Reals, t: Reals) -> float | None:
    """Largest relative error in percent, if there is a point and none is zero."""
    if not t.size or not t.all():
        return None
    return float(100 * np.max(np.abs((t - fitted(p)) / t)))
