"""Data drawn from published models: the three machines of "Exascaling Your Library".

Nobody measured these numbers. The growths of Table 2 and the models of Table 3 are the
paper's; coefficients of run times, process counts, noise and seed are ours.

References
----------
S. Shudler et al., "Exascaling Your Library: Will Your Implementation Meet Your
Expectations?", ICS 2015.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final
from uuid import NAMESPACE_URL, uuid5

import numpy as np

from scalewatch.modelling import parse_growth
from scalewatch.wire import Commit, Machine, Result, RunReport

PROJECT: Final = "published-models"
MACHINES: Final = ("Juqueen", "Juropa", "Piz Daint")
PROCESSES: Final = tuple(2**exponent for exponent in range(7, 14))
REPETITIONS: Final = 20
SEED: Final = 2015
NOISE: Final = {"time": 0.03, "memory": 0.001}
"""Standard deviation of the logarithm."""

CONSTANT_SHARE: Final = 0.2
"""Share of the run time at the smallest process count that does not grow."""

PROVENANCE: Final = (
    "Not measured: drawn from the models that Shudler et al. (Exascaling Your Library, "
    "ICS 2015, Tables 2 and 3) published for this machine, with lognormal noise of 3 % "
    f"for times and 0.1 % for memory, seed {SEED}. Table 2 gives growths alone: "
    "coefficients and process counts are ours."
)

COMMIT: Final = Commit(
    sha="ics2015",
    tag="ics2015",
    committed_at=datetime(2015, 6, 8, tzinfo=UTC),
    message="Exascaling Your Library, ICS 2015: Tables 2 and 3",
)

GROWTHS: Final[Mapping[str, tuple[float, str, str, str]]] = {
    "MPI_Barrier": (12, "log p", "p^(2/3) log p", "p^(1/3)"),
    "MPI_Bcast": (15, "log p", "p^(1/2)", "p^(1/2)"),
    "MPI_Reduce": (18, "log p", "p^(1/2) log p", "p^(1/2) log p"),
    "MPI_Allreduce": (25, "log p", "p^(1/2)", "p^(2/3) log p"),
    "MPI_Gather": (40, "p", "p", "p"),
    "MPI_Allgather": (60, "p", "p", "p^(5/4)"),
    "MPI_Alltoall": (150, "p", "p^(5/4)", "p^(4/3)"),
    "Bcast (binary tree)": (20, "log p", "p^(5/4) log p", "p log p"),
}
"""Table 2: growth per machine, behind microseconds at the smallest process count."""

MEMORY: Final[Mapping[str, tuple[str, tuple[tuple[float, float, str], ...]]]] = {
    "MPI memory": ("MB", ((0, 0.0107, "log p"), (16, 0.56, "p"), (46, 1.35, "log p"))),
    "MPI_Comm_create": ("B", ((220e3, 24, "p"), (264, 28, "p"), (3770, 46, "p"))),
    "MPI_Comm_dup": ("B", ((220e3, 0, "1"), (256, 0, "1"), (3770, 18, "p"))),
    "MPI_Win_create": ("B", ((0, 96, "p"), (256, 60, "p"), (3287, 118, "p"))),
    "MPI_Cart_create": ("B", ((220e3, 52, "p"), (356, 24, "p"), (2545, 63, "p"))),
}
"""Table 3: unit, and constant, coefficient and growth per machine."""


def published_runs() -> Iterator[RunReport]:
    """Yield the runs of both suites, the same ones each time."""
    rng = np.random.default_rng(SEED)
    for position, machine in enumerate(MACHINES):
        for p in PROCESSES:
            times = []
            for region, (start, *growths) in GROWTHS.items():
                growth = parse_growth(growths[position])
                rise = float(growth(p=p)) / float(growth(p=PROCESSES[0]))
                time = start * (CONSTANT_SHARE + (1 - CONSTANT_SHARE) * rise)
                times.append(_result(region, "time", "us", time, rng))
            yield _run(machine, "mpi-collectives", p, times)
            memory = []
            for region, (unit, models) in MEMORY.items():
                constant, coefficient, term = models[position]
                value = constant + coefficient * float(parse_growth(term)(p=p))
                memory.append(_result(region, "memory", unit, value, rng))
            yield _run(machine, "mpi-memory", p, memory)


def _result(
    region: str, metric: str, unit: str, value: float, rng: np.random.Generator
) -> Result:
    values = value * rng.lognormal(0, NOISE[metric], REPETITIONS)
    rounded = tuple(float(f"{each:.6g}") for each in values)
    return Result(region=region, metric=metric, unit=unit, values=rounded)


def _run(machine: str, suite: str, p: int, results: Sequence[Result]) -> RunReport:
    return RunReport(
        schema_version=1,
        id=uuid5(NAMESPACE_URL, f"{PROJECT}/{machine}/{suite}/{p}/{SEED}"),
        project=PROJECT,
        suite=suite,
        commit=COMMIT,
        machine=Machine(name=machine, provenance=PROVENANCE),
        coordinate={"p": p},
        configuration={"noise": "drawn", "seed": SEED},
        results=tuple(results),
    )
