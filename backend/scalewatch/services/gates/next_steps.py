"""The cheapest measurement that would settle what the gate leaves open.

A single job needs the same runs again; a verdict that is open for lack of points or for
noise needs what `modelling.next_measurement` proposes.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.analysis.pools import SeriesPool
from scalewatch.services.analysis.questions import SeriesQuestion, proposed
from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.commit_reports.comparison import Comparison
from scalewatch.services.commit_reports.pairs import ChangeKind
from scalewatch.services.confirmations.next_steps import (
    MachineJobs,
    NextStep,
    cheapest,
    jobs_at,
)
from scalewatch.services.expectations.in_force import Expectation
from scalewatch.services.gates.decision import Decision
from scalewatch.services.gates.findings import Placed
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage import machines

MOST_ASKED: Final = 4
"""Series for which a measurement is worked out; the cheapest of them is proposed."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Runs that series of a commit still need for a second job.

    Parameters
    ----------
    jobs
        Runs of the commit by machine, of those that were asked about.
    series
        Noisy series by region, metric and machine.
    """

    jobs: Mapping[str, MachineJobs]
    series: Mapping[tuple[str, str, str], Sequence[SeriesChange]]

    def step(self, place: Placed) -> NextStep | None:
        """Return the runs that the series of a place lack; None if they lack none."""
        if place.machine not in self.jobs:
            return None
        settings = place.configuration.items()
        here = self.series.get((place.region, place.metric, place.machine), ())
        having = [e.series_id for e in here if settings <= e.configuration.items()]
        return self.jobs[place.machine].step(having)

    def words(self, place: Placed) -> str | None:
        """Return the runs that the series of a place lack, in words."""
        step = self.step(place)
        return None if step is None else step.sentence


def next_step(
    session: Session, comparison: Comparison, decision: Decision
) -> NextStep | None:
    """Return the cheapest measurement that would settle something."""
    if not decision.findings:
        return deciding_step(comparison.after, comparison.changes)
    suspected = [each for each in decision.findings if each.is_suspicion]
    return cheapest(map(steps_of(session, comparison, suspected).step, suspected))


def steps_of(session: Session, commit: Comparison, places: Iterable[Placed]) -> Steps:
    """Read which runs the machines of some places still have to make."""
    named = {place.machine for place in places}
    series: dict[tuple[str, str, str], list[SeriesChange]] = defaultdict(list)
    for change in commit.changes:
        if not change.is_exact:
            series[change.region, change.metric, change.machine].append(change)
    return Steps(
        {
            each.name: jobs_at(commit.after, each.id, each.name)
            for each in machines.of_project(session, commit.project.id)
            if each.name in named
        },
        series,
    )


def deciding_step(
    commit: CommitSnapshot, changes: Iterable[SeriesChange]
) -> NextStep | None:
    """Return the cheapest measurement that would settle one of the open verdicts."""
    undecided = [
        each
        for each in changes
        if each.kind is ChangeKind.UNDECIDED and not each.after.is_crowded
    ][:MOST_ASKED]
    expectations = commit.expectations
    expected = [e for e in undecided if (e.region, e.metric) in expectations]
    pools = commit.pools([each.series_id for each in expected]) if expected else {}
    proposals = (
        _proposal(each, expectations[each.region, each.metric], pools[each.series_id])
        for each in expected
        if each.series_id in pools
    )
    return cheapest(proposals)


def _proposal(
    change: SeriesChange, expectation: Expectation, pool: SeriesPool
) -> NextStep | None:
    """Return what would settle the verdict on one series, if anything can."""
    question = SeriesQuestion.of(pool, expectation, change.after.noise)
    proposal = proposed(question, change.metric, change.unit)
    if proposal is None:
        return None
    return NextStep(
        machine=change.machine,
        region=change.region,
        metric=change.metric,
        at=(proposal.at,),
        repetitions=proposal.repetitions,
        hours=proposal.hours,
        settles=proposal.settles,
    )
