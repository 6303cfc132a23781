"""Programs in Fortran, in both ways in which libraries bind it, and both of MPI's."""

import os
import subprocess

import pytest

from scalewatch_agent.folders import interposers_folder, make_folder
from scalewatch_agent.traces.own.reader import read_own
from scalewatch_agent.traces.recording.build import Compiler, compiled_by
from scalewatch_agent.traces.reduction import reduced
from support.debian_mpi import debian_library
from support.mpi_programs import PROGRAMS, totals

CALLS = {
    "MPI_Comm_split": (2, 0, 0),
    "MPI_Send": (10, 10, 8000),
    "MPI_Recv": (10, 10, 8000),
    "MPI_Sendrecv": (20, 40, 2240),
    "MPI_Irecv": (10, 0, 0),
    "MPI_Isend": (10, 10, 40),
    "MPI_Waitall": (2, 8, 32),
    "MPI_Recv_init": (2, 0, 0),
    "MPI_Send_init": (2, 0, 0),
    "MPI_Startall": (20, 20, 160),
    "MPI_Request_free": (4, 0, 0),
    "MPI_Waitsome": (2, 0, 0),
    "MPI_Barrier": (2, 0, 0),
    "MPI_Bcast": (2, 0, 32),
    "MPI_Allreduce": (2, 0, 16),
    "MPI_Gather": (2, 0, 16),
    "MPI_Alltoallw": (2, 0, 2 * 8 + 2 * 12),
    "MPI_Comm_free": (2, 0, 0),
}
"""Those of the twin in C, where both have them."""

RECEIVED = {
    "mpi": {"MPI_Wait": (20, 0, 0), "MPI_Waitany": (20, 20, 160)},
    "mpi_f08": {"MPI_Wait": (40, 20, 160)},
}
"""What brings the messages of persistent requests."""


@pytest.fixture(
    params=["openmpi", pytest.param("mpich", marks=pytest.mark.thorough)],
    scope="module",
)
def debian(request, mpich):
    return debian_library(request.param, mpich.mpiexec)


@pytest.fixture(scope="module")
def preloaded(debian):
    """The interposer, compiled for the library."""
    compiler = Compiler(("gcc", f"-I{debian.headers}"), tuple(debian.links))
    return compiled_by(compiler, make_folder(interposers_folder()))


@pytest.mark.parametrize("module", ["mpi", "mpi_f08"])
def test_calls_of_fortran_are_those_of_its_source(debian, preloaded, tmp_path, module):
    program = tmp_path / "calls"
    subprocess.run(
        [
            "gfortran", "-cpp", "-g", "-O1", "-fallow-argument-mismatch",
            "-ffree-line-length-none", *(["-DF08"] if module == "mpi_f08" else []),
            *(f"-I{place}" for place in (*debian.modules, debian.headers)),
            "-o", str(program), str(PROGRAMS / "calls.f90"), *debian.links,
        ],
        check=True,
        capture_output=True,
    )  # fmt: skip
    trace = tmp_path / "trace"
    environment = os.environ | {
        "SCALEWATCH_TRACE": str(trace),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }

    done = subprocess.run(
        [*debian.starter, "-n", "2", "env", f"LD_PRELOAD={preloaded}", str(program)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    sums = reduced(read_own(trace))
    found = totals(sums)
    tests, messages, size = found.pop("MPI_Test")
    assert (tests >= 2, messages, size) == (True, 2, 8)
    assert found == CALLS | RECEIVED[module]
    assert sums.unmatched == 0
    source = (PROGRAMS / "calls.f90").read_text().splitlines()
    for one in sums.locations:
        assert one.site.file == "calls.f90"
        if one.function == "MPI_Sendrecv":
            assert one.function in source[one.site.line - 1]
