"""Programs that do not end as they should, and what is left of their traces."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces.own.reader import read_own
from scalewatch_agent.traces.reduction import reduced
from support.agent_sentences import TRACES as SAID
from support.mpi_programs import compiled, totals, traced

SEED = 23
BLOCK = 4096
"""Records that are written at once."""


@pytest.fixture
def program(library, tmp_path):
    return compiled(library, "ends", tmp_path)


def test_killed_process_leaves_what_was_written(library, program, tmp_path):
    result = traced(library, tmp_path, program, "kill", 5000)

    assert result.done.returncode != 0
    sums = result.sums
    assert sums.is_truncated
    assert any("MPI_Finalize" in remark for remark in sums.remarks)
    calls, messages, size = totals(sums)["MPI_Recv"]
    # What was in memory is lost: less than a block, and less than a second's.
    assert 5000 - BLOCK <= calls <= 5000
    assert (messages, size) == (calls, 4 * calls)


def test_aborting_process_leaves_everything(library, program, tmp_path):
    result = traced(library, tmp_path, program, "abort", 10)

    assert result.done.returncode != 0
    assert totals(result.sums)["MPI_Recv"][0] == 10
    assert result.sums.is_truncated


def test_child_of_a_fork_writes_nothing(library, program, tmp_path):
    result = traced(library, tmp_path, program, "fork", 10)

    assert result.done.returncode == 0, result.done.stderr
    assert totals(result.sums)["MPI_Recv"][0] == 10
    assert not result.sums.is_truncated


def test_ranks_killed_at_random_leave_a_readable_trace(openmpi, tmp_path, thorough):
    program = compiled(openmpi, "ends", tmp_path)
    pauses = np.random.default_rng(SEED).uniform(0.0, 0.1, 6 if thorough else 3)
    outcomes = []
    for turn, pause in enumerate(pauses):
        folder = tmp_path / str(turn)
        folder.mkdir()
        begun = 'until [ -n "$(find trace -size +64k)" ]; do sleep 0.02; done'
        kill = f"{begun} 2>/dev/null; sleep {pause:.3f}; kill -9 $(cat pid)"
        script = f"echo $$ > pid; exec {program} none 100000000"
        late = subprocess.Popen(["/bin/sh", "-c", kill], cwd=folder)
        result = traced(openmpi, folder, "/bin/sh", "-c", script)
        late.wait()
        assert result.done.returncode != 0
        outcomes.append(_read(result.folder))

    assert {outcome for outcome in outcomes if outcome} == {"truncated"}


def _read(folder: Path) -> str:
    """Return how a trace reads; nothing where no process had written any."""
    try:
        sums = reduced(read_own(folder))
    except TraceUnusable as error:
        assert "no MPI call was recorded" in str(error)  # noqa: PT017 - either is right
        return ""
    counts = totals(sums)
    assert set(counts) <= {"MPI_Send", "MPI_Recv"}
    assert sums.unmatched == abs(
        counts.get("MPI_Send", (0,))[0] - counts.get("MPI_Recv", (0,))[0]
    )
    return "truncated" if sums.is_truncated else "whole"


@pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("mount") is None,
    reason="a full disk takes root: mount -t tmpfs -o size=128k",
)
def test_full_disk_ends_the_recording_and_not_the_program(openmpi, tmp_path):
    program = compiled(openmpi, "ends", tmp_path)
    full = tmp_path / "full"
    full.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(full)], check=False
    )
    if mounted.returncode:
        pytest.skip("a full disk takes the right to mount one")
    try:
        result = traced(
            openmpi, tmp_path, program, "none", 20_000, SCALEWATCH_TRACE=full
        )
        sums = reduced(read_own(full))
    finally:
        subprocess.run(["umount", str(full)], check=True)

    assert result.done.returncode == 0, result.done.stderr
    assert sums.is_truncated
    assert 0 < totals(sums)["MPI_Recv"][0] < 20_000


def test_records_of_two_runs_and_missing_ones_are_told(openmpi, tmp_path):
    program = compiled(openmpi, "ends", tmp_path)
    first = traced(openmpi, tmp_path, program, "none", 10).folder
    other = first.rename(tmp_path / "other")
    second = traced(
        openmpi, tmp_path, program, "none", 10, SCALEWATCH_TRACE_RUN="b"
    ).folder

    (second / "rank.1.swt").unlink()
    with pytest.raises(TraceUnusable, match="records of process 1 are missing"):
        read_own(second)
    shutil.copy(other / "rank.1.swt", second)
    with pytest.raises(TraceUnusable, match="of two runs"):
        read_own(second)
    with (other / "rank.1.swt").open("r+b") as cut:
        cut.truncate(cut.seek(0, 2) - 17)
    assert SAID["cut off"] in read_own(other).remarks


def test_second_program_of_a_job_leaves_the_first_trace_alone(openmpi, tmp_path):
    program = compiled(openmpi, "ends", tmp_path)
    traced(openmpi, tmp_path, program, "none", 10)

    result = traced(openmpi, tmp_path, program, "none", 500)

    assert result.done.returncode == 0
    assert totals(result.sums)["MPI_Recv"][0] == 10
