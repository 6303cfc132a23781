"""Histories: a series measured at one commit after the other.

What is compared is the robust location of the logarithms at each setting, see
`location`; one such vector per commit.

Locations scatter from commit to commit. The covariance is taken of the differences
between successive commits, which a change spoils once and not for good, and shrunk
towards compound symmetry: one variance for all settings (each is a job of its own) and
one covariance (the commit is the same).

Commits far from the middle of their segment are held near it (winsorising).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scalewatch.errors import NotFinite, WrongShape
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.spreads import filled
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
        """Level and tilts in which changes are sought, shape (1 + parameters, n)."""
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
    log_locations = np.full(flat.shape[:2], np.nan)
    step = max(1, CELLS // max(1, shape[-2] * shape[-1]))
    measured = np.flatnonzero(~np.isnan(flat).all(axis=(1, 2)))
    for start in range(0, len(measured), step):
        rows = measured[start : start + step]
        located = locate(flat[rows])
        log = np.where(located.weight > 0, located.log, np.nan)
        log_locations[rows] = log.T
    return log_locations.reshape(shape[:-1])


def middle(log: Reals) -> Reals:
    """Return the median over commits of each setting, of (T, n) shape (n,).

    A setting that none of them measured gets the mean of the others.
    """
    # NaN sorts last; numpy's nanmedian takes ten times as long for so few numbers.
    ordered = np.sort(log, axis=0)
    present = np.count_nonzero(~np.isnan(log), axis=0)
    column = np.arange(log.shape[1])
    low, high = np.maximum(present - 1, 0) // 2, present // 2
    medians: Reals = (ordered[low, column] + ordered[high, column]) / 2
    is_measured = present > 0
    medians[~is_measured] = medians[is_measured].mean() if is_measured.any() else 0.0
    return medians


SHRINKAGE = 0.8
"""Share of compound symmetry; a half raises the threshold by one, see benchmarks."""

FLOOR = 1e-3
"""Least standard deviation of a location: counters that never vary, still do."""


def shrunk(products: Reals, differences: Reals) -> Reals:
    """Return covariances of locations, shape (S, n, n).

    Parameters
    ----------
    products
        Sums of the outer products of successive differences, shape (S, n, n).
    differences
        How many were added, shape (S,), at least one.
    """
    settings = products.shape[-1]
    covariance = products / (2 * differences)[:, np.newaxis, np.newaxis]
    variance, common = components(covariance)
    identity = np.eye(settings)
    symmetric = common[:, np.newaxis, np.newaxis] + np.multiply.outer(
        variance - common, identity
    )
    mixed: Reals = (1 - SHRINKAGE) * covariance + SHRINKAGE * symmetric
    return mixed + FLOOR**2 * identity


def components(covariance: Reals) -> tuple[Reals, Reals]:
    """Return the mean variance and the mean covariance of each, shape (S,)."""
    settings = covariance.shape[-1]
    diagonal = np.einsum("sii->s", covariance)
    variance = diagonal / settings
    pairs = max(settings * (settings - 1), 1)
    common = (covariance.sum(axis=(1, 2)) - diagonal) / pairs
    # The matrix stays positive: a common part neither exceeds nor cancels the rest.
    lowest = -0.9 * variance / max(settings - 1, 1)
    return variance, np.clip(common, lowest, 0.99 * variance)


REACH: Final = 3.0
"""Robust standard deviations within which a location is held."""

FEW: Final = 5
"""Commits of which fewer tell no spread."""


def winsorised_pieces(log: Reals, places: Sequence[int]) -> Reals:
    """Winsorise the commits between steps about their medians, shape (T, n)."""
    pieces = np.split(log, places)
    return np.concatenate([_bounded(piece) for piece in pieces if len(piece)])


def winsorised_between(log: Reals, guess: int) -> Reals:
    """Winsorise all vectors to where either segment may lie, shape (T, n)."""
    centres, reaches = zip(*map(_bounds, (log[:guess], log[guess:])), strict=True)
    centre, reach = np.stack(centres), np.stack(reaches)
    lowest, highest = (centre - reach).min(axis=0), (centre + reach).max(axis=0)
    near = np.where((np.arange(len(log)) < guess)[:, np.newaxis], *centre)
    bounded: Reals = near + filled(np.clip(log, lowest, highest) - near)
    return bounded


def _bounded(log: Reals) -> Reals:
    """Winsorise the vectors of a segment about their median, shape (T, n)."""
    centre, reach = _bounds(log)
    return centre + filled(np.clip(log - centre, -reach, reach))


def _bounds(log: Reals) -> tuple[Reals, Reals]:
    """Return the middle of a segment and how far from it is too far, shape (n,)."""
    centre = middle(log)
    # Of few commits no spread is known; then none of them is far away.
    if len(log) < FEW:
        return centre, np.full(log.shape[1], np.inf)
    spread = 1.4826 * middle(np.abs(log - centre))
    return centre, REACH * np.maximum(spread, FLOOR)
