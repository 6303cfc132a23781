"""Jobs in the queue of a scheduler, whichever it is: hand in, watch, judge, cancel.

A scheduler subclasses `QueuedSection` and `QueuedJobs`: how jobs are handed in, what is
known of them, and which of its states mean what.
"""

import subprocess
import time
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

from pydantic import Field

from scalewatch.wire import Fact, Job
from scalewatch_agent import errors, programs
from scalewatch_agent.experiments.documents import Command
from scalewatch_agent.experiments.journal import Journal
from scalewatch_agent.experiments.launchers import jobs, scripts
from scalewatch_agent.experiments.launchers.section import LauncherSection
from scalewatch_agent.mpi.libraries import Library
from scalewatch_agent.mpi.mpiexec import root_variables

PATIENCE: Final = 120
"""Seconds after which a command of a scheduler is given up."""

ATTEMPTS: Final = 4
PROCESSES: Final = "{processes}"
LOOKS: Final = 5
"""How often a job may be unknown before it counts as lost."""


class SubmissionRefused(Exception):
    """A scheduler does not take a job; the message is its reason."""


@dataclass(frozen=True, slots=True)
class JobState:
    """State of a job in a scheduler's words and, where it gives one, the reason.

    `nodes` and `facts` describe what the job was given, where the scheduler says.
    """

    state: str
    reason: str = ""
    nodes: int | None = None
    facts: Mapping[str, Fact] = field(default_factory=dict)


@dataclass(slots=True)
class Submitted:
    """A job in the queue."""

    request: jobs.Request
    id: str
    requeues: int = 0
    unknown: int = 0


class QueuedSection(LauncherSection):
    """Keys that all schedulers have.

    Parameters
    ----------
    options
        Options of the scheduler for each job: `--partition=batch`.
    setup
        Commands of each job before its program: `module load gcc`.
    at_once
        Jobs that may be in the queue at a time.
    poll
        Seconds between looks at the queue.
    check_size
        Whether each job sees to it first that its processes find each other.
    """

    is_queued: ClassVar[bool] = True

    options: tuple[str, ...] = Field(default=(), strict=False)
    setup: Command | None = None
    at_once: int = Field(default=100, ge=1)
    poll: float = Field(default=10.0, gt=0, le=programs.MOST_SECONDS)
    check_size: bool = True

    def started_by(
        self, sweep: jobs.LaunchedSweep, starter: Sequence[str]
    ) -> tuple[tuple[str, ...], Library | None]:
        """Return the words that start processes in a job, and the library it names.

        `starter` is the scheduler's command, taken unless the file names another.
        """
        library = sweep.library() if self.mpi or self.mpiexec else None
        chosen = sweep.starter or (self.starter if sweep.starts_processes else "none")
        if chosen == "mpiexec":
            program = str(library.mpiexec) if library else "mpiexec"
            return (program, "-n", PROCESSES), library
        return (() if chosen == "none" else tuple(starter)), library

    def variables(self, library: Library | None) -> Mapping[str, str]:
        """Return what jobs need in their environment to find a library."""
        if library is None:
            return {}
        found_by = {**library.environment, "PATH": library.search_path}
        return found_by | root_variables(library)


@dataclass(slots=True)
class QueuedJobs(jobs.JobLauncher):
    """Starts programs by a scheduler.

    Parameters
    ----------
    title
        Name of the jobs.
    starter
        What starts the processes inside a job, with `PROCESSES` where their number
        belongs; empty where nothing does.
    variables
        What each job needs in its environment beside what the scheduler passes on.
    known
        What is known of all nodes.
    """

    section: QueuedSection
    title: str
    starter: tuple[str, ...]
    variables: Mapping[str, str]
    known: Mapping[str, Fact]
    open: list[Submitted] = field(default_factory=list)

    passing: ClassVar[tuple[str, ...]] = ()
    """Words of a refusal that another attempt may change."""

    advice: ClassVar[str] = ""
    """Further advice where processes do not find each other."""

    @property
    def facts(self) -> Mapping[str, Fact]:
        """Facts of all nodes."""
        return self.known

    @property
    def tools(self) -> Mapping[str, str]:
        """The search path of the jobs, where `mpicc` lies beside `mpiexec`."""
        return {key: value for key, value in self.variables.items() if key == "PATH"}

    @abstractmethod
    def groups(self, requests: Sequence[jobs.Request]) -> list[list[jobs.Request]]:
        """Return the jobs that are handed in together."""

    @abstractmethod
    def submit(self, group: Sequence[jobs.Request]) -> list[str]:
        """Hand in a group of jobs and return the id of each.

        Raises
        ------
        SubmissionRefused
            If the scheduler will not have them.
        SchedulerSilent
            If it is not there.
        """

    @abstractmethod
    def states(self, ids: Sequence[str]) -> Mapping[str, JobState]:
        """Return the states of those jobs that the scheduler knows.

        Raises
        ------
        SchedulerSilent
            If it does not answer.
        """

    @abstractmethod
    def failure(self, submitted: Submitted, state: JobState) -> str | None:
        """Return why a job failed, an empty text if it did not, None while it runs."""

    @abstractmethod
    def cancel_command(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Return the command by which a user ends jobs of those ids."""

    def cancel(self, job: str) -> None:
        """Take a job from the queue, if it is still there."""
        self.ask(self.cancel_command([job]))

    def nodes(self, left: scripts.Remains, state: JobState | None) -> int | None:  # noqa: ARG002
        """Return how many nodes a job had, if that is known."""
        return state.nodes if state else None

    def execute(
        self, requests: Sequence[jobs.Request], journal: Journal
    ) -> Iterator[jobs.Executed]:
        """Yield the jobs as they end; jobs of an earlier sweep are still watched.

        Raises
        ------
        SchedulerSilent
            If the scheduler does not answer; a later sweep finds its jobs again.
        """
        self.open = [
            Submitted(request, journal.submitted[request.key]["job"])
            for request in requests
            if request.key in journal.submitted
        ]
        waiting = self.groups(
            [each for each in requests if each.key not in journal.submitted]
        )
        while waiting or self.open:
            while waiting and len(self.open) < self.section.at_once:
                yield from self._submit(waiting.pop(0), journal)
            yield from self._ended()
            if self.open:
                time.sleep(self.section.poll)

    def _submit(
        self, group: list[jobs.Request], journal: Journal
    ) -> Iterator[jobs.Executed]:
        """Hand in a group of jobs; yield those that are refused."""
        try:
            for request in group:
                checks = bool(
                    self.section.check_size
                    and request.configured.processes
                    and self.starter
                )
                text = scripts.command(
                    request, self._starter(request.configured), checks_size=checks
                )
                (request.folder / scripts.COMMAND).write_text(text)
            ids = self.submit(group)
        except (SubmissionRefused, OSError) as refusal:
            reason = f"{self.section.title} refuses it: {refusal}"
            job = Job(scheduler=self.section.kind)
            yield from (jobs.Executed(request, job, reason) for request in group)
            return
        for request, job_id in zip(group, ids, strict=True):
            self.open.append(Submitted(request, job_id))
            try:
                journal.note("submitted", request.key, job=job_id)
            except errors.FolderUnwritable:
                continue  # a later sweep will not find it, this one does

    def _starter(self, configured: jobs.Configured) -> list[str]:
        if configured.processes is None:
            return []
        processes = str(configured.processes)
        return [word.replace(PROCESSES, processes) for word in self.starter]

    def _ended(self) -> Iterator[jobs.Executed]:
        """Yield the jobs that are no longer open."""
        states = self.states([each.id for each in self.open]) if self.open else {}
        for submitted in list(self.open):
            state = states.get(submitted.id)
            if state is None:
                failure = self._forgotten(submitted)
            else:
                submitted.unknown = 0
                failure = self.failure(submitted, state)
            if failure is None:
                continue
            self.open.remove(submitted)
            left = scripts.remains(submitted.request.folder)
            yield jobs.Executed(
                submitted.request,
                Job(
                    scheduler=self.section.kind,
                    id=submitted.id,
                    nodes=self.nodes(left, state),
                    started_at=left.started_at,
                    ended_at=left.ended_at,
                    environment={
                        **left.surroundings,
                        **left.activity,
                        **(state.facts if state else {}),
                    },
                ),
                failure or None,
                {**left.hardware, **({"mpi": left.library} if left.library else {})},
            )

    def _forgotten(self, submitted: Submitted) -> str | None:
        """Judge a job by what it left: a scheduler forgets some time after the end."""
        left = scripts.remains(submitted.request.folder)
        if left.code is not None:
            return self.judged(submitted, left)
        submitted.unknown += 1
        if submitted.unknown < LOOKS:
            return None
        title = self.section.title
        return f"{title} no longer knows job {submitted.id}, which left no exit code"

    def judged(self, submitted: Submitted, left: scripts.Remains) -> str:
        """Return why a program failed that ran to its end, or an empty text."""
        folder = submitted.request.folder
        configured = submitted.request.configured
        match left.code:
            case 0:
                return ""
            case None:
                return f"the job ended before its program{programs.last_words(folder)}"
            case code if code == scripts.WRONG_SIZE:
                return (
                    f"its processes are {min(left.sizes, default=0)} at a time, and "
                    f"not {configured.processes} together: {self.starter[0]} and the "
                    "MPI library do not belong together; try another `starter`"
                    + self.advice
                )
            case code if code == scripts.TIMED_OUT:
                limit = configured.time_limit
                return f"time limit of {limit:g} s reached{programs.last_words(folder)}"
            case code:
                name = submitted.request.words[0]
                return (
                    f"{name} ended with exit code {code}{programs.last_words(folder)}"
                )

    def ask(self, words: Sequence[str]) -> "subprocess.CompletedProcess[str]":
        """Run a command of the scheduler, again where its failure is a passing one.

        Raises
        ------
        SchedulerSilent
            If there is no such command.
        """
        pause = 1.0
        for attempt in range(ATTEMPTS):
            try:
                answer = subprocess.run(  # noqa: S603 - the scheduler's own commands
                    words, capture_output=True, check=False, text=True, timeout=PATIENCE
                )
            except FileNotFoundError:
                reason = f"there is no {words[0]} on PATH"
                raise errors.SchedulerSilent(self.section.title, reason) from None
            except subprocess.TimeoutExpired:
                answer = subprocess.CompletedProcess(words, 1, "", "it timed out")
            is_passing = any(each in answer.stderr.lower() for each in self.passing)
            if answer.returncode == 0 or not is_passing or attempt == ATTEMPTS - 1:
                return answer
            time.sleep(pause)
            pause *= 2
        raise AssertionError

    def reason(self, answer: "subprocess.CompletedProcess[str]") -> str:
        """Return the last line of what a command says on standard error."""
        lines = [line.strip() for line in answer.stderr.splitlines() if line.strip()]
        return lines[-1] if lines else f"{self.section.title} gives no reason"
