"""EZTrace, an independent tracer, and the interposer on the same program."""

import shutil
import subprocess

import pytest

from scalewatch_agent.mpi.mpiexec import Launcher
from scalewatch_agent.traces.otf2.reader import read_otf2
from scalewatch_agent.traces.reduction import reduced
from support.mpi_programs import compiled, totals, traced

pytest.importorskip("otf2", reason="the package otf2 is not installed")


@pytest.mark.skipif(
    shutil.which("eztrace") is None, reason="no EZTrace here: apt-get install eztrace"
)
def test_eztrace_counts_the_same_calls_messages_and_bytes(openmpi, tmp_path):
    program = compiled(openmpi, "delays", tmp_path)
    own = totals(traced(openmpi, tmp_path, program, 100).sums)
    launcher = Launcher(openmpi, "shm", crowded=True)
    words = ("eztrace", "-t", "openmpi", "-o", "eztrace", str(program), "100")

    subprocess.run(
        launcher.program(2, *words),
        env=launcher.program_environment(2),
        cwd=tmp_path,
        check=True,
        capture_output=True,
        timeout=120,
    )

    (anchor,) = tmp_path.rglob("*.otf2")
    theirs = totals(reduced(read_otf2(anchor)))
    # It does not note the messages that a wait brings.
    waits = own.pop("MPI_Waitall"), theirs.pop("MPI_Waitall")
    assert [one[0] for one in waits] == [5, 5]
    assert own == theirs
    assert own["MPI_Ssend"] == (10, 10, 10 * 2**20)
