"""Run a job under mpiexec, follow what it says, and leave nothing of it behind."""

import json
import queue
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic
from typing import IO, Any, Self
from uuid import uuid4

from scalewatch_agent.activity import MARK, observed
from scalewatch_agent.programs import complaint, end_processes

LAST_WORDS = 40
"""Lines of standard error that are kept."""

PATIENCE = 5
"""Seconds that the output of an ended job may take to be read."""

Event = Mapping[str, Any]
Follow = Callable[[Event], None]
Key = tuple[str, str | None, int | None]
"""Region, metric and, where a job measures several, message size."""


@dataclass(slots=True)
class JobOutcome:
    """Measurements of a job, or the reason of its failure.

    `failed` holds the reasons of regions that could not be measured although the job
    went on, `activity` facts of what the node did besides.
    """

    started_at: datetime
    ended_at: datetime
    measured: dict[Key, Event] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    failure: str | None = None
    activity: Mapping[str, float | int] = field(default_factory=dict)


class JobFailed(Exception):
    """A job cannot be taken as it is; its message is the reason that is posted."""

    @classmethod
    def with_wrong_size(cls, seen: int, wanted: int) -> Self:
        """Return the failure of a job in which not all processes know each other."""
        return cls(
            f"the job has {seen} processes instead of {wanted}: mpiexec and the "
            "library that mpi4py loads do not belong together"
        )

    @classmethod
    def with_code(cls, code: int, place: str, words: str) -> Self:
        """Return the failure of a job that ended badly by itself."""
        return cls(f"mpiexec ended with exit code {code}{place}{words}")


@dataclass(slots=True)
class JobProgress:
    """How far a job has come."""

    processes: int
    measured: dict[Key, Event]
    failed: dict[str, str]
    partly: dict[Key, Event] = field(default_factory=dict)
    measuring: str | None = None

    def take(self, event: Event) -> None:
        """Note what the job says."""
        match event["event"]:
            case "started" if event["processes"] != self.processes:
                raise JobFailed.with_wrong_size(event["processes"], self.processes)
            case "measuring":
                self.measuring = event["region"]
            case "measured":
                self.measured[_key(event)] = event
                self.measuring = None
            case "partly":
                self.partly[_key(event)] = event
            case "failed":
                self.failed[event["region"]] = event["reason"]
                self.measuring = None

    def keep_parts(self) -> None:
        """Make do with what a job that died had measured of other regions."""
        for key, event in self.partly.items():
            if event["region"] != self.measuring:
                self.measured.setdefault(key, event)

    @property
    def place(self) -> str:
        """Where the job is, for a message."""
        return f" in {self.measuring}" if self.measuring else ""


def run_job(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    processes: int,
    time_limit: float,
    follow: Follow,
) -> JobOutcome:
    """Run `command` to its end, and return what it measured.

    Parameters
    ----------
    command
        Starts the worker under mpiexec.
    environment
        All variables of the job.
    processes
        How many have to come up.
    time_limit
        Seconds after which the job is killed with all its processes.
    follow
        Called with each event as it comes.
    """
    outcome = JobOutcome(started_at=_now(), ended_at=_now())
    progress = JobProgress(processes, outcome.measured, outcome.failed)
    mark = str(uuid4())
    try:
        with observed(mark) as outcome.activity:
            _follow_job(
                command, {**environment, MARK: mark}, time_limit, progress, follow
            )
    except JobFailed as failure:
        outcome.failure = str(failure)
    except (TimeoutError, subprocess.TimeoutExpired):
        outcome.failure = f"time limit of {time_limit:g} s reached{progress.place}"
    except OSError as error:
        outcome.failure = f"cannot start {command[0]}: {error.strerror}"
    if outcome.failure:
        progress.keep_parts()
    outcome.ended_at = _now()
    return outcome


def _follow_job(
    command: Sequence[str],
    environment: Mapping[str, str],
    time_limit: float,
    progress: JobProgress,
    follow: Follow,
) -> None:
    """Run a job to its end, and take its events as they come."""
    deadline = monotonic() + time_limit
    job = subprocess.Popen(  # noqa: S603 - composed by a launcher
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        errors="replace",
        start_new_session=True,  # Ctrl-C reaches the agent alone
        text=True,
    )
    assert job.stdout is not None
    assert job.stderr is not None
    lines: queue.Queue[str | None] = queue.Queue()
    last_words: deque[str] = deque(maxlen=LAST_WORDS)
    readers = (
        _reader(job.stdout, lines.put, lambda: lines.put(None)),
        _reader(job.stderr, last_words.append, lambda: None),
    )
    try:
        while (line := _next_line(lines, deadline)) is not None:
            if event := _event(line):
                progress.take(event)
                follow(event)
        code = job.wait(max(deadline - monotonic(), 0))
    finally:
        # Also after a proper end: a process that lost its mpiexec lives on.
        end_processes(job, environment[MARK])
        for reader in readers:
            reader.join(PATIENCE)
    if code:
        raise JobFailed.with_code(code, progress.place, complaint(last_words))


def _reader(
    stream: IO[str], take: Callable[[str], None], end: Callable[[], None]
) -> threading.Thread:
    def read() -> None:
        with stream:
            for line in stream:
                take(line)
        end()

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return thread


def _next_line(lines: "queue.Queue[str | None]", deadline: float) -> str | None:
    try:
        return lines.get(timeout=max(deadline - monotonic(), 0))
    except queue.Empty:
        raise TimeoutError from None


def _key(event: Event) -> Key:
    return event["region"], event.get("metric"), event.get("message_bytes")


def _event(line: str) -> Event | None:
    """Return the event in `line`; libraries write to standard output, too."""
    if not line.startswith('{"event": '):
        return None
    try:
        event: Event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event


def _now() -> datetime:
    return datetime.now(UTC)
