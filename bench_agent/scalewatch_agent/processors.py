"""The processors that this process may use."""

import os
from pathlib import Path

TOPOLOGY = Path("/sys/devices/system/cpu")


def processors() -> int:
    """Return how many processes run here without taking turns."""
    return len(os.sched_getaffinity(0))


def physical_cores() -> int:
    """Return the cores behind them; hardware threads of a core count once.

    Where the system does not tell, each processor counts as a core.
    """
    return len({_siblings(cpu) for cpu in os.sched_getaffinity(0)})


def _siblings(cpu: int) -> str:
    path = TOPOLOGY / f"cpu{cpu}/topology/thread_siblings_list"
    try:
        return path.read_text().strip()
    except OSError:
        return str(cpu)
