"""Efficiencies of a traced program over p, and where they fall below a threshold.

Each is the quotient of two times, parallel efficiency = useful_mean / runtime, and so
on. Times are modelled, efficiencies follow: growths that explain times do not explain
numbers between 0 and 1. Where little is lost, models of both times would hide it in
their errors; so what is modelled beside the time that is kept is the time that is lost,

    efficiency = kept / (kept + lost), lost = runtime - useful_mean.

References
----------
POP, "Performance Optimisation and Productivity: standard metrics for performance
analysis of parallel applications", where efficiencies below 0.8 call for action.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.growths.model import Model, first_above


class Efficiency(StrEnum):
    """Factors of parallel efficiency, each after the ones that it is a product of."""

    PARALLEL = "parallel efficiency"
    LOAD_BALANCE = "load balance"
    COMMUNICATION = "communication efficiency"
    SERIALISATION = "serialisation efficiency"
    TRANSFER = "transfer efficiency"

    @property
    def times(self) -> tuple[str, str]:
        """Metrics of the program of which it is the quotient."""
        return _TIMES[self]


_TIMES: Final[Mapping[Efficiency, tuple[str, str]]] = {
    Efficiency.PARALLEL: ("useful_mean", "runtime"),
    Efficiency.LOAD_BALANCE: ("useful_mean", "useful_max"),
    Efficiency.COMMUNICATION: ("useful_max", "runtime"),
    Efficiency.SERIALISATION: ("useful_max", "ideal_runtime"),
    Efficiency.TRANSFER: ("ideal_runtime", "runtime"),
}


def quotients(efficiency: Efficiency, times: Mapping[str, Reals]) -> Reals | None:
    """Return an efficiency at each setting; None where a time of it is unknown.

    Parameters
    ----------
    times
        By metric of the program, shape (n,); NaN is missing.
    """
    above, below = efficiency.times
    if above not in times or below not in times:
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient = times[above] / times[below]
    quotient[~np.isfinite(quotient)] = np.nan
    return quotient if np.isfinite(quotient).any() else None


def losses(efficiency: Efficiency, times: Mapping[str, Reals]) -> Reals | None:
    """Return the time that an efficiency loses at each setting, 0 at least."""
    above, below = efficiency.times
    if above not in times or below not in times:
        return None
    return np.maximum(times[below] - times[above], 0.0)


def falls_below(
    kept: Model, lost: Model, *, start: float, least: float = ASSUMED.least_efficiency
) -> float | None:
    """Return the number of processes from which kept / (kept + lost) is too small.

    Parameters
    ----------
    kept, lost
        Models over p of the time that an efficiency is the share of, and of its loss.
    start
        Where to begin, in processes.

    Returns
    -------
    None
        If it does not happen.
    """
    return first_above(lost, kept * (1 / least - 1), start=start)
