"""The cheapest measurement that would settle what is undecided, and what it costs.

What a single job shows needs the same runs again; a verdict that is open for lack
of points or for noise needs what `modelling.next_measurement` proposes. A run costs
what the one before it took, by the times of its job where these are known.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Final

from scalewatch.figures.notation import places_words
from scalewatch.services.analysis.questions import STARTUP
from scalewatch.services.commit_reports.factors import JOBS
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage.commits import coverage
from scalewatch.storage.commits.coverage import Place, Spent
from scalewatch.texts.scales import axis_of, hours_of
from scalewatch.wire import SECONDS

ALONE: Final[tuple[Mapping[str, float], ...]] = ({"p": 1},)
"""The place of benchmarks without a parameter, which says nothing, as their cost does:
nobody knows their cores."""


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
    hours, hours_unit
        What it costs, about: `core-hours`, `node-hours`.
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
    hours: float
    settles: float | None
    hours_unit: str = field(init=False)
    sentence: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hours_unit", hours_of(set().union(*self.at)))
        object.__setattr__(self, "sentence", self._words())

    def _words(self) -> str:
        where = places_words([tuple(sorted(place.items())) for place in self.at])
        cost = f"≈ {self.hours:.2g} {self.hours_unit}"
        if self.region is None and self.at == ALONE:
            return f"rerun on {self.machine}"
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
            at=tuple(map(dict, sorted(by_place))),
            repetitions=None,
            hours=sum(map(hours_spent, by_place.values())),
            settles=None,
        )


def jobs_at(commit: CommitSnapshot, machine_id: int, machine: str) -> MachineJobs:
    """Return the runs of a commit on a machine, given by its id and its name."""
    session, commit_id = commit.session, commit.commit_id
    return commit.kept(
        ("jobs", machine_id, machine),
        lambda: _jobs(
            machine,
            coverage.spent(session, commit_id, machine_id),
            coverage.runs_by_series(session, commit_id, machine_id),
        ),
    )


def cheapest(steps: Iterable[NextStep | None]) -> NextStep | None:
    """Return the cheapest of some steps, None if there is none."""
    return min(
        (step for step in steps if step is not None),
        key=lambda step: step.hours,
        default=None,
    )


def hours_spent(run: Spent) -> float:
    """Return what a run cost: its cores, nodes or GPUs for as long as its job took."""
    at = run.coordinate
    scale = axis_of(sorted(at))
    held = 1 if scale is None else at[scale.name]
    if scale is not None and scale.name == "p":
        held *= at.get("threads", 1)
    return float(held * _seconds(run) / 3600)


def _seconds(run: Spent) -> float:
    job = run.scheduler_job or {}
    begin, end = job.get("started_at"), job.get("ended_at")
    if begin and end:
        took = datetime.fromisoformat(end) - datetime.fromisoformat(begin)
        if took.total_seconds() > 0:
            return took.total_seconds()
    return STARTUP + sum(SECONDS.get(u, 0.0) * total for u, total in run.times.items())


def _jobs(
    machine: str, spent: Sequence[Spent], measured: Mapping[int, Sequence[int]]
) -> MachineJobs:
    """Return the runs on a machine.

    Parameters
    ----------
    measured
        Runs in which each series succeeded, by ids.
    """
    place = {each.run_id: tuple(sorted(each.coordinate.items())) for each in spent}

    @cache
    def lacking(*runs: int) -> tuple[int, ...]:
        """Return those that are too few; most series were measured by the same."""
        counts = Counter(place[run] for run in runs)
        return tuple(run for run in runs if counts[place[run]] < JOBS)

    by_series = {series: lacking(*runs) for series, runs in measured.items()}
    return MachineJobs(machine, {each.run_id: each for each in spent}, by_series)
