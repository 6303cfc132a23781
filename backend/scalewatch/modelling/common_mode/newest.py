"""The newest commit of a machine beside those before.

Two commits cannot tell a change from the common mode: a disturbance of the machine
moves all regions, and what wanders from commit to commit is no change. Here the newest
commit is compared with many before, its move of all regions alike is taken out of each,
and is told apart (`Scan`, a step of one commit).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.common_mode import LOADING_SPREAD
from scalewatch.modelling.common_mode.features import Counts
from scalewatch.modelling.common_mode.scan import Scan


@dataclass(frozen=True, slots=True, eq=False)
class NewestCommit:
    """Effect of the newest commit on some series.

    Parameters
    ----------
    is_known
        Whether commits enough came before it, shape (S,).
    stands_out
        Whether it differs by more than commits without a change do, shape (S,).
    size, error
        By how much the logarithm of the level moved, and the standard error of that,
        shape (S,); 0 where nothing stands out.
    """

    is_known: NDArray[np.bool_]
    stands_out: NDArray[np.bool_]
    size: Reals
    error: Reals


MOST_FOLLOWED: Final = float(np.expm1(3 * LOADING_SPREAD))
"""So many times the machine's own move a region may move beyond it, at three standard
deviations of its loading: few moves have not taught how strongly it follows."""


def beside_machine(regions: NewestCommit, whole: NewestCommit) -> NewestCommit:
    """Return what regions did by themselves while their whole machine moved.

    Parameters
    ----------
    regions
        Of regions, the common mode of the machine taken out.
    whole
        Of the machine, as of one series.
    """
    is_own = np.abs(regions.size) > MOST_FOLLOWED * np.abs(whole.size[0])
    stands_out = regions.stands_out & is_own
    return NewestCommit(
        regions.is_known,
        stands_out,
        np.where(stands_out, regions.size, 0.0),
        np.where(stands_out, regions.error, 0.0),
    )


def newest_commit(
    log: Reals, length: Counts, directions: Reals, target: float
) -> NewestCommit:
    """Compare the newest commit of each series with those before it.

    Parameters
    ----------
    log
        Log-locations, shape (S, T, n); NaN where missing.
    length
        Commits of each series, shape (S,).
    directions
        Level and tilts, shape (k, n).
    target
        Share of histories of 200 commits without a change that may alarm.
    """
    scan = Scan(log, length, directions, target=target)
    for _ in scan.alarms():
        pass  # what changed before begins a new base
    series = len(log)
    stands_out, size, error = np.zeros(series, bool), np.zeros(series), np.zeros(series)
    for row, last in scan.newest(1):
        if scan.first[row, last] == last:
            stands_out[row] = True
            size[row] = scan.size[row, last]
            error[row] = scan.error(row, last)
    # What began at the commit before was held there, and seems to be the newest one's.
    for row, last in scan.newest(2):
        if scan.first[row, last] < last:
            stands_out[row], size[row], error[row] = False, 0.0, 0.0
    return NewestCommit(scan.has_base, stands_out, size, error)
