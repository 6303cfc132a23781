"""An experiment that was read: its combinations, and what their jobs want."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scalewatch_agent.experiments.parameters import Combination
from scalewatch_agent.experiments.schema import Experiment


@dataclass(frozen=True, slots=True)
class Configured:
    """One combination, and the resources that its jobs want.

    `nodes` and `tasks_per_node` are None where the scheduler may choose; `seconds`
    is what a job is expected to take, where the file estimates it.
    """

    combination: Combination
    processes: int | None
    threads: int
    nodes: int | None
    tasks_per_node: int | None
    time_limit: float
    seconds: float | None

    @property
    def cores(self) -> int:
        """How many cores a job keeps busy."""
        return (self.processes or 1) * self.threads


@dataclass(frozen=True, slots=True)
class Loaded:
    """An experiment that can be carried out."""

    path: Path
    experiment: Experiment
    coordinate: tuple[str, ...]
    configured: tuple[Configured, ...]

    @property
    def source(self) -> Path:
        """The folder of the code under test."""
        return (self.path.parent / self.experiment.source).resolve()


def core_hours(
    loaded: Loaded, configured: Sequence[Configured], repeats: int
) -> tuple[float | None, float]:
    """Return what jobs are expected to cost, if the file says, and at most.

    A simulation keeps one core busy, whatever it simulates.
    """
    is_simulated = loaded.experiment.launcher.kind == "smpi"
    expected = 0.0
    limit = 0.0
    is_known = True
    for one in configured:
        cores = 1 if is_simulated else one.cores
        limit += repeats * cores * one.time_limit / 3600
        if one.seconds is None:
            is_known = False
        else:
            expected += repeats * cores * one.seconds / 3600
    return (expected if is_known else None), limit
