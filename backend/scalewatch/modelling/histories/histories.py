"""Histories: a series measured at one commit after the other.

What is compared is the robust location of the logarithms at each setting, see
`location`; one such vector per commit.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scalewatch.errors import NotFinite, WrongShape
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.measurements.location import locate

CELLS = 200_000
"""Measurements that are located together: their repetitions stay in the cache."""


@dataclass(frozen=True, slots=True)
class Histories:
    """Histories of S series at n settings over at most T commits.

    Parameters
    ----------
    doublings
        log₂ of the settings, shape (n, parameters).
    log
        Natural logarithms of the locations, shape (S, T, n), oldest commit first;
        NaN where a setting was not measured.
    length
        Commits of each series, shape (S,); what follows them in `log` is NaN.
    """

    doublings: Reals
    log: Reals
    length: NDArray[np.intp]

    @classmethod
    def of(
        cls, x: ArrayLike, log: ArrayLike, length: ArrayLike | None = None
    ) -> "Histories":
        """Return histories from settings, shape (n,) or (n, parameters).

        Raises
        ------
        WrongShape, NotFinite
            If the arrays do not fit each other or a setting is not positive.
        """
        settings, logs = np.asarray(x, float), np.asarray(log, float)
        settings = settings.reshape(len(settings), -1)
        if logs.ndim != 3 or logs.shape[2] != len(settings):
            raise WrongShape("log", logs.shape, f"(series, commits, {len(settings)})")
        for setting in settings.ravel().tolist():
            if not 0 < setting < np.inf:
                raise NotFinite("x", setting)
        lengths = np.full(len(logs), logs.shape[1], np.intp)
        return cls(
            np.log2(settings),
            logs,
            lengths if length is None else np.asarray(length, np.intp),
        )

    @property
    def directions(self) -> Reals:
        """What changes are looked for, shape (1 + parameters, n): level and tilts."""
        centred = self.doublings - self.doublings.mean(axis=0)
        tilts = [column for column in centred.T if np.ptp(column) > 0]
        scaled = [column / np.sqrt(np.mean(column**2)) for column in tilts]
        return np.stack([np.ones(len(centred)), *scaled])


def locations(values: ArrayLike) -> Reals:
    """Return the logarithm of where repetitions lie, NaN where there are none.

    Parameters
    ----------
    values
        Repetitions, shape (…, n, R), positive; NaN where one is missing.
    """
    repetitions = np.asarray(values, float)
    shape = repetitions.shape
    flat = repetitions.reshape(-1, *shape[-2:])
    found = np.full(flat.shape[:2], np.nan)
    step = max(1, CELLS // max(1, shape[-2] * shape[-1]))
    measured = np.flatnonzero(~np.isnan(flat).all(axis=(1, 2)))
    for start in range(0, len(measured), step):
        rows = measured[start : start + step]
        located = locate(flat[rows])
        log = np.where(located.weight > 0, located.log, np.nan)
        found[rows] = log.T
    return found.reshape(shape[:-1])


def middle(log: Reals) -> Reals:
    """Return the median over commits of each setting, of (T, n) shape (n,).

    A setting that none of them measured gets the mean of the others.
    """
    # NaN sorts last; numpy's nanmedian takes ten times as long for so few numbers.
    ordered = np.sort(log, axis=0)
    present = np.count_nonzero(~np.isnan(log), axis=0)
    column = np.arange(log.shape[1])
    low, high = np.maximum(present - 1, 0) // 2, present // 2
    found: Reals = (ordered[low, column] + ordered[high, column]) / 2
    is_measured = present > 0
    found[~is_measured] = found[is_measured].mean() if is_measured.any() else 0.0
    return found
