"""When series changed, commit after commit, as `nights` tells it from noise.

Series without any noise, such as counts, are watched apart: there one commit tells.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays.types import Reals
from scalewatch.modelling.histories.histories import Histories
from scalewatch.modelling.nights.scan import Alarm, Scan
from scalewatch.modelling.nights.thresholds import TARGET

EXACT_SHARE: Final = 0.8
"""Of the commits of an exact series, at least, repeat the one before."""

SAME: Final = 1e-9


def detect(histories: Histories, target: float = TARGET) -> list[Alarm]:
    """Return the changes of each series, in the order in which they are noticed.

    The series count as measured alike: what is learned of one is used for all.

    Parameters
    ----------
    target
        Share of histories of 200 commits without a change that may alarm.
    """
    is_exact = exact(histories.log)
    found = []
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
        found += [alarm.of_series(int(rows[alarm.series])) for alarm in scan.alarms()]
    return sorted(found, key=lambda alarm: alarm.at)


def exact(log: Reals) -> NDArray[np.bool_]:
    """Tell which series, of (S, T, n), have no noise, shape (S,)."""
    steps = np.abs(np.diff(log, axis=1))
    is_known = ~np.isnan(steps)
    same = (np.nan_to_num(steps) <= SAME) & is_known
    known = np.maximum(is_known.sum(axis=(1, 2)), 1)
    return np.asarray(same.sum(axis=(1, 2)) >= EXACT_SHARE * known)
