"""Eras of a history: what the commits between two changes show together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from scalewatch.modelling import Growth
from scalewatch.services.batches import Asked, find_all
from scalewatch.services.steps import doublings_of, slopes_of
from scalewatch.services.tracks import Moved, Track

Reals = NDArray[np.float64]

RECENT: Final = 60
"""Commits that say what a growth is now."""


@dataclass(frozen=True, slots=True)
class Era:
    """Commits between two changes, with the growth that all of them show.

    Parameters
    ----------
    first, last
        Positions on the line.
    exponent, low, high
        Mean slope over the first parameter and its 90 % interval.
    """

    first: int
    last: int
    growth: str | None
    exponent: float | None
    low: float | None
    high: float | None


def eras_of(track: Track, moved: Sequence[Moved]) -> list[Era]:
    """Return what the commits between two changes show together."""
    bounds = [0, *(each.shift.segments.first for each in moved), len(track.places)]
    growths = [
        *(each.shift.growth_before for each in moved),
        moved[-1].shift.growth_after if moved else _growth(track),
    ]
    _, centred = doublings_of(track)
    slopes = slopes_of(track.log, centred)
    eras = []
    for first, last, growth in zip(bounds, bounds[1:], growths, strict=False):
        own = np.array([s for s in slopes[first:last] if s is not None])
        mean = float(own.mean()) if own.size else None
        low, high = _interval(own)
        eras.append(
            Era(
                first=track.places[first],
                last=track.places[max(last - 1, first)],
                growth=str(growth) if growth is not None else None,
                exponent=mean,
                low=low,
                high=high,
            )
        )
    return eras


def _interval(slopes: Reals) -> tuple[float | None, float | None]:
    """Return the 90 % interval of a mean; None where nothing tells the scatter."""
    if slopes.size < 2:
        return None, None
    reach = stdtrit(slopes.size - 1, 0.95) * slopes.std(ddof=1) / np.sqrt(slopes.size)
    return float(slopes.mean() - reach), float(slopes.mean() + reach)


def _growth(track: Track) -> Growth | None:
    """Return the growth that all commits of a track show together."""
    question = Asked(
        parameters=track.parameters,
        settings=np.array(track.settings),
        values=np.exp(track.log[-RECENT:]).T.copy(),
        expectation=None,
        deviation_limit=None,
    )
    (finding,) = find_all([question], {"rule": "evidence"})
    return finding.growth
