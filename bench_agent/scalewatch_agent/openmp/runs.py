"""The reports that are posted, made from what jobs measured."""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor, sqrt
from uuid import uuid4

from scalewatch.wire import Job as ReportedJob
from scalewatch.wire import Procedure, Result, RunReport
from scalewatch_agent.machine import surroundings
from scalewatch_agent.openmp.measuring import Outcome
from scalewatch_agent.openmp.plan import Job
from scalewatch_agent.suite.runs import MeasuredSubject

SUITE = "openmp"


def run_report(
    subject: MeasuredSubject, job: Job, outcome: Outcome, environment: Mapping[str, str]
) -> RunReport:
    """Return the run of a job; what it did not measure has failed, and says why."""
    return RunReport(
        schema_version=1,
        id=uuid4(),
        project=subject.project,
        suite=SUITE,
        commit=subject.commit,
        machine=subject.machine,
        coordinate={**job.coordinate},
        configuration={**job.configuration, **subject.settings},
        job=ReportedJob(
            nodes=1,
            started_at=outcome.started_at,
            ended_at=outcome.ended_at,
            environment={**surroundings(environment)},
        ),
        results=tuple(_results(job, outcome)),
    )


def _results(job: Job, outcome: Outcome) -> Iterator[Result]:
    for region in job.kind.regions:
        if values := outcome.measured.get(region):
            yield _measured(job, region, values)
        else:
            yield Result(
                region=region,
                metric=job.kind.metric,
                unit=job.kind.unit,
                better=job.kind.better,
                status="failed",
                reason=outcome.failure or "the job ended without measuring it",
            )


def _measured(job: Job, region: str, values: Sequence[float]) -> Result:
    is_difference = job.part == "overheads"
    return Result(
        region=region,
        metric=job.kind.metric,
        unit=job.kind.unit,
        better=job.kind.better,
        values=tuple(values),
        procedure=Procedure(
            oversubscribed=job.is_oversubscribed,
            repetitions_asked=job.repetitions,
            warm_ups=job.kind.warm_ups,
            loop="compiled",
            uncertainty=uncertainty(values) if is_difference else None,
        ),
    )


def uncertainty(values: Sequence[float]) -> float:
    """Return half the 95 % interval of the median, from order statistics.

    The ranks n/2 ± 0.98 √n enclose it whatever the distribution is; fewer than six
    values do not, and all of them make the interval.
    """
    ordered = sorted(values)
    n, reach = len(ordered), 0.98 * sqrt(len(ordered))
    low, high = floor(n / 2 - reach), ceil(n / 2 + reach)
    return (ordered[min(high, n - 1)] - ordered[max(low - 1, 0)]) / 2
