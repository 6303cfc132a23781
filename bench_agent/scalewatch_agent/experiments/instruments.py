"""Instruments of a sweep: how its jobs start, and how results are read."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from scalewatch.wire import Fact, Profile, Result
from scalewatch_agent.experiments.expressions import Scalar
from scalewatch_agent.experiments.launchers.jobs import Executed, Request
from scalewatch_agent.experiments.results import (
    Unfound,
    failed_results,
    read_profile,
    read_results,
    unfound_profile,
)
from scalewatch_agent.experiments.schema import Experiment
from scalewatch_agent.experiments.steps import run_step


@dataclass(frozen=True, slots=True)
class Output:
    """Results of a job.

    `settings` join the configuration, which tells series apart, `facts` are noted with
    the job.
    """

    results: Sequence[Result]
    profile: Profile | None = None
    settings: Mapping[str, Fact] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)


class Instrument(ABC):
    """Measures jobs."""

    __slots__ = ()

    @property
    @abstractmethod
    def identity(self) -> Any:
        """Part of a job's key: a job of an earlier sweep counts if it is equal."""

    @property
    def flags(self) -> Mapping[str, str]:
        """Values of `{cflags}` and `{fflags}` in the steps that compile.

        Empty: a program that is timed counts nothing.
        """
        return {"cflags": "", "fflags": ""}

    def prepared(self, request: Request) -> Request:
        """Return a job as it has to be started in order to be measured."""
        return request

    @abstractmethod
    def output(self, executed: Executed, values: Mapping[str, Scalar]) -> Output:
        """Return what a job that has ended, well or not, came to.

        `values` are those of all names that its commands may use.
        """


@dataclass(frozen=True, slots=True)
class WrittenOutput(Instrument):
    """Reads what the program wrote, by the rules of the experiment."""

    experiment: Experiment

    @property
    def identity(self) -> Any:
        """The rules."""
        experiment = self.experiment
        return [
            [rule.identity for rule in experiment.results],
            experiment.profile and experiment.profile.document,
        ]

    def output(self, executed: Executed, values: Mapping[str, Scalar]) -> Output:
        """Return what the rules find; a job that failed has measured nothing."""
        results = self._results(executed, values)
        profile, lacking = self._profile(executed, results)
        return Output((*results, *lacking), profile)

    def _results(
        self, executed: Executed, values: Mapping[str, Scalar]
    ) -> list[Result]:
        experiment = self.experiment
        failure = executed.failure
        folder = executed.request.folder
        if failure is None and experiment.analyse:
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
        rule = self.experiment.profile
        if rule is None or all(result.status == "failed" for result in results):
            return None, []
        try:
            return read_profile(rule, executed.request.folder), []
        except Unfound as reason:
            return None, [unfound_profile(reason)]
