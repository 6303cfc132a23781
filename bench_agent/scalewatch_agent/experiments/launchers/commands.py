"""Slurm's own commands: submit, look, cancel, requeue."""

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scalewatch_agent.errors import SchedulerSilent

PATIENCE: Final = 120
ATTEMPTS: Final = 4
PASSING: Final = (
    "socket timed out",
    "unable to contact",
    "temporarily",
    "slurm_persist_conn",
    "try again",
)
"""What an answer says that another attempt may change."""


@dataclass(frozen=True, slots=True)
class JobState:
    """What Slurm says of a job: its state and, while it waits, why."""

    state: str
    reason: str


class SubmissionRefused(Exception):
    """Slurm does not take a job; the message is its reason."""


def submit(script: Path) -> str:
    """Hand in a script and return the id of its job.

    Raises
    ------
    SubmissionRefused
        If Slurm will not have it, for example because no node is large enough.
    """
    answer = _patient(["sbatch", "--parsable", str(script)])
    if answer.returncode:
        raise SubmissionRefused(_last_line(answer.stderr))
    return answer.stdout.strip().splitlines()[-1].partition(";")[0]


def look() -> dict[str, JobState]:
    """Return what Slurm knows of this user's jobs, elements of arrays apart.

    Raises
    ------
    SchedulerSilent
        If it does not answer.
    """
    answer = _patient(
        [
            *("squeue", "--noheader", "--array", "--states=all"),
            *(f"--user={os.getuid()}", "--format=%i|%T|%r"),
        ]
    )
    if answer.returncode:
        raise SchedulerSilent(_last_line(answer.stderr))
    fields = (line.split("|") for line in answer.stdout.splitlines())
    return {
        line[0].strip(): JobState(line[1].strip(), line[2].strip())
        for line in fields
        if len(line) == 3
    }


def cancel(job: str) -> None:
    """Take a job from the queue, if it is still there."""
    _patient(["scancel", job])


def requeue(job: str) -> bool:
    """Put a job that lost its node back into the queue; tell whether that worked."""
    return _patient(["scontrol", "requeue", job]).returncode == 0


def release(job: str) -> bool:
    """Let a held job go; tell whether that worked."""
    return _patient(["scontrol", "release", job]).returncode == 0


def cluster() -> str | None:
    """Return the name of the cluster."""
    answer = _patient(["scontrol", "show", "config"])
    for line in answer.stdout.splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "ClusterName":
            return value.strip()
    return None


def _patient(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    """Run a command, again where its failure is a passing one.

    Raises
    ------
    SchedulerSilent
        If there is no such command.
    """
    pause = 1.0
    for attempt in range(ATTEMPTS):
        try:
            answer = subprocess.run(  # noqa: S603 - Slurm's own commands
                command, capture_output=True, check=False, text=True, timeout=PATIENCE
            )
        except FileNotFoundError:
            reason = f"there is no {command[0]} on PATH"
            raise SchedulerSilent(reason) from None
        except subprocess.TimeoutExpired:
            answer = subprocess.CompletedProcess(command, 1, "", "it timed out")
        is_passing = any(words in answer.stderr.lower() for words in PASSING)
        if answer.returncode == 0 or not is_passing or attempt == ATTEMPTS - 1:
            return answer
        time.sleep(pause)
        pause *= 2
    raise AssertionError


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "Slurm gives no reason"
