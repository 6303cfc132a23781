"""Traces that are longer than what is held of them at a time."""

import subprocess
import sys

import numpy as np
import pytest

from scalewatch_agent.traces import collectives, messages, records, stored
from scalewatch_agent.traces.own.reader import read_own
from scalewatch_agent.traces.records import RECORD, Flag
from scalewatch_agent.traces.reduction import reduced
from support.traces import write_records

NAMES = ("MPI_Send", "MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Allreduce")
STEP = 6
"""Records of a step: two requests, a wait with two parts, and a collective."""

MEASURE = """\
import re
import sys
from pathlib import Path
from scalewatch_agent.traces import ideal
from scalewatch_agent.traces.own.reader import read_own
from scalewatch_agent.traces.reduction import reduced
ideal.MOST_STEPS = 1000  # what a replay needs has its own limit
sums = reduced(read_own(Path(sys.argv[1])))
print(sum(one.calls for one in sums.locations), sums.unmatched)
# Unlike that of getrusage, this mark knows nothing of the process that started it.
status = Path("/proc/self/status").read_text()
print(int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1]) / 1024)
"""


def write_steps(folder, processes, steps, threads=1):
    """Write an own trace in which each process sends to its neighbours in turn."""
    folder.mkdir()
    for rank in range(processes):
        for thread in range(threads):
            header = {"rank": rank, "thread": thread, "processes": processes}
            name = f"rank.{rank}.{thread}.swt" if thread else f"rank.{rank}.swt"
            records = steps_of(rank, processes, steps, thread)
            write_records(folder / name, header | {"run": b"made"}, records)
        sites = range(1, STEP + 1) if rank % 2 else range(STEP, 0, -1)
        lines = [
            *([f"functions\t{','.join(NAMES)}"] if rank == 0 else []),
            "begin\t0",
            f"comm\t{2 * rank}\t0:{processes}:1",
            *(
                f"python\t{at}\t{line}\tstep\tmade.py"
                for at, line in enumerate(sites, 1)
            ),
            "clock\t0\t40",
            f"clock\t{6000 * steps}\t{90 + rank}",
            f"end\t{6000 * steps + 9000}",
        ]
        (folder / f"rank.{rank}.def").write_text("\n".join(lines) + "\n")
    return folder


def steps_of(rank, processes, steps, thread):
    at = np.arange(steps)
    own = np.zeros((steps, STEP), RECORD)
    begin = 500 + 6000 * at + 41 * rank + at * rank * 31 % 900 + 17 * thread
    own["start"] = begin[:, None] + np.array([0, 200, 400, 400, 400, 3000])
    own["took"] = [100, 100, 500, 500, 500, 900]
    own["took"] += ((17 * at + rank) % 100)[:, None].astype(np.uint64)
    own["function"] = [1, 2, 3, 3, 3, 4]
    own["flags"] = [
        Flag.SENT,
        Flag.POSTED,
        0,
        Flag.RECEIVED | Flag.PART,
        Flag.PART,
        0,
    ]
    own["site"] = np.arange(1, STEP + 1)
    own["communicator"] = 2 * rank
    own["peer"] = -1
    if processes > 1:
        away = 1 + at % (processes - 1)
        own["peer"][:, 0] = (rank + away) % processes
        own["peer"][:, 3] = (rank - away) % processes
    request = 2 * (steps * thread + at) + 1
    own["request"][:, 0] = own["request"][:, 4] = request
    own["request"][:, 1] = own["request"][:, 3] = request + 1
    own["tag"][:, 0] = own["tag"][:, 3] = at % 5 + 8 * thread
    own["bytes"][:, 0] = own["bytes"][:, 3] = 8 * (at % 90)
    if thread:
        own = own[:, :5]  # one thread alone takes part in collectives
    return own.reshape(-1)


def best(function, processes, sizes):
    """Return 1 ns a byte and 20 ns a process; posts of receives are not calibrated."""
    return None if function == "MPI_Irecv" else sizes * 1e-9 + 20e-9 * processes


@pytest.mark.parametrize(("processes", "threads"), [(2, 1), (5, 1), (3, 2)])
def test_trace_in_small_blocks_has_the_sums_of_the_whole(
    tmp_path, monkeypatch, processes, threads
):
    folder = write_steps(tmp_path / "trace", processes, 200, threads)
    whole = reduced(read_own(folder), best)

    monkeypatch.setattr(stored, "MEMORY", 0)
    monkeypatch.setattr(stored, "BLOCK", 31)
    monkeypatch.setattr(records, "WINDOW", 100)
    monkeypatch.setattr(records.blocks, "__defaults__", (17,))
    for takes in (
        records.windows,
        messages.matched,
        collectives.Collectives.operations,
    ):
        monkeypatch.setattr(takes, "__defaults__", (100,))
    divided = reduced(read_own(folder), best)

    assert divided.locations == whole.locations
    assert divided.useful.tolist() == whole.useful.tolist()
    assert divided.ideal_runtime == whole.ideal_runtime
    assert divided.unmatched == whole.unmatched == 0
    assert whole.ideal_runtime is not None
    sent = [one.messages for one in whole.locations if one.function == "MPI_Isend"]
    assert sum(sent) == processes * 200 * threads
    assert any(one.wait_late_sender for one in whole.locations)
    assert any(one.wait_collective for one in whole.locations)


@pytest.mark.parametrize("processes", [pytest.param(2, marks=pytest.mark.thorough), 16])
def test_memory_does_not_grow_with_the_trace(tmp_path, processes):
    needed = {}
    for steps in (60_000, 300_000):
        trace = write_steps(tmp_path / f"{steps}", processes, steps // processes)
        done = subprocess.run(
            [sys.executable, "-c", MEASURE, str(trace)],
            check=True,
            capture_output=True,
            text=True,
        )
        calls, unmatched, needed[steps] = done.stdout.split()
        assert int(calls) == 4 * (steps // processes) * processes
        assert unmatched == "0"

    # 69 MB of records more: mapped or held, these would be twice that.
    assert float(needed[300_000]) - float(needed[60_000]) < 40
