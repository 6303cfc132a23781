"""Launcher `flux`: a batch script per job, handed in to a Flux instance.

Flux has neither arrays nor requeues: each repeat is a job of its own, and one that
loses its node has failed. Its answers in JSON name jobs by numbers, its other commands
print them in base 58, which begins with ƒ (RFC 19); both mean the same job.

https://flux-framework.readthedocs.io/projects/flux-core/en/latest/man1/flux-batch.html
(also flux-jobs, flux-cancel); states: RFC 21
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from scalewatch_agent import errors, programs
from scalewatch_agent.experiments.launchers import jobs, queued, scripts, section
from scalewatch_agent.machine import host_name

OPEN: Final = frozenset({"NEW", "DEPEND", "PRIORITY", "SCHED", "RUN", "CLEANUP"})
ENDED: Final = frozenset({"COMPLETED", "FAILED", "CANCELED", "TIMEOUT"})
"""Results of jobs that are inactive."""

BASE58: Final = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


@section.register
class FluxSection(queued.QueuedSection):
    """Keys of Flux."""

    title: ClassVar[str] = "Flux"
    starter: ClassVar[str | None] = "flux"

    kind: Literal["flux"] = "flux"

    def launcher(self, sweep: jobs.LaunchedSweep) -> jobs.JobLauncher:
        """Return what queues the jobs of a sweep."""
        flux_run = ["flux", "run", f"--ntasks={queued.PROCESSES}"]
        starter, library = self.started_by(sweep, flux_run)
        return FluxJobs(
            section=self,
            title=sweep.title,
            starter=starter,
            variables=self.variables(library),
            known={"mpi": library.title} if library else {},
        )


@dataclass(slots=True)
class FluxJobs(queued.QueuedJobs):
    """Starts programs by `flux batch`."""

    passing: ClassVar[tuple[str, ...]] = (
        "unable to connect",
        "connection refused",
        "connection reset",
        "temporarily",
        "try again",
    )

    @property
    def machine(self) -> str:
        """The name of the host of the instance, which a user may rename."""
        answer = self.ask(["flux", "getattr", "hostlist"])
        hosts = answer.stdout.strip() if answer.returncode == 0 else ""
        return hosts.partition("[")[0].partition(",")[0].rstrip("-") or host_name()

    def groups(self, requests: Sequence[jobs.Request]) -> list[list[jobs.Request]]:
        """Return each job alone."""
        return [[request] for request in requests]

    def submit(self, group: Sequence[jobs.Request]) -> list[str]:
        """Hand in a job.

        Raises
        ------
        SubmissionRefused
            If Flux will not have it, for example because no node is large enough.
        """
        (request,) = group
        path = request.folder / scripts.SCRIPT
        folder = shlex.quote(str(request.folder))
        setup = self.section.setup
        path.write_text(scripts.script(request, (), folder, self.variables, setup))
        configured = request.configured
        options = {
            "job-name": self.title,
            "nslots": configured.processes or 1,
            "cores-per-slot": configured.threads,
            "nodes": _nodes(configured),
            "time-limit": f"{configured.time_limit + scripts.GRACE:g}s",
            "cwd": request.folder,
            "output": request.folder / "stdout",
            "error": request.folder / "stderr",
        }
        stated = [f"--{key}={value}" for key, value in options.items() if value]
        answer = self.ask(
            ["flux", "batch", *[*stated, *self.section.options], str(path)]
        )
        job = answer.stdout.strip()
        if answer.returncode:
            raise queued.SubmissionRefused(self.reason(answer))
        if _number(job) is None:
            raise queued.SubmissionRefused(
                f"it answers {job[:100]!r}, which is no job's id"
            )
        return [job]

    def states(self, ids: Sequence[str]) -> Mapping[str, queued.JobState]:
        """Return the states of those jobs that Flux knows.

        Raises
        ------
        SchedulerSilent
            If it does not answer, or not in JSON.
        """
        answer = self.ask(["flux", "jobs", "--json", *ids])
        # From 0.80 on an id that is unknown makes the command fail, others or not.
        if answer.returncode and "unknown" not in answer.stderr.lower():
            raise errors.SchedulerSilent(self.section.title, self.reason(answer))
        try:
            content = json.loads(answer.stdout or "{}")
            known = content.get("jobs", [content] if content else [])
            states = {int(each["id"]): _state(each) for each in known}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            reason = "flux jobs --json answers no list of jobs"
            raise errors.SchedulerSilent(self.section.title, reason) from None
        numbers = {job: _number(job) for job in ids}
        return {job: states[n] for job, n in numbers.items() if n in states}

    def failure(
        self, submitted: queued.Submitted, state: queued.JobState
    ) -> str | None:
        """Return why a job failed, an empty text if it did not, None while it runs."""
        folder = submitted.request.folder
        left = scripts.remains(folder)
        if state.state in OPEN:
            return None
        if state.state not in ENDED:
            self.cancel(submitted.id)
            return f"Flux calls its state {state.state}, which is not known here"
        is_judged = state.state == "COMPLETED" or (
            state.state == "FAILED" and left.code not in {None, 0}
        )
        if is_judged:
            return self.judged(submitted, left)
        reason = f" ({state.reason})" if state.reason else ""
        words = programs.last_words(folder)
        return f"Flux ended it as {state.state.lower()}{reason}{words}"

    def cancel_command(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Return the command by which a user ends jobs of those ids."""
        return ("flux", "cancel", *ids)


def _nodes(configured: jobs.Configured) -> int | None:
    """Return the nodes over which processes are spread evenly, if a file says.

    Raises
    ------
    SubmissionRefused
        If so many tasks on so many nodes are too few.
    """
    nodes, tasks = configured.nodes, configured.tasks_per_node
    processes = configured.processes or 1
    if tasks is None:
        return nodes
    if nodes is not None and nodes * tasks < processes:
        reason = f"{nodes} nodes with {tasks} tasks each hold no {processes} processes"
        raise queued.SubmissionRefused(reason)
    return nodes or -(-processes // tasks)


def _number(job: str) -> int | None:
    """Return the number that an id means, in base 10 or 58, if it is an id."""
    if job.isascii() and job.isdecimal():
        return int(job)
    number = 0
    for letter in job[1:]:
        if letter not in BASE58:
            return None
        number = 58 * number + BASE58.index(letter)
    return number if job[:1] in {"ƒ", "f"} and len(job) > 1 else None


def _state(job: Mapping[str, Any]) -> queued.JobState:
    """Return the state of a job, or its result once it is inactive."""
    state = str(job["state"])
    exception = job.get("exception", {})
    reasons = (exception.get("type"), exception.get("note"))
    nodes, hosts = job.get("nnodes"), job.get("nodelist")
    return queued.JobState(
        state=str(job.get("result", state)) if state == "INACTIVE" else state,
        reason=": ".join(str(each) for each in reasons if each),
        nodes=nodes if isinstance(nodes, int) else None,
        facts={"nodelist": str(hosts)} if hosts else {},
    )
