"""The reports that are posted, made from what jobs measured."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from scalewatch.wire import Commit, Fact, Job, Machine, Procedure, Result, RunReport
from scalewatch_agent.plan import Plan
from scalewatch_agent.suite.jobs import JobOutcome
from scalewatch_agent.suite.suites import SUITES


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
            job=Job(nodes=1, started_at=outcome.started_at, ended_at=outcome.ended_at),
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
            yield from (_measured(plan, event) for event in measured)
        else:
            yield _failed(plan, region, outcome)


def _measured(plan: Plan, event: Mapping[str, Any]) -> Result:
    procedure = dict(event["procedure"])
    caveats = tuple(procedure.pop("caveats", ()))
    return Result(
        region=event["region"],
        metric=event["metric"],
        unit=event["unit"],
        better=event.get("better", "lower"),
        values=tuple(event["values"]),
        procedure=Procedure(
            oversubscribed=plan.oversubscribed, caveats=caveats, **procedure
        ),
    )


def _failed(plan: Plan, region: str, outcome: JobOutcome) -> Result:
    metric, unit = SUITES[plan.suite].measured_of(region)
    reason = outcome.failed.get(region) or outcome.failure
    return Result(
        region=region,
        metric=metric,
        unit=unit,
        status="failed",
        reason=reason or "the job ended without measuring it",
    )
