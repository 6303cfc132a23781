"""The cheapest measurement that would settle what is undecided, and what it costs.

What a single job shows needs the same runs again; a verdict that is open for lack
of points or for noise needs what `modelling.next_measurement` proposes. A run costs
what the one before it took, by the times of its job where these are known.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.errors import ModellingError
from scalewatch.figures.notation import places_words
from scalewatch.services.analysis.pools import pooled
from scalewatch.services.analysis.questions import STARTUP, SeriesQuestion, proposed
from scalewatch.services.caches import kept_at
from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.commit_reports.factors import JOBS
from scalewatch.services.commit_reports.pairs import ChangeKind
from scalewatch.services.expectations.in_force import in_force
from scalewatch.services.shared_cores import left_out_at
from scalewatch.storage import tables
from scalewatch.storage.commits import coordinates, coverage
from scalewatch.storage.commits.coordinates import Place
from scalewatch.storage.commits.coverage import Spent
from scalewatch.storage.runs import points, samples
from scalewatch.wire import SECONDS

MOST_ASKED: Final = 4
"""Series for which a measurement is worked out; the cheapest of them is proposed."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """The cheapest measurement that would settle something.

    Parameters
    ----------
    region, metric
        What to measure; None for the same runs once more.
    at
        Where to measure.
    repetitions
        How many; None for as many as before.
    core_hours
        What it costs, about.
    settles
        Probability that the verdict is settled thereby; None for a confirming run.
    sentence
        What to do, and what it costs.
    """

    machine: str
    region: str | None
    metric: str | None
    at: tuple[Mapping[str, float], ...]
    repetitions: int | None
    core_hours: float
    settles: float | None
    sentence: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sentence", self._words())

    def _words(self) -> str:
        where = places_words([tuple(sorted(place.items())) for place in self.at])
        cost = f"≈ {self.core_hours:.2g} core-hours"
        if self.region is None:
            return f"rerun on {self.machine} at {where} ({cost})"
        return (
            f"measure {self.region} ({self.metric}) on {self.machine} at {where}, "
            f"{self.repetitions} repetitions ({cost}): settles it with a probability "
            f"of {self.settles:.0%}"
        )


@dataclass(frozen=True, slots=True)
class MachineJobs:
    """Runs of a commit on a machine.

    Parameters
    ----------
    spent
        What each run took, by its id.
    lacking
        Of each series the runs at whose coordinate too few jobs have measured it.
    """

    machine: str
    spent: Mapping[int, Spent]
    lacking: Mapping[int, tuple[int, ...]]

    def step(self, series_ids: Iterable[int]) -> NextStep | None:
        """Return the runs of series that lack a second job; None if none does."""
        runs = {run for each in series_ids for run in self.lacking.get(each, ())}
        if not runs:
            return None
        # One job can be several runs at a coordinate, which took its time together.
        by_place: dict[Place, Spent] = {}
        for run in sorted(runs):
            spent = self.spent[run]
            by_place.setdefault(tuple(sorted(spent.coordinate.items())), spent)
        return NextStep(
            machine=self.machine,
            region=None,
            metric=None,
            at=tuple(map(dict, by_place)),
            repetitions=None,
            core_hours=sum(map(core_hours, by_place.values())),
            settles=None,
        )


def confirming_step(
    session: Session,
    commit_id: int,
    place: tuple[int, str],
    series_ids: Iterable[int],
) -> NextStep | None:
    """Return the runs of some series that lack a second job; None if none does.

    Parameters
    ----------
    place
        Id and name of the machine that measured them.
    """
    return jobs_at(session, commit_id, *place).step(series_ids)


def jobs_at(
    session: Session, commit_id: int, machine_id: int, machine: str
) -> MachineJobs:
    """Return the runs of a commit on a machine, given by its id and its name."""
    return kept_at(
        session,
        commit_id,
        ("jobs", machine_id, machine),
        lambda: _jobs(session, commit_id, machine_id, machine),
    )


def _jobs(
    session: Session, commit_id: int, machine_id: int, machine: str
) -> MachineJobs:
    spent = {
        each.run_id: each for each in coverage.spent(session, commit_id, machine_id)
    }
    place = {run: tuple(sorted(took.coordinate.items())) for run, took in spent.items()}

    @cache
    def lacking(*runs: int) -> tuple[int, ...]:
        """Return those that are too few; most series were measured by the same."""
        counts = Counter(place[run] for run in runs)
        return tuple(run for run in runs if counts[place[run]] < JOBS)

    measured = coordinates.runs_by_series(session, commit_id, machine_id)
    by_series = {series: lacking(*runs) for series, runs in measured.items()}
    return MachineJobs(machine, spent, by_series)


def deciding_step(
    session: Session,
    project: tables.Project,
    commit_id: int,
    changes: Iterable[SeriesChange],
) -> NextStep | None:
    """Return the cheapest measurement that would settle one of the open verdicts."""
    undecided = [
        each
        for each in changes
        if each.kind is ChangeKind.UNDECIDED and not each.after.is_crowded
    ]
    proposals = (
        _proposal(session, project, commit_id, each) for each in undecided[:MOST_ASKED]
    )
    return min(
        (step for step in proposals if step is not None),
        key=lambda step: step.core_hours,
        default=None,
    )


def core_hours(run: Spent) -> float:
    """Return what a run cost: its cores, for as long as its job took."""
    cores = run.coordinate.get("p", 1) * run.coordinate.get("threads", 1)
    return float(cores * _seconds(run) / 3600)


def _seconds(run: Spent) -> float:
    job = run.scheduler_job or {}
    begin, end = job.get("started_at"), job.get("ended_at")
    if begin and end:
        took = datetime.fromisoformat(end) - datetime.fromisoformat(begin)
        if took.total_seconds() > 0:
            return took.total_seconds()
    return STARTUP + sum(SECONDS.get(u, 0.0) * total for u, total in run.times.items())


def _proposal(
    session: Session,
    project: tables.Project,
    commit_id: int,
    change: SeriesChange,
) -> NextStep | None:
    """Return what would settle the verdict on one series, if anything can."""
    expectation = in_force(session, project.id).get((change.region, change.metric))
    if expectation is None:
        return None
    points_at = points.of_series(session, commit_id, [change.series_id])
    left_out = left_out_at(session, commit_id, points_at)
    measured = [each for each in points_at if each.count and each not in left_out]
    if not measured:
        return None
    blobs = samples.of_runs(session, {each.run_id for each in measured})
    try:
        pool = pooled(
            [each.coordinate for each in measured],
            [blobs[m.run_id][m.start : m.start + m.count] for m in measured],
        )
    except ModellingError:
        return None
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
        core_hours=proposal.core_hours,
        settles=proposal.settles,
    )
