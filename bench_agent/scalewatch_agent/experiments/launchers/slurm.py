"""Launcher `slurm`: a batch script per combination, an array of its repeats.

https://slurm.schedmd.com/sbatch.html, https://slurm.schedmd.com/squeue.html
"""

import math
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from scalewatch.outcomes import judge_cell
from scalewatch_agent import errors, programs
from scalewatch_agent.experiments.journal import digest_of
from scalewatch_agent.experiments.launchers import jobs, queued, scripts, section
from scalewatch_agent.mpi.libraries import Library

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
"""Reasons of waiting that nothing ends."""

HELD: Final = ("launch failed requeued held", "launch_failed_requeued_held")
"""Reasons of waiting of a job that a node could not start, until it is released."""

REQUEUES: Final = 3

EXCLUSIVITY: Final = (
    'shared=$(scontrol show job "$SLURM_JOB_ID" 2> /dev/null'
    " | sed -n 's/.*OverSubscribe=\\([A-Z]*\\).*/\\1/p')\n"
    '[ -z "$shared" ] || export SLURM_JOB_OVERSUBSCRIBE="$shared"'
)
"""Commands by which a job notes whether its nodes are its own (NO) or shared (OK)."""

NO_SLURM: Final = {"PRTE_MCA_ras": "^slurm", "PRTE_MCA_plm": "^slurm"}
"""Open MPI from PyPI does not speak to Slurm; its mpiexec starts on its own node."""


@section.register
class SlurmSection(queued.QueuedSection):
    """Keys of Slurm."""

    title: ClassVar[str] = "Slurm"
    starter: ClassVar[str | None] = "srun"

    kind: Literal["slurm"] = "slurm"
    srun_mpi: str | None = None

    def launcher(self, sweep: jobs.LaunchedSweep) -> jobs.JobLauncher:
        """Return what queues the jobs of a sweep."""
        srun = ["srun", *([f"--mpi={self.srun_mpi}"] if self.srun_mpi else [])]
        starter, library = self.started_by(sweep, srun)
        return SlurmJobs(
            section=self,
            title=sweep.title,
            starter=starter,
            variables=self.variables(library),
            known={"mpi": library.title} if library else {},
        )

    def variables(self, library: Library | None) -> Mapping[str, str]:
        """Return what jobs need in their environment to find a library."""
        variables = super().variables(library)
        if library is not None and library.name == "openmpi" and self.mpi:
            return {**variables, **NO_SLURM}
        return variables


@dataclass(slots=True)
class SlurmJobs(queued.QueuedJobs):
    """Starts programs by sbatch; a job that loses its node gets another one."""

    advice: ClassVar[str] = " or `srun_mpi`"
    passing: ClassVar[tuple[str, ...]] = (
        "socket timed out",
        "unable to contact",
        "temporarily",
        "slurm_persist_conn",
        "try again",
    )

    @property
    def machine(self) -> str:
        """The cluster's name."""
        for line in self.ask(["scontrol", "show", "config"]).stdout.splitlines():
            key, _, value = line.partition("=")
            if key.strip() == "ClusterName":
                return value.strip() or "slurm"
        return "slurm"

    def groups(self, requests: Sequence[jobs.Request]) -> list[list[jobs.Request]]:
        """Return the repeats of each combination together: an array."""
        groups: dict[str, list[jobs.Request]] = {}
        for request in requests:
            key = digest_of(request.configured.combination)
            groups.setdefault(key, []).append(request)
        return list(groups.values())

    def submit(self, group: Sequence[jobs.Request]) -> list[str]:
        """Hand in the repeats of a combination, whose numbers are indices of the array.

        Raises
        ------
        SubmissionRefused
            If Slurm will not have them, for example because no node is large enough.
        """
        path = group[0].folder.parent / scripts.SCRIPT
        request = group[0]
        configured = request.configured
        is_array = len(group) > 1
        base = request.folder.parent if is_array else request.folder
        output = base / "%a" if is_array else base
        options = {
            "job-name": self.title,
            "ntasks": configured.processes or 1,
            "cpus-per-task": configured.threads,
            "nodes": configured.nodes,
            "ntasks-per-node": configured.tasks_per_node,
            "time": math.ceil((configured.time_limit + scripts.GRACE) / 60),
            "open-mode": "truncate",
            "output": output / "stdout",
            "error": output / "stderr",
            "array": ",".join(str(each.repeat) for each in group) if is_array else None,
        }
        directives = [
            *(f"#SBATCH --{key}={value}" for key, value in options.items() if value),
            "#SBATCH --requeue",
            *(f"#SBATCH {option}" for option in self.section.options),
        ]
        folder = shlex.quote(str(base)) + ('/"$SLURM_ARRAY_TASK_ID"' * is_array)
        variables = {
            "SRUN_CPUS_PER_TASK": str(configured.threads),
            **self.variables,
        }
        path.write_text(
            scripts.script(
                request,
                directives,
                folder,
                variables,
                f"{EXCLUSIVITY}\n{self.section.setup or ''}",
            )
        )
        answer = self.ask(["sbatch", "--parsable", str(path)])
        if answer.returncode:
            raise queued.SubmissionRefused(self.reason(answer))
        job = answer.stdout.strip().splitlines()[-1].partition(";")[0]
        if len(group) == 1:
            return [job]
        return [f"{job}_{request.repeat}" for request in group]

    def states(self, ids: Sequence[str]) -> Mapping[str, queued.JobState]:  # noqa: ARG002 - asks for all
        """Return the states of this user's jobs, elements of arrays apart.

        Raises
        ------
        SchedulerSilent
            If Slurm does not answer.
        """
        answer = self.ask(
            [
                *("squeue", "--noheader", "--array", "--states=all"),
                *(f"--user={os.getuid()}", "--format=%i|%T|%r"),
            ]
        )
        if answer.returncode:
            raise errors.SchedulerSilent(self.section.title, self.reason(answer))
        fields = (line.split("|") for line in answer.stdout.splitlines())
        return {
            line[0].strip(): queued.JobState(line[1].strip(), line[2].strip())
            for line in fields
            if len(line) == 3
        }

    def failure(
        self, submitted: queued.Submitted, state: queued.JobState
    ) -> str | None:
        """Return why a job failed, an empty text if it did not, None while it runs."""
        folder = submitted.request.folder
        if state.state == "PENDING":
            return self._hopeless(submitted, state)
        if state.state in OPEN or (
            state.state in LOST and self._is_helped(submitted, "requeue")
        ):
            return None
        if state.state in {"COMPLETED", "FAILED"}:
            return self.judged(submitted, scripts.remains(folder))
        outcome = judge_cell("state", state.state)
        if outcome is not None and outcome.has_succeeded is False:
            name = state.state.lower().replace("_", " ")
            return f"Slurm ended it as {name}{programs.last_words(folder)}"
        self.cancel(submitted.id)
        return f"Slurm calls its state {state.state}, which is not known here"

    def cancel_command(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Return the command by which a user ends jobs of those ids."""
        return ("scancel", *ids)

    def nodes(self, left: scripts.Remains, state: queued.JobState | None) -> int | None:  # noqa: ARG002 - the job knows
        """Return how many nodes a job had, if it has noted that."""
        nodes = str(left.surroundings.get("SLURM_JOB_NUM_NODES", ""))
        return int(nodes) if nodes.isdecimal() else None

    def _hopeless(
        self, submitted: queued.Submitted, state: queued.JobState
    ) -> str | None:
        """Return why a job would wait for ever, and cancel it; None if it need not."""
        why = None
        if state.reason.startswith(HOPELESS):
            why = f"Slurm would never start it: {state.reason}"
        elif state.reason.startswith(HELD) and not self._is_helped(
            submitted, "release"
        ):
            why = f"Slurm holds it: {state.reason}"
        if why is not None:
            self.cancel(submitted.id)
        return why

    def _is_helped(self, submitted: queued.Submitted, action: str) -> bool:
        """Give a job that the cluster failed another chance, a few times at most."""
        submitted.requeues += 1
        if submitted.requeues > REQUEUES:
            return False
        return self.ask(["scontrol", action, submitted.id]).returncode == 0
