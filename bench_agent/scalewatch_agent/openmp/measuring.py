"""Compile the kernels once, start them with so many threads, and report."""

import hashlib
import os
import platform
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.resources import files
from math import ceil, floor, isfinite, sqrt
from pathlib import Path
from typing import Final
from uuid import uuid4

from scalewatch.wire import Job as ReportedJob
from scalewatch.wire import Procedure, Result, RunReport
from scalewatch_agent import compilers, errors, folders, machine, programs
from scalewatch_agent.activity import MARK, WAITED, is_disturbed, observed
from scalewatch_agent.openmp.plan import Job
from scalewatch_agent.suite.sweep import MeasuredSubject

OPTIONS: Final = ("-O3", "-fopenmp", "-fno-tree-loop-distribute-patterns")
"""Without the last one, the copy of STREAM would be a call of memcpy."""

LIBRARIES: Final = ("-lm",)
PATIENCE: Final = 10


@dataclass(frozen=True, slots=True)
class Kernels:
    """The compiled kernels, and the compiler whose OpenMP they measure."""

    program: Path
    compiler: str
    version: str


def build_kernels(folder: Path, environment: Mapping[str, str] = os.environ) -> Kernels:
    """Return the kernels in `folder`, compiled by CC or the compiler on PATH.

    Raises
    ------
    OpenMPMissing
        If there is no compiler, or it cannot make an OpenMP program that starts.
    FolderUnwritable
        If nothing can be written into the folder.
    """
    if not (compiler := compilers.compiler_in(environment)):
        raise errors.OpenMPMissing("there is no C compiler")
    source = files("scalewatch_agent.openmp").joinpath("kernels.c").read_bytes()
    key = (
        compiler,
        compilers.words_on_version(compiler),
        OPTIONS,
        LIBRARIES,
        platform.machine(),
    )
    mark = hashlib.sha256(source + repr(key).encode()).hexdigest()[:16]
    program = folders.code_folder(folder) / f"openmp-{mark}"
    if not program.exists() and (
        wrong := compilers.compile_source(
            compiler, OPTIONS, source, program, libraries=LIBRARIES
        )
    ):
        raise errors.OpenMPMissing(wrong)
    answer = programs.answer_of([str(program), "compiler"], PATIENCE)
    if answer.returncode:
        program.unlink(missing_ok=True)  # the next compiler may do better
        why = answer.stderr.strip() or f"exit code {answer.returncode}"
        raise errors.OpenMPMissing(f"what was compiled does not start ({why})")
    name, _, version = answer.stdout.strip().partition(" ")
    return Kernels(program, name, version)


PLACES: Final = ("OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY")
"""Variables by which a user places threads; without any of them they are spread."""

TURNS: Final = 4
"""Among which the repetitions of a job are divided."""

Values = Mapping[str, Sequence[float]]


@dataclass(slots=True)
class Outcome:
    """Values of a job by region, or the reason of its failure."""

    started_at: datetime
    ended_at: datetime
    measured: Values = field(default_factory=dict)
    failure: str = ""
    activity: Mapping[str, float | int] = field(default_factory=dict)


class _Failed(Exception):
    """A job cannot be taken as it is; its message is the reason that is posted."""


def environment_of(
    job: Job, variables: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return all variables of a job: a thread stays on its core unless said otherwise.

    A team of another size than asked for would be measured as if it were that one.
    """
    settings = {"OMP_NUM_THREADS": str(job.threads), "OMP_DYNAMIC": "false"}
    if not any(name in variables for name in PLACES):
        settings["OMP_PROC_BIND"] = "spread"
    return {**variables, **settings}


def placement(environment: Mapping[str, str]) -> str:
    """Return how threads are placed, as the first variable that says it."""
    return next(environment[name] for name in PLACES if name in environment)


def measure_in_turns(
    program: Path, jobs: Sequence[Job], time_limit: float
) -> list[Outcome]:
    """Run jobs in turns, and return what each measured.

    What disturbs a machine for a while hits all of them alike, so that a solver is
    compared with parts of the same minutes. A job that fails has no more turns.
    """
    outcomes = [Outcome(_now(), _now()) for _ in jobs]
    for turn in range(TURNS):
        for job, outcome in zip(jobs, outcomes, strict=True):
            share = job.share(turn, TURNS)
            if not outcome.failure and share.repetitions:
                part = measure(program, share, time_limit)
                outcome.ended_at, outcome.failure = part.ended_at, part.failure
                outcome.activity = max(
                    outcome.activity,
                    part.activity,
                    key=lambda facts: facts.get(WAITED, -1.0),
                )
                outcome.measured = {
                    region: [*outcome.measured.get(region, ()), *values]
                    for region, values in part.measured.items()
                }
    return outcomes


def measure(program: Path, job: Job, time_limit: float) -> Outcome:
    """Run a job to its end, and return what it measured."""
    outcome = Outcome(started_at=_now(), ended_at=_now())
    mark = str(uuid4())
    try:
        with observed(mark) as outcome.activity:
            outcome.measured = _values(program, job, time_limit, mark)
    except _Failed as failure:
        outcome.failure = str(failure)
    outcome.ended_at = _now()
    return outcome


def _values(program: Path, job: Job, time_limit: float, mark: str) -> Values:
    """Return the repetitions of each region.

    Raises
    ------
    _Failed
        If the job ends badly, or its team is not what was asked for.
    """
    try:
        done = subprocess.run(  # noqa: S603 - what the agent compiled
            [program, *job.words],
            capture_output=True,
            check=False,
            env={**environment_of(job), MARK: mark},
            errors="replace",
            timeout=time_limit,
        )
    except subprocess.TimeoutExpired:
        raise _Failed(f"time limit of {time_limit:g} s reached") from None
    except OSError as error:
        raise _Failed(f"cannot start {program}: {error.strerror}") from None
    if done.returncode:
        words = programs.complaint(done.stderr.splitlines())
        raise _Failed(f"the kernels ended with exit code {done.returncode}{words}")
    values = dict(_lines(done.stdout))
    (team,) = values.pop("threads")
    if team != job.threads:
        raise _Failed(
            f"OpenMP gave {team:g} threads instead of {job.threads}; does "
            "OMP_THREAD_LIMIT forbid more?"
        )
    return values


def _lines(output: str) -> Iterator[tuple[str, list[float]]]:
    for line in output.splitlines():
        region, *numbers = line.split()
        values = [float(number) for number in numbers]
        if not all(map(isfinite, values)):
            raise _Failed(f"{region} has a value that is no number")
        yield region, values


def _now() -> datetime:
    return datetime.now(UTC)


SUITE = "openmp"


def run_report(
    subject: MeasuredSubject, job: Job, outcome: Outcome, environment: Mapping[str, str]
) -> RunReport:
    """Return the run of a job; what it did not measure has failed, and says why."""
    return RunReport(
        schema_version=1,
        id=uuid4(),
        project=subject.project,
        suite=SUITE,
        commit=subject.commit,
        machine=subject.machine,
        coordinate={**job.coordinate},
        configuration={**job.configuration, **subject.settings},
        job=ReportedJob(
            nodes=1,
            started_at=outcome.started_at,
            ended_at=outcome.ended_at,
            environment={**machine.surroundings(environment), **outcome.activity},
        ),
        results=tuple(_results(job, outcome)),
    )


def _results(job: Job, outcome: Outcome) -> Iterator[Result]:
    for region in job.kind.regions:
        if values := outcome.measured.get(region):
            is_difference = job.part == "overheads"
            yield Result(
                region=region,
                metric=job.kind.metric,
                unit=job.kind.unit,
                better=job.kind.better,
                values=tuple(values),
                procedure=Procedure(
                    oversubscribed=job.is_oversubscribed,
                    disturbed=not job.is_oversubscribed
                    and is_disturbed(outcome.activity, values, job.kind.unit),
                    repetitions_asked=job.repetitions,
                    warm_ups=job.kind.warm_ups,
                    loop="compiled",
                    uncertainty=uncertainty(values) if is_difference else None,
                ),
            )
        else:
            yield Result(
                region=region,
                metric=job.kind.metric,
                unit=job.kind.unit,
                better=job.kind.better,
                status="failed",
                reason=outcome.failure or "the job ended without measuring it",
            )


def uncertainty(values: Sequence[float]) -> float:
    """Return half the 95 % interval of the median, from order statistics.

    The ranks n/2 ± 0.98 √n enclose it whatever the distribution is; fewer than six
    values do not, and all of them make the interval.
    """
    ordered = sorted(values)
    n, reach = len(ordered), 0.98 * sqrt(len(ordered))
    low, high = floor(n / 2 - reach), ceil(n / 2 + reach)
    return (ordered[min(high, n - 1)] - ordered[max(low - 1, 0)]) / 2
