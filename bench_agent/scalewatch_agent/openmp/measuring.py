"""Start the kernels with so many threads, and read what they say."""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Final

from scalewatch_agent.openmp.plan import Job
from scalewatch_agent.programs import complaint

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
                _add(outcome, measure(program, share, time_limit))
    return outcomes


def _add(outcome: Outcome, turn: Outcome) -> None:
    outcome.ended_at, outcome.failure = turn.ended_at, turn.failure
    outcome.measured = {
        region: [*outcome.measured.get(region, ()), *values]
        for region, values in turn.measured.items()
    }


def measure(program: Path, job: Job, time_limit: float) -> Outcome:
    """Run a job to its end, and return what it measured."""
    outcome = Outcome(started_at=_now(), ended_at=_now())
    try:
        outcome.measured = _values(program, job, time_limit)
    except _Failed as failure:
        outcome.failure = str(failure)
    outcome.ended_at = _now()
    return outcome


def _values(program: Path, job: Job, time_limit: float) -> Values:
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
            env=environment_of(job),
            errors="replace",
            timeout=time_limit,
        )
    except subprocess.TimeoutExpired:
        raise _Failed(f"time limit of {time_limit:g} s reached") from None
    except OSError as error:
        raise _Failed(f"cannot start {program}: {error.strerror}") from None
    if done.returncode:
        words = complaint(done.stderr.splitlines())
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
