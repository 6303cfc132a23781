"""Carry out an experiment: steps, jobs and what they measured, as runs."""

import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import uuid4

from scalewatch import wire
from scalewatch_agent import programs
from scalewatch_agent.activity import is_disturbed
from scalewatch_agent.errors import FolderUnwritable
from scalewatch_agent.experiments import steps
from scalewatch_agent.experiments.expressions import Scalar
from scalewatch_agent.experiments.instruments import Instrument
from scalewatch_agent.experiments.journal import Journal, digest_of
from scalewatch_agent.experiments.launchers import jobs
from scalewatch_agent.experiments.loading import Loaded
from scalewatch_agent.experiments.parameters import Combination, filled, names_in
from scalewatch_agent.versions import CheckedOutVersion, sources_digest

Warn = Callable[[str], None]


@dataclass(slots=True)
class ExperimentSweep:
    """One experiment on one machine at one version of its code.

    Parameters
    ----------
    folder
        Holds whatever the sweep makes, and its journal.
    repeats
        Jobs per combination.
    instrument
        What measures the jobs.
    work
        Where the programs run, if not each in the folder of its job.
    """

    loaded: Loaded
    launcher: jobs.JobLauncher
    version: CheckedOutVersion
    folder: Path
    repeats: int
    warn: Warn
    instrument: Instrument
    work: Path | None = None
    journal: Journal = field(init=False)
    compiled: dict[str, str | None] = field(default_factory=dict, init=False)
    code: str = field(init=False)

    def __post_init__(self) -> None:
        # What is built; git's differences do not tell of new files.
        sources = self.version.sources or sources_digest(self.loaded.source)
        self.code = f"{self.version.commit.sha} {self.version.changes} {sources}"
        self.journal = Journal.of(self.folder)

    @property
    def machine(self) -> str:
        """The machine's name."""
        launcher = self.launcher
        return launcher.named(self.loaded.experiment.machine or launcher.machine)

    def requests(self) -> list[jobs.Request]:
        """Return all jobs, each repeat of all combinations before the next one.

        So that a machine which changes during the sweep changes for all of them.
        """
        return [
            self._request(configured, repeat)
            for repeat in range(1, self.repeats + 1)
            for configured in self.loaded.configured
        ]

    def open_requests(self) -> list[jobs.Request]:
        """Return the jobs that no earlier sweep has measured."""
        return [each for each in self.requests() if each.key not in self.journal.done]

    def run(
        self,
        requests: Sequence[jobs.Request],
        is_kept: Callable[[wire.RunReport], bool],
    ) -> Iterator[wire.RunReport]:
        """Yield a run per job as soon as it has ended, well or not.

        A run counts as measured if it is kept when the next one is asked for; on a
        full disk it may not be. Where a step before the program fails, there is one
        failed run for each combination that needs it.
        """
        failure = self._prepare()
        sound = []
        reported = set()
        for request in requests:
            why = failure or self._compile(request.configured.combination)
            if why is None:
                sound.append(request)
            elif (key := digest_of(request.configured.combination)) not in reported:
                reported.add(key)
                yield self._report(jobs.Executed(request, wire.Job(), why))
        for request in sound:
            if request.key not in self.journal.submitted:
                try:
                    steps.fresh_folder(request.folder)
                except OSError as error:
                    # The program cannot start without it, as its run will say.
                    self.warn(f"{request.folder} cannot be made: {error.strerror}")
        for executed in self.launcher.execute(sound, self.journal):
            report = self._report(executed)
            yield report
            is_done = all(result.status == "ok" for result in report.results)
            event = "done" if is_done and is_kept(report) else "failed"
            try:
                self.journal.note(event, executed.request.key, run=str(report.id))
            except FolderUnwritable as error:
                self.warn(f"a later sweep will measure this job again: {error.reason}")

    def _request(self, configured: jobs.Configured, repeat: int) -> jobs.Request:
        combination = configured.combination
        folder = self.folder / "jobs" / digest_of(combination) / str(repeat)
        execute = self.loaded.experiment.execute
        values = self._values(combination, folder, repeat)
        experiment = self.loaded.experiment
        parts = (experiment.prepare, experiment.compile, experiment.analyse)
        identity = [
            [
                experiment.project,
                self.version.commit.sha,
                self.version.changes,
                self.machine,
                experiment.execute.run,
                experiment.execute.environment,
                experiment.launcher.mpi,
                experiment.launcher.mpiexec,
                dict(self.launcher.settings),
                [part and part.run for part in parts],
                self.instrument.identity,
                *filter(None, [self.version.sources]),
            ],
            combination,
            repeat,
        ]
        request = jobs.Request(
            key=digest_of(identity),
            configured=configured,
            repeat=repeat,
            folder=folder,
            words=tuple(shlex.split(filled(execute.run, values))),
            environment=execute.environment,
            work=self.work,
        )
        return self.instrument.prepared(request)

    def _values(
        self, combination: Combination, folder: Path, repeat: int
    ) -> dict[str, Scalar]:
        return {
            **self._common(),
            **combination,
            "compile": str(self._compile_folder(combination)),
            "job": str(folder),
            "repeat": repeat,
        }

    def discard_builds(self) -> None:
        """Let prepare and compile run again, whatever they have made before."""
        for name in ("prepare", "compile"):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def _prepare(self) -> str | None:
        folder = self.folder / "prepare"
        step = self.loaded.experiment.prepare
        if step is None:
            folder.mkdir(parents=True, exist_ok=True)
            return None
        return steps.run_once(
            step,
            self._common(),
            folder,
            "prepare",
            self.code,
            tools=self.launcher.tools,
        )

    def _compile_folder(self, combination: Combination) -> Path:
        step = self.loaded.experiment.compile
        names = names_in(step.run) if step else frozenset()
        return (
            self.folder
            / "compile"
            / digest_of(
                {name: value for name, value in combination.items() if name in names}
            )
        )

    def _compile(self, combination: Combination) -> str | None:
        """Compile once for all combinations that need the same; return a failure."""
        step = self.loaded.experiment.compile
        if step is None:
            return None
        folder = self._compile_folder(combination)
        if folder.name not in self.compiled:
            values = {**self._common(), **combination, "compile": str(folder)}
            self.compiled[folder.name] = steps.run_once(
                step,
                values,
                folder,
                "compile",
                self.code,
                tools=self.launcher.tools,
            )
        return self.compiled[folder.name]

    def _common(self) -> dict[str, Scalar]:
        return {
            **steps.places(self.loaded.path, self.loaded.source, self.folder),
            **self.instrument.flags,
            **self.launcher.compilers,
        }

    def _report(self, executed: jobs.Executed) -> wire.RunReport:
        experiment = self.loaded.experiment
        combination = executed.request.configured.combination
        values = self._values(
            combination, executed.request.folder, executed.request.repeat
        )
        if executed.failure is None:
            sign = programs.sign_of_abort(executed.request.folder)
            if sign is not None:
                failure = f"it ended without an exit code of failure, but wrote: {sign}"
                executed = replace(executed, failure=failure)
        output = self.instrument.output(executed, values)
        facts = {**output.facts, **self._others(combination, named=False)}
        facts["repeat"] = executed.request.repeat
        if self.version.changes:
            facts["uncommitted changes"] = self.version.changes
        environment = {**executed.job.environment, **facts}
        configured = executed.request.configured
        is_oversubscribed = self.launcher.is_oversubscribed(configured)
        procedures = (each.procedure or wire.Procedure() for each in output.results)
        return wire.RunReport(
            schema_version=1,
            id=uuid4(),
            project=experiment.project,
            suite=experiment.suite or experiment.name,
            commit=self.version.commit,
            machine=wire.Machine(
                name=self.machine,
                provenance=self.launcher.provenance,
                fingerprint={**self.launcher.facts, **(executed.facts or {})},
            ),
            coordinate={
                name: value
                for name, value in combination.items()
                if name in self.loaded.coordinate and not isinstance(value, str)
            },
            configuration={
                **self.launcher.settings,
                **self._others(combination, named=True),
                **output.settings,
            },
            job=executed.job.model_copy(update={"environment": environment}),
            # Processes may take turns where they count: they count the same.
            results=tuple(
                each
                if each.exact
                else each.model_copy(
                    update={
                        "procedure": procedure.model_copy(
                            update={
                                "oversubscribed": is_oversubscribed,
                                "disturbed": not is_oversubscribed
                                and is_disturbed(environment, each.values, each.unit),
                            }
                        )
                    }
                )
                for each, procedure in zip(output.results, procedures, strict=True)
            ),
            profile=output.profile,
        )

    def _others(self, combination: Combination, *, named: bool) -> dict[str, wire.Fact]:
        """Return what is no coordinate: what tells runs apart, or all else."""
        telling = self.loaded.experiment.configuration
        return {
            name: value
            for name, value in combination.items()
            if name not in self.loaded.coordinate
            and (telling is None or name in telling) is named
        }
