"""When series changed, commit after commit, as `nights` tells it from noise.

Series without any noise, such as counts, are watched apart: there one commit tells.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.cells import FLOOR
from scalewatch.modelling.common_mode.long_run import difference_covariance
from scalewatch.modelling.common_mode.machine import Learned
from scalewatch.modelling.common_mode.scan import Alarm, Scan
from scalewatch.modelling.common_mode.thresholds import TARGET
from scalewatch.modelling.histories.histories import Histories

EXACT_SHARE: Final = 0.8
"""Of the commits of an exact series, at least, repeat the one before."""

SAME: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Detection:
    """What was noticed in histories, and how they scatter.

    Parameters
    ----------
    alarms
        Changes, in the order in which they were noticed.
    learned
        Of series with noise: what was learned of all, and the number of each there.
    """

    alarms: tuple[Alarm, ...]
    learned: Mapping[int, tuple[Learned, int]]

    def difference_covariance(
        self, series: int, before: int, after: int
    ) -> Reals | None:
        """Return how the means of so many commits in a row scatter, None if unknown.

        Covariance of what level and tilts differ by, shape (k, k).
        """
        if series not in self.learned:
            return None
        learned, row = self.learned[series]
        return difference_covariance(learned, row, before, after)

    def in_spreads(self, series: int, effect: float) -> float:
        """Return an effect in usual spreads of a series from commit to commit."""
        learned, row = self.learned[series]
        return effect / max(learned.spread_of(row), FLOOR)


def detect(histories: Histories, target: float = TARGET) -> list[Alarm]:
    """Return the changes of each series, as `detection` notices them."""
    return [*detection(histories, target).alarms]


def detection(histories: Histories, target: float = TARGET) -> Detection:
    """Watch histories from the first commit on.

    The series count as measured alike: what is learned of one is used for all.

    Parameters
    ----------
    target
        Share of histories of 200 commits without a change that may alarm.
    """
    is_exact = exact(histories.log)
    alarms: list[Alarm] = []
    learned: dict[int, tuple[Learned, int]] = {}
    for kind in (True, False):
        rows = np.flatnonzero(is_exact == kind)
        if not rows.size:
            continue
        scan = Scan(
            histories.log[rows],
            histories.length[rows],
            histories.directions,
            is_exact=kind,
            target=target,
        )
        alarms += [alarm.of_series(int(rows[alarm.series])) for alarm in scan.alarms()]
        if not kind and scan.learned is not None:
            own = enumerate(rows.tolist())
            learned |= {series: (scan.learned, row) for row, series in own}
    return Detection(tuple(sorted(alarms, key=lambda alarm: alarm.at)), learned)


def exact(log: Reals) -> NDArray[np.bool_]:
    """Tell which series, of (S, T, n), have no noise, shape (S,)."""
    steps = np.abs(np.diff(log, axis=1))
    is_known = ~np.isnan(steps)
    same = (np.nan_to_num(steps) <= SAME) & is_known
    known = np.maximum(is_known.sum(axis=(1, 2)), 1)
    return np.asarray(same.sum(axis=(1, 2)) >= EXACT_SHARE * known)
