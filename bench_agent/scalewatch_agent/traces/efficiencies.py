"""Efficiencies of a parallel program, as POP defines them.

With u_i the time that process i computes and T the run time,

    parallel efficiency      mean(u) / T
    load balance             mean(u) / max(u)
    communication efficiency max(u) / T
    serialisation efficiency max(u) / T_ideal
    transfer efficiency      T_ideal / T

where T_ideal is the run time on a network that takes no time. Parallel efficiency is
the product of load balance and communication efficiency, which is the product of the
last two.

References
----------
POP, "Performance Optimisation and Productivity: standard metrics for performance
analysis of parallel applications".
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Efficiencies:
    """Factors from 0 to 1; the last two need the run time on an ideal network."""

    parallel: float
    load_balance: float
    communication: float
    serialisation: float | None = None
    transfer: float | None = None


def efficiencies(
    useful: NDArray[np.float64], runtime: float, ideal_runtime: float | None = None
) -> Efficiencies:
    """Return the efficiencies of a run.

    Parameters
    ----------
    useful
        Time outside of MPI of each process, shape (p,), in the unit of the run times.
    """
    mean, largest = float(useful.mean()), float(useful.max())
    return Efficiencies(
        parallel=mean / runtime,
        load_balance=mean / largest if largest else 1.0,
        communication=largest / runtime,
        serialisation=largest / ideal_runtime if ideal_runtime else None,
        transfer=ideal_runtime / runtime if ideal_runtime else None,
    )
