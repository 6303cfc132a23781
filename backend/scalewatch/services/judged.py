"""What is known of every series at a commit, without the measurements themselves.

Tables of hundreds of cells are made of this: it reads the columns it needs.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol

from sqlalchemy.orm import Session

from scalewatch.services import jobs
from scalewatch.services.measurements import Flag, flags_in, varied
from scalewatch.services.standings import (
    Expectation,
    Found,
    Standing,
    State,
    expectation_of,
    findings_at,
    standing_of,
)
from scalewatch.storage import expectations, machines, measurements, tables

Promises = Mapping[tuple[str, str], tuple[int | None, Expectation | None]]


class Placed(Protocol):
    """A series at a commit, with where it was measured."""

    @property
    def series_id(self) -> int:
        """Id of its row."""

    @property
    def region(self) -> str:
        """What was timed."""

    @property
    def machine(self) -> str:
        """Where."""

    @property
    def slot(self) -> int:
        """Position of the machine among the project's."""

    @property
    def configuration(self) -> Mapping[str, Any]:
        """What was held fixed."""

    @property
    def standing(self) -> Standing:
        """What is known of it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A series at a commit: where it belongs and what is known of it.

    Parameters
    ----------
    slot
        Position of the machine among the project's: it fixes the machine's colour.
    flags
        Where each was raised, as settings of the parameter.
    """

    series_id: int
    region: str
    metric: str
    unit: str
    better: str
    machine: str
    slot: int
    configuration: Mapping[str, Any]
    expectation: Expectation | None
    standing: Standing
    flags: Mapping[Flag, tuple[float, ...]]


def judged_at(
    session: Session,
    project: tables.Project,
    commit: tables.Commit,
    metrics: Collection[str],
) -> tuple[Judged, ...]:
    """Return all series of some metrics that were measured at a commit."""
    wanted = (session, commit.id, metrics)
    found = findings_at(*wanted)
    taken = measurements.taken_at(*wanted)
    noted: dict[int, list[measurements.Noted]] = defaultdict(list)
    for note in measurements.noted_at(*wanted):
        noted[note.series_id].append(note)
    promises = promises_of(session, project.id)
    failure = _failures(session, commit.id)
    places = {
        machine.id: (machine.name, slot)
        for slot, machine in enumerate(machines.of_project(session, project.id))
    }
    flags = _flags(session, commit.id, noted)
    settings = measurements.settings_of(session, project.id)
    judged = []
    for row in measurements.series_by_id(session, taken.keys()):
        expectation_id, expectation = promises.get(
            (row.region, row.metric), (None, None)
        )
        standing = standing_at(
            taken[row.id],
            [note.reason for note in noted[row.id]],
            found.get(row.id),
            expectation_id,
        )
        if standing.state is State.PENDING and (why := failure(row.machine_id)):
            standing = replace(standing, state=State.FAILED, reason=why)
        name, slot = places[row.machine_id]
        judged.append(
            Judged(
                series_id=row.id,
                region=row.region,
                metric=row.metric,
                unit=row.unit,
                better=row.better,
                machine=name,
                slot=slot,
                configuration=settings[row.configuration_id],
                expectation=expectation,
                standing=standing,
                flags=flags.get(row.id, {}),
            )
        )
    return tuple(judged)


def promises_of(session: Session, project_id: int) -> Promises:
    """Return the expectation of each region and metric, with its id."""
    return {
        (row.region, row.metric): (row.id, expectation_of(row))
        for row in expectations.of_project(session, project_id)
    }


def standing_at(
    taken: measurements.Taken,
    reasons: Sequence[str | None],
    found: Found | None,
    expectation_id: int | None,
) -> Standing:
    """Return what is known of a series that was measured so often.

    Parameters
    ----------
    reasons
        Why runs have no result of it.
    """
    if not taken.runs:
        named = sorted({reason for reason in reasons if reason})
        return Standing(State.FAILED, reason="; ".join(named) or None)
    if found is None:
        fewest = taken.repetitions or 0
        return Standing(State.PENDING, points=taken.runs, repetitions=fewest)
    return standing_of(found, expectation_id)


def _failures(session: Session, commit_id: int) -> Callable[[int], str | None]:
    """Return a function that tells why the analysis on a machine was given up."""

    @cache
    def failure(machine_id: int) -> str | None:
        subject = str(jobs.Subject(commit_id, machine_id))
        return jobs.failure(session, jobs.Kind.ANALYSE, subject)

    return failure


def _flags(
    session: Session, commit_id: int, noted: Mapping[int, Sequence[measurements.Noted]]
) -> dict[int, Mapping[Flag, tuple[float, ...]]]:
    """Return where flags were raised, as settings of what was varied, by series."""
    raised = {
        series_id: [
            (flag, note.run_id) for note in notes for flag in flags_in(note.flags)
        ]
        for series_id, notes in noted.items()
    }
    raised = {series_id: flags for series_id, flags in raised.items() if flags}
    if not raised:
        return {}
    places = measurements.places_at(session, commit_id)
    runs: dict[int, list[int]] = defaultdict(list)
    for series_id, run_id in measurements.runs_of(session, commit_id, raised):
        runs[series_id].append(run_id)
    return {
        series_id: _settings(
            flags, {run_id: places[run_id].coordinate for run_id in runs[series_id]}
        )
        for series_id, flags in raised.items()
    }


def _settings(
    raised: Sequence[tuple[Flag, int]], coordinates: Mapping[int, Mapping[str, Any]]
) -> Mapping[Flag, tuple[float, ...]]:
    """Return where each flag was raised on one series, by the runs that raised it."""
    parameter = varied(list(coordinates.values()))
    at: dict[Flag, set[float]] = {flag: set() for flag in Flag}
    for flag, run_id in raised:
        at[flag].add(float(coordinates[run_id].get(parameter, 1)))
    return {flag: tuple(sorted(settings)) for flag, settings in at.items() if settings}
