"""SimGrid, by whose SMPI tests simulate MPI programs for real."""

import shutil
from pathlib import Path

import pytest

from support.experiments import experiment

PACKAGES = {"smpirun": "libsimgrid-dev", "smpicc": "libsimgrid-dev", "cc": "gcc"}
SWITCH = str(Path(__file__).with_name("switch.xml"))
"""A platform for what the network does not decide: counts, and what is said of runs."""

HOW = "apt-get install --no-install-recommends libsimgrid-dev gcc"


def missing_programs() -> list[str]:
    """Return what has to be installed before anything can be simulated."""
    return [name for name in PACKAGES if shutil.which(name) is None]


needs_simgrid = pytest.mark.skipif(
    bool(missing_programs()), reason=f"no SimGrid here: {HOW}"
)

RING = r"""
#include <mpi.h>
#include <stdio.h>
int main(int count, char **words)
{
    int rank, p, token = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    if (rank) MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
    token++;
    MPI_Send(&token, 1, MPI_INT, (rank + 1) % p, 0, MPI_COMM_WORLD);
    if (!rank) {
        MPI_Recv(&token, 1, MPI_INT, p - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("took %.9g s in %d steps\n", MPI_Wtime() - start, token);
    }
    MPI_Finalize();
    return 0;
}
"""
RULES = [
    {"pattern": r"took (\S+) s", "region": "ring", "unit": "s"},
    {
        "pattern": r"in (\d+) steps",
        "region": "ring",
        "metric": "messages",
        "unit": "1",
    },
]


def simulated(folder, code=RING, name="ring.c", **fields):
    """Write an experiment that simulates a program in C, and return its path."""
    (folder / name).write_text(code)
    launcher = {"kind": "smpi", "computation": "none", "platform": SWITCH} | fields.pop(
        "launcher", {}
    )
    content = {
        "machine": None,
        "parameters": {"p": [4, 64]},
        "compile": f"{{mpicc}} -O2 -o program {{experiment}}/{name}",
        "execute": {"run": "{compile}/program", "processes": "p", "time_limit": 60},
        "results": RULES,
        "launcher": launcher,
    }
    return experiment(folder, **content | fields)
