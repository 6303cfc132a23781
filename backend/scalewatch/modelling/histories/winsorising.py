"""Locations of commits held near the middle of their segment (winsorising)."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.spreads import filled
from scalewatch.modelling.histories.covariances import FLOOR
from scalewatch.modelling.histories.histories import middle

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
