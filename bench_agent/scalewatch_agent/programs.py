"""Run a program of any kind to its end or its time limit; its output goes to files.

Starters put the processes of a job into groups and sessions of their own, so that no
single signal reaches them all; but each inherits the job's mark in its environment.
"""

import os
import shutil
import signal
import subprocess
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import uuid4

from scalewatch.outcomes import signs_of_abort
from scalewatch_agent.activity import MARK, observed

STDOUT: Final = "stdout"
STDERR: Final = "stderr"
LAST_WORDS: Final = 40
"""Lines at the end of an output that tell how it ended."""

TAIL: Final = 2**16
"""Bytes that hold them."""

MOST_SECONDS: Final = 10**8
"""The longest time limit, three years: a wait of more seconds overflows."""

GRACE: Final = 3
"""Seconds that mpiexec has to end its processes itself."""


LOOK: Final = 0.1
"""Seconds between looks at the memory of a job that has a limit of it."""


@dataclass(frozen=True, slots=True)
class _Limits:
    """The seconds that a job may take and, if there is a limit, its bytes."""

    seconds: float
    memory: int | None


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended: `failure` says why, where it did not end well.

    `activity` are facts of what the node did besides.
    """

    started_at: datetime
    ended_at: datetime
    failure: str | None = None
    activity: Mapping[str, float | int] = field(default_factory=dict)


def answer_of(
    words: Sequence[str],
    seconds: float,
    *,
    question: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> "subprocess.CompletedProcess[str]":
    """Return what a program answers; why it cannot be asked is its error, too."""
    name = Path(words[0]).name
    try:
        return subprocess.run(  # noqa: S603 - composed by the agent
            words,
            input=question,
            capture_output=True,
            check=False,
            env=environment,
            errors="replace",
            timeout=seconds,
        )
    except FileNotFoundError:
        why = f"{name} is not installed"
    except OSError as error:
        why = f"{name} cannot be started: {error.strerror}"
    except subprocess.TimeoutExpired:
        why = f"{name} took over {seconds:g} s"
    return subprocess.CompletedProcess(words, 127, "", why)


def run_program(  # noqa: PLR0913 - what runs, where, and within what
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    time_limit: float,
    work: Path | None = None,
    *,
    memory_limit: int | None = None,
) -> Ended:
    """Run `command`; `folder` gets the files `stdout` and `stderr`.

    It runs in `folder`, or in `work` where that is given. Whatever it started has
    ended when this returns, also after a limit (of seconds, or of bytes) or a
    KeyboardInterrupt.
    """
    started_at, mark = _now(), str(uuid4())
    limits = _Limits(time_limit, memory_limit)
    with observed(mark) as activity:
        marked = {**environment, MARK: mark}
        failure = _failure(command, marked, folder, limits, work or folder)
    return Ended(started_at, _now(), failure, activity)


def last_words(folder: Path) -> str:
    """Return what the program in `folder` said last of its failure."""
    try:
        with (folder / STDERR).open(errors="replace") as file:
            return complaint(deque(file, maxlen=LAST_WORDS))
    except OSError:
        return ""


def sign_of_abort(folder: Path) -> str | None:
    """Return the line near the end of a program's output that tells of an end by error.

    Starters and scripts hide exit codes: `./solver | tee log` ends well whatever
    happens, and so do scripts that go on behind a crash.
    """
    for name in (STDERR, STDOUT):
        with suppress(OSError), (folder / name).open("rb") as file:
            file.seek(max(0, (folder / name).stat().st_size - TAIL))
            for _, line in signs_of_abort(list(deque(file, maxlen=LAST_WORDS))):
                return line
    return None


def complaint(last_words: Sequence[str]) -> str:
    """Return the line of standard error that says most, behind a colon, if any does."""
    lines = [line.strip() for line in last_words]
    lines = [line for line in lines if line.strip("- *=")]
    errors = [line for line in lines if "error" in line.lower()]
    return f": {(errors or lines)[-1][:500]}" if lines else ""


def end_processes(job: "subprocess.Popen[str]", mark: str) -> None:
    """End `job` and whatever carries its `mark`; harmless where it has ended."""
    try:
        job.terminate()
        job.wait(GRACE)
    except subprocess.TimeoutExpired:
        job.kill()
    finally:  # even where a second Ctrl-C ends the waiting
        for process in marked_processes(mark):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
    job.wait()


def marked_processes(mark: str) -> Iterator[int]:
    """Yield the processes whose environment carries `mark`, where /proc tells."""
    wanted = f"{MARK}={mark}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:
            continue  # it has ended, or belongs to somebody else
        if wanted in environment.split(b"\0"):
            yield int(folder.name)


def resident_bytes(mark: str) -> int:
    """Return the memory that the processes with a `mark` hold together."""
    total = 0
    for process in marked_processes(mark):
        with suppress(OSError):
            pages = Path(f"/proc/{process}/statm").read_text().split()[1]
            total += int(pages) * os.sysconf("SC_PAGE_SIZE")
    return total


def _failure(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    limits: _Limits,
    work: Path,
) -> str | None:
    name = Path(command[0]).name
    # Popen would look for a bare name on the agent's PATH, not the program's.
    program = shutil.which(command[0], path=environment.get("PATH"))
    if program is None:
        program = str(work / command[0])
    mark = environment[MARK]
    try:
        with (folder / STDOUT).open("wb") as out, (folder / STDERR).open("wb") as err:
            job = subprocess.Popen(  # noqa: S603 - what the experiment's author wrote
                [program, *command[1:]],
                cwd=work,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,  # Ctrl-C reaches the agent alone
                text=True,
            )
            try:
                code = _code(job, mark, limits)
            finally:
                # Also after a proper end: a process that lost its starter lives on.
                end_processes(job, mark)
    except subprocess.TimeoutExpired:
        return f"time limit of {limits.seconds:g} s reached{last_words(folder)}"
    except MemoryError as error:
        return str(error)
    except OSError as error:
        return f"cannot start {command[0]}: {error.strerror or error}"
    if code < 0:
        return f"{name} was killed by signal {-code}{last_words(folder)}"
    if code:
        return f"{name} ended with exit code {code}{last_words(folder)}"
    return None


def _code(job: "subprocess.Popen[str]", mark: str, limits: _Limits) -> int:
    """Wait for the end of a job within its limits, and return its exit code."""
    if limits.memory is None:
        return job.wait(limits.seconds)
    end = time.monotonic() + limits.seconds
    while True:
        left = end - time.monotonic()
        try:
            return job.wait(max(0, min(LOOK, left)))
        except subprocess.TimeoutExpired:
            if left <= 0:
                raise
        if resident_bytes(mark) > limits.memory:
            megabytes = limits.memory / 10**6
            message = f"memory limit of {megabytes:,.0f} MB reached"
            raise MemoryError(message)


def _now() -> datetime:
    return datetime.now(UTC)
