"""The reports that are posted, made from what jobs measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from scalewatch.wire import Commit, Job, Machine, Procedure, Result, RunReport
from scalewatch_agent.jobs import Outcome
from scalewatch_agent.plan import Plan


@dataclass(frozen=True, slots=True)
class Subject:
    """What is measured, and where: the same for all runs of a sweep."""

    project: str
    commit: Commit
    machine: Machine
    settings: Mapping[str, str | bool]


def run_report(
    subject: Subject, plan: Plan, processes: int, outcome: Outcome
) -> RunReport:
    """Return the run of one job; what it did not measure has failed, and says why."""
    return RunReport(
        schema_version=1,
        id=uuid4(),
        project=subject.project,
        suite=plan.suite,
        commit=subject.commit,
        machine=subject.machine,
        coordinate={"p": processes},
        configuration={"message_bytes": plan.message_bytes, **subject.settings},
        job=Job(nodes=1, started_at=outcome.started_at, ended_at=outcome.ended_at),
        results=tuple(
            _measured(plan, outcome.measured[region])
            if region in outcome.measured
            else _failed(region, outcome.failure)
            for region in plan.regions
        ),
    )


def _measured(plan: Plan, event: Mapping[str, Any]) -> Result:
    error = event["clock_error"]
    return Result(
        region=event["region"],
        metric="time",
        unit="s",
        values=tuple(_seconds(value) for value in event["values"]),
        procedure=Procedure(
            synchronisation=event["synchronisation"],
            oversubscribed=plan.oversubscribed,
            repetitions_asked=plan.repetitions,
            warm_ups=event["warm_ups"],
            late=event["late"],
            clock_error=None if error is None else _seconds(error),
        ),
    )


def _failed(region: str, reason: str | None) -> Result:
    return Result(
        region=region,
        metric="time",
        unit="s",
        status="failed",
        reason=reason or "the job ended without measuring it",
    )


def _seconds(nanoseconds: int) -> float:
    # Division by a power of ten rounds to the shortest decimal.
    return nanoseconds / 1e9
