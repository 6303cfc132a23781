"""Carry out an experiment: steps, jobs and what they measured, as runs."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from pydantic import ValidationError

from scalewatch.wire import (
    Fact,
    Job,
    Machine,
    Procedure,
    Profile,
    Result,
    RunReport,
)
from scalewatch_agent.errors import FolderUnwritable
from scalewatch_agent.experiments.commands import filled, names_in
from scalewatch_agent.experiments.configured import Configured, Loaded
from scalewatch_agent.experiments.expressions import Scalar
from scalewatch_agent.experiments.jobs import Executed, JobLauncher, Request
from scalewatch_agent.experiments.journal import Journal
from scalewatch_agent.experiments.parameters import Combination
from scalewatch_agent.experiments.results import (
    Unfound,
    failed_results,
    read_profile,
    read_results,
    unfound_profile,
)
from scalewatch_agent.experiments.steps import (
    digest_of,
    fresh_folder,
    places,
    run_once,
    run_step,
)
from scalewatch_agent.versions import CheckedOutVersion

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
    """

    loaded: Loaded
    launcher: JobLauncher
    version: CheckedOutVersion
    folder: Path
    repeats: int
    warn: Warn
    journal: Journal = field(init=False)
    compiled: dict[str, str | None] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.journal = Journal.of(self.folder)

    @property
    def machine(self) -> str:
        """The machine's name."""
        return self.loaded.experiment.machine or self.launcher.machine

    def requests(self) -> list[Request]:
        """Return all jobs, each repeat of all combinations before the next one.

        So that a machine which changes during the sweep changes for all of them.
        """
        return [
            self._request(configured, repeat)
            for repeat in range(1, self.repeats + 1)
            for configured in self.loaded.configured
        ]

    def open_requests(self) -> list[Request]:
        """Return the jobs that no earlier sweep has measured."""
        return [one for one in self.requests() if one.key not in self.journal.done]

    def run(
        self, requests: Sequence[Request], is_kept: Callable[[RunReport], bool]
    ) -> Iterator[RunReport]:
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
                yield self._report(Executed(request, Job(), why))
        for request in sound:
            if request.key not in self.journal.submitted:
                self._make_folder(request)
        for executed in self.launcher.execute(sound, self.journal):
            report = self._report(executed)
            yield report
            is_done = all(result.status == "ok" for result in report.results)
            event = "done" if is_done and is_kept(report) else "failed"
            self._note(event, executed.request.key, run=str(report.id))

    def _note(self, event: str, key: str, **fields: Any) -> None:
        try:
            self.journal.note(event, key, **fields)
        except FolderUnwritable as error:
            self.warn(f"a later sweep will measure this job again: {error.reason}")

    def _make_folder(self, request: Request) -> None:
        try:
            fresh_folder(request.folder)
        except OSError as error:
            # The program cannot start without it, which is what its run will say.
            self.warn(f"{request.folder} cannot be made: {error.strerror}")

    def _request(self, configured: Configured, repeat: int) -> Request:
        combination = configured.combination
        folder = self.folder / "jobs" / digest_of(combination) / str(repeat)
        execute = self.loaded.experiment.execute
        values = self._values(combination, folder, repeat)
        identity = [self._identity(), combination, repeat]
        return Request(
            key=digest_of(identity),
            configured=configured,
            repeat=repeat,
            folder=folder,
            words=tuple(shlex.split(filled(execute.run, values))),
            environment=execute.environment,
        )

    def _identity(self) -> list[Any]:
        """Return what decides whether a job of an earlier sweep is the same one."""
        experiment = self.loaded.experiment
        parts = (experiment.prepare, experiment.compile, experiment.analyse)
        return [
            experiment.project,
            self.version.commit.sha,
            self.version.changes,
            self.machine,
            experiment.execute.run,
            experiment.execute.environment,
            experiment.launcher.mpi,
            experiment.launcher.mpiexec,
            [part and part.run for part in parts],
            [rule.model_dump() for rule in experiment.results],
            experiment.profile and experiment.profile.document,
        ]

    def _values(
        self, combination: Combination, folder: Path, repeat: int
    ) -> dict[str, Scalar]:
        return {
            **places(self.loaded.path, self.loaded.source, self.folder),
            **combination,
            "compile": str(self._compile_folder(combination)),
            "job": str(folder),
            "repeat": repeat,
        }

    def _prepare(self) -> str | None:
        folder = self.folder / "prepare"
        step = self.loaded.experiment.prepare
        if step is None:
            folder.mkdir(parents=True, exist_ok=True)
            return None
        return run_once(step, self._common(), folder, "prepare", self._code())

    def _compile_folder(self, combination: Combination) -> Path:
        return self.folder / "compile" / digest_of(self._compiled_for(combination))

    def _compiled_for(self, combination: Combination) -> dict[str, Scalar]:
        """Return the parameters on which the compilation depends."""
        step = self.loaded.experiment.compile
        names = names_in(step.run) if step else frozenset()
        return {name: value for name, value in combination.items() if name in names}

    def _compile(self, combination: Combination) -> str | None:
        """Compile once for all combinations that need the same; return a failure."""
        step = self.loaded.experiment.compile
        if step is None:
            return None
        folder = self._compile_folder(combination)
        if folder.name not in self.compiled:
            values = {**self._common(), **combination, "compile": str(folder)}
            self.compiled[folder.name] = run_once(
                step, values, folder, "compile", self._code()
            )
        return self.compiled[folder.name]

    def _common(self) -> dict[str, Scalar]:
        return places(self.loaded.path, self.loaded.source, self.folder)

    def _code(self) -> str:
        return f"{self.version.commit.sha} {self.version.changes}"

    def _report(self, executed: Executed) -> RunReport:
        experiment = self.loaded.experiment
        combination = executed.request.configured.combination
        results = self._results(executed)
        profile, lacking = self._profile(executed, results)
        return RunReport(
            schema_version=1,
            id=uuid4(),
            project=experiment.project,
            suite=experiment.suite or experiment.name,
            commit=self.version.commit,
            machine=Machine(
                name=self.machine,
                fingerprint={**self.launcher.facts, **(executed.facts or {})},
            ),
            coordinate={
                name: value
                for name, value in combination.items()
                if name in self.loaded.coordinate and not isinstance(value, str)
            },
            configuration=self._configuration(combination),
            job=self._job(executed),
            results=tuple(
                self._with_procedure(result, executed.request.configured)
                for result in (*results, *lacking)
            ),
            profile=profile,
        )

    def _configuration(self, combination: Combination) -> dict[str, Fact]:
        return {**self.launcher.settings, **self._others(combination, named=True)}

    def _others(self, combination: Combination, *, named: bool) -> dict[str, Fact]:
        """Return what is no coordinate: what tells runs apart, or all else."""
        telling = self.loaded.experiment.configuration
        return {
            name: value
            for name, value in combination.items()
            if name not in self.loaded.coordinate
            and (telling is None or name in telling) is named
        }

    def _job(self, executed: Executed) -> Job:
        combination = executed.request.configured.combination
        facts = self._others(combination, named=False)
        facts["repeat"] = executed.request.repeat
        if self.version.changes:
            facts["uncommitted changes"] = self.version.changes
        environment = {**executed.job.environment, **facts}
        return executed.job.model_copy(update={"environment": environment})

    def _results(self, executed: Executed) -> list[Result]:
        """Analyse what a job has written; a job that failed has measured nothing."""
        experiment = self.loaded.experiment
        failure = executed.failure
        folder = executed.request.folder
        if failure is None and experiment.analyse:
            values = self._values(
                executed.request.configured.combination,
                folder,
                executed.request.repeat,
            )
            failure = run_step(experiment.analyse, values, folder, "analyse")
        if failure is not None:
            return failed_results(experiment.results, experiment.name, failure)
        try:
            return read_results(experiment.results, folder, experiment.name)
        except ValidationError as error:
            reason = f"its results make no run: {error.errors()[0]['msg']}"
            return failed_results(experiment.results, experiment.name, reason)

    def _profile(
        self, executed: Executed, results: Sequence[Result]
    ) -> tuple[Profile | None, list[Result]]:
        """Return the profile of a job, or a failed result that says why not."""
        rule = self.loaded.experiment.profile
        if rule is None or all(result.status == "failed" for result in results):
            return None, []
        try:
            return read_profile(rule, executed.request.folder), []
        except Unfound as reason:
            return None, [unfound_profile(reason)]

    def _with_procedure(self, result: Result, configured: Configured) -> Result:
        procedure = Procedure(
            oversubscribed=self.launcher.is_oversubscribed(configured)
        )
        return result.model_copy(update={"procedure": procedure})
