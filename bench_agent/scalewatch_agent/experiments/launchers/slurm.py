"""Execute jobs by Slurm: a script per combination, an array of its repeats."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from scalewatch.wire import Fact, Job
from scalewatch_agent.errors import FolderUnwritable
from scalewatch_agent.experiments.configured import Configured
from scalewatch_agent.experiments.journal import Journal
from scalewatch_agent.experiments.launchers import commands as slurm
from scalewatch_agent.experiments.launchers.commands import JobState, SubmissionRefused
from scalewatch_agent.experiments.launchers.jobs import Executed, MeasuredJobs, Request
from scalewatch_agent.experiments.launchers.scripts import (
    COMMAND,
    SCRIPT,
    TIMED_OUT,
    WRONG_SIZE,
    Traces,
    command,
    script,
    traces,
)
from scalewatch_agent.experiments.launchers.section import Launcher
from scalewatch_agent.experiments.steps import digest_of
from scalewatch_agent.programs import last_words

OPEN: Final = frozenset(
    {
        *("PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "STOPPED"),
        *("REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESIZING", "SIGNALING"),
        *("SPECIAL_EXIT", "STAGE_OUT", "RESV_DEL_HOLD", "REVOKED"),
    }
)
LOST: Final = frozenset({"NODE_FAIL", "BOOT_FAIL", "PREEMPTED"})
"""The node was lost, not the program: the job deserves another one."""

HOPELESS: Final = (
    *("PartitionNodeLimit", "PartitionTimeLimit", "PartitionConfig", "BadConstraints"),
    *("InvalidAccount", "InvalidQOS", "AccountNotAllowed", "QOSNotAllowed"),
    *("MaxNodePerAccount", "MaxCpuPerAccount", "MaxMemPerLimit"),
)
"""Why a job waits that would wait for ever."""

PROCESSES: Final = "{processes}"
HELD: Final = ("launch failed requeued held", "launch_failed_requeued_held")
"""Why a job waits that a node could not start, until somebody lets it go."""

REQUEUES: Final = 3
LOOKS: Final = 5
"""How often a job may be unknown before it counts as lost."""


@dataclass(slots=True)
class _Submitted:
    """A job in the queue."""

    request: Request
    id: str
    requeues: int = 0
    unknown: int = 0


@dataclass(slots=True)
class SlurmJobs(MeasuredJobs):
    """Starts programs by Slurm.

    Parameters
    ----------
    starter
        What starts the processes inside a job: srun, mpiexec or nothing, with
        `PROCESSES` where their number belongs.
    variables
        What each job needs in its environment beside what Slurm passes on.
    """

    launcher: Launcher
    title: str
    starter: tuple[str, ...]
    variables: Mapping[str, str]
    known: Mapping[str, Fact]
    open: list[_Submitted] = field(default_factory=list)

    @property
    def machine(self) -> str:
        """The cluster's name."""
        return slurm.cluster() or "slurm"

    @property
    def facts(self) -> Mapping[str, Fact]:
        """What is known of all nodes."""
        return self.known

    @property
    def settings(self) -> Mapping[str, Fact]:
        """Nothing: the scheduler fixes no parameter."""
        return {}

    @property
    def tools(self) -> Mapping[str, str]:
        """The search path of the jobs, where `mpicc` lies beside `mpiexec`."""
        return {key: value for key, value in self.variables.items() if key == "PATH"}

    def is_oversubscribed(self, configured: Configured) -> bool:  # noqa: ARG002 - a protocol
        """Return no: Slurm gives each process its cores, or does not start it."""
        return False

    def execute(
        self, requests: Sequence[Request], journal: Journal
    ) -> Iterator[Executed]:
        """Yield the jobs as they end; jobs of an earlier sweep are still watched.

        Raises
        ------
        SchedulerSilent
            If Slurm does not answer; its jobs are found again by a later sweep.
        """
        self.open = [
            _Submitted(request, journal.submitted[request.key]["job"])
            for request in requests
            if request.key in journal.submitted
        ]
        waiting = _groups([one for one in requests if one.key not in journal.submitted])
        while waiting or self.open:
            while waiting and len(self.open) < self.launcher.at_once:
                yield from self._submit(waiting.pop(0), journal)
            yield from self._ended()
            if self.open:
                time.sleep(self.launcher.poll)

    def _submit(self, group: list[Request], journal: Journal) -> Iterator[Executed]:
        """Hand in the repeats of one combination; yield those that are refused."""
        first = group[0]
        try:
            path = first.folder.parent / SCRIPT
            path.write_text(script(group, self.launcher, self.title, self.variables))
            for request in group:
                checks = bool(
                    self.launcher.check_size
                    and request.configured.processes
                    and self.starter
                )
                text = command(
                    request, self._starter(request.configured), checks_size=checks
                )
                (request.folder / COMMAND).write_text(text)
            job = slurm.submit(path)
        except (SubmissionRefused, OSError) as refusal:
            reason = f"Slurm refuses it: {refusal}"
            yield from (Executed(request, self._job(None), reason) for request in group)
            return
        for request in group:
            own = f"{job}_{request.repeat}" if len(group) > 1 else job
            self.open.append(_Submitted(request, own))
            try:
                journal.note("submitted", request.key, job=own)
            except FolderUnwritable:
                continue  # a later sweep will not find it, this one does

    def _starter(self, configured: Configured) -> list[str]:
        if configured.processes is None:
            return []
        processes = str(configured.processes)
        return [word.replace(PROCESSES, processes) for word in self.starter]

    def _ended(self) -> Iterator[Executed]:
        """Yield the jobs that are no longer open."""
        seen = slurm.look()
        for submitted in list(self.open):
            state = seen.get(submitted.id)
            failure = self._failure(submitted, state)
            if failure is None:
                continue
            self.open.remove(submitted)
            found = traces(submitted.request.folder)
            yield Executed(
                submitted.request,
                self._job(submitted.id, found),
                failure or None,
                {**found.hardware, **({"mpi": found.library} if found.library else {})},
            )

    def _failure(self, submitted: _Submitted, state: JobState | None) -> str | None:
        """Return why a job failed, an empty text if it did not, None while it runs."""
        folder = submitted.request.folder
        if state is None:
            return self._forgotten(submitted)
        submitted.unknown = 0
        if state.state == "PENDING":
            return _waiting(submitted, state)
        if state.state in OPEN or (
            state.state in LOST and _is_helped(submitted, slurm.requeue)
        ):
            return None
        if state.state in {"COMPLETED", "FAILED"}:
            return self._judged(submitted, traces(folder))
        words = last_words(folder)
        return f"Slurm ended it as {state.state.lower().replace('_', ' ')}{words}"

    def _forgotten(self, submitted: _Submitted) -> str | None:
        """Judge a job by what it left: Slurm forgets some minutes after the end."""
        found = traces(submitted.request.folder)
        if found.code is not None:
            return self._judged(submitted, found)
        submitted.unknown += 1
        if submitted.unknown < LOOKS:
            return None
        return f"Slurm no longer knows job {submitted.id}, which left no exit code"

    def _judged(self, submitted: _Submitted, found: Traces) -> str:
        """Return why a program failed that ran to its end, or an empty text."""
        folder = submitted.request.folder
        configured = submitted.request.configured
        match found.code:
            case 0:
                return ""
            case None:
                return f"the job ended before its program{last_words(folder)}"
            case code if code == WRONG_SIZE:
                return (
                    f"its processes are {min(found.sizes, default=0)} at a time, and "
                    f"not {configured.processes} together: {self.starter[0]} and the "
                    "MPI library do not belong together; try another `starter` or "
                    "`srun_mpi`"
                )
            case code if code == TIMED_OUT:
                limit = configured.time_limit
                return f"time limit of {limit:g} s reached{last_words(folder)}"
            case code:
                name = submitted.request.words[0]
                return f"{name} ended with exit code {code}{last_words(folder)}"

    def _job(self, job: str | None, found: Traces | None = None) -> Job:
        if found is None:
            return Job(scheduler="slurm", id=job)
        nodes = str(found.surroundings.get("SLURM_JOB_NUM_NODES", ""))
        return Job(
            scheduler="slurm",
            id=job,
            nodes=int(nodes) if nodes.isdecimal() else None,
            started_at=found.started_at,
            ended_at=found.ended_at,
            environment=dict(found.surroundings),
        )


def _is_helped(submitted: _Submitted, help_it: Callable[[str], bool]) -> bool:
    """Give a job that the cluster failed another chance, a few times at most."""
    submitted.requeues += 1
    return submitted.requeues <= REQUEUES and help_it(submitted.id)


def _waiting(submitted: _Submitted, state: JobState) -> str | None:
    """Return why a job would wait for ever, if it would; it is then cancelled."""
    if state.reason.startswith(HOPELESS):
        slurm.cancel(submitted.id)
        return f"Slurm would never start it: {state.reason}"
    if state.reason.startswith(HELD) and not _is_helped(submitted, slurm.release):
        slurm.cancel(submitted.id)
        return f"Slurm holds it: {state.reason}"
    return None


def _groups(requests: Sequence[Request]) -> list[list[Request]]:
    """Return the repeats of each combination together."""
    groups: dict[str, list[Request]] = {}
    for request in requests:
        key = digest_of(request.configured.combination)
        groups.setdefault(key, []).append(request)
    return list(groups.values())
