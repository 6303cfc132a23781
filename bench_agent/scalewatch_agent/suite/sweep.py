"""Measure a suite at several process counts, one job after the other, and report it."""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from scalewatch.wire import Commit, Fact, Job, Machine, Procedure, Result, RunReport
from scalewatch_agent.activity import is_disturbed
from scalewatch_agent.mpi.mpiexec import Launcher, is_oversubscribed
from scalewatch_agent.plan import Plan
from scalewatch_agent.suite.jobs import Event, JobOutcome, run_job
from scalewatch_agent.suite.suites import SUITES, Suite


@dataclass(frozen=True, slots=True)
class MeasuredSubject:
    """Project, commit and machine: the same for all runs of a sweep."""

    project: str
    commit: Commit
    machine: Machine
    settings: Mapping[str, str | bool]


def run_reports(
    subject: MeasuredSubject, plan: Plan, processes: int, outcome: JobOutcome
) -> list[RunReport]:
    """Return the runs of one job, one per message size.

    What the job did not measure has failed, and says why.
    """
    return [
        RunReport(
            schema_version=1,
            id=uuid4(),
            project=subject.project,
            suite=SUITES[plan.suite].name,
            commit=subject.commit,
            machine=subject.machine,
            coordinate={"p": processes},
            configuration=_configuration(subject, plan, message_bytes),
            job=Job(
                nodes=1,
                started_at=outcome.started_at,
                ended_at=outcome.ended_at,
                environment={**outcome.activity},
            ),
            results=tuple(_results(plan, message_bytes, outcome)),
        )
        for message_bytes in plan.message_bytes
    ]


def _configuration(
    subject: MeasuredSubject, plan: Plan, message_bytes: int
) -> dict[str, Fact]:
    """Return what is the same at all process counts."""
    configuration: dict[str, Fact] = {
        "message_bytes": message_bytes,
        **subject.settings,
    }
    if SUITES[plan.suite].metric == "time":
        configuration["loop"] = "compiled" if plan.loop else "interpreted"
    return configuration


def _results(plan: Plan, message_bytes: int, outcome: JobOutcome) -> Iterator[Result]:
    for region in plan.regions:
        measured = [
            event
            for event in outcome.measured.values()
            if event["region"] == region
            and event.get("message_bytes", message_bytes) == message_bytes
        ]
        if measured:
            yield from (_measured(plan, event, outcome.activity) for event in measured)
        else:
            metric, unit = SUITES[plan.suite].measured_of(region)
            reason = outcome.failed.get(region) or outcome.failure
            yield Result(
                region=region,
                metric=metric,
                unit=unit,
                status="failed",
                reason=reason or "the job ended without measuring it",
            )


def _measured(
    plan: Plan, event: Mapping[str, Any], activity: Mapping[str, float | int]
) -> Result:
    procedure = dict(event["procedure"])
    values = tuple(event["values"])
    caveats = tuple(procedure.pop("caveats", ()))
    return Result(
        region=event["region"],
        metric=event["metric"],
        unit=event["unit"],
        better=event.get("better", "lower"),
        values=values,
        procedure=Procedure(
            oversubscribed=plan.oversubscribed,
            disturbed=not plan.oversubscribed
            and is_disturbed(activity, values, event["unit"]),
            caveats=caveats,
            **procedure,
        ),
    )


START = 60
"""Seconds that a job may take to start and to end."""


@dataclass(frozen=True, slots=True)
class SuiteSweep:
    """Regions, process counts and effort of a sweep."""

    suite: Suite
    regions: tuple[str, ...]
    processes: Sequence[int]
    message_bytes: tuple[int, ...]
    repetitions: int
    warm_ups: int
    budget: float
    time_limit: int | None = None
    loop: Path | None = None

    def plan(self, processes: int, launcher: Launcher) -> Plan:
        """Return what the job with so many processes is to measure."""
        # Warm-ups, rounds and barriers may each use up the budget of a region.
        measurements = len(self.regions) * len(self.message_bytes)
        ample = START + round(measurements * (4 * self.budget + 5))
        return Plan(
            suite=self.suite.option,
            regions=self.regions,
            message_bytes=self.message_bytes,
            repetitions=self.repetitions,
            warm_ups=self.warm_ups,
            budget=self.budget,
            thread_level=launcher.thread_level,
            oversubscribed=is_oversubscribed(processes),
            time_limit=self.time_limit or ample,
            seed=secrets.randbits(32),
            loop=None if self.loop is None else str(self.loop),
        )


Follow = Callable[[int, Event], None]


def run_sweep(
    sweep: SuiteSweep, launcher: Launcher, subject: MeasuredSubject, follow: Follow
) -> Iterator[list[RunReport]]:
    """Yield the runs of each process count as soon as its job has ended, well or not.

    `follow` is called with the process count and each event of its job.
    """
    for processes in sweep.processes:
        plan = sweep.plan(processes, launcher)
        arguments = ("-m", "scalewatch_agent.suite.worker", plan.to_json())
        outcome = run_job(
            launcher.command(processes, *arguments),
            launcher.environment(processes),
            processes=processes,
            # The processes' own limit is the second line of defence.
            time_limit=plan.time_limit - 1,
            follow=partial(follow, processes),
        )
        yield run_reports(subject, plan, processes, outcome)
