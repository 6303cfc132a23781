"""What is known of every series at a commit, without the measurements themselves.

Tables of hundreds of cells are made of this: it reads the columns it needs.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from sqlalchemy.orm import Session

from scalewatch.services import jobs
from scalewatch.services.caches.editions import kept_at
from scalewatch.services.caches.lru import Kept
from scalewatch.services.expectations.composed import (
    ComposedExpectation,
    compositions_in_force,
    promised_ids,
)
from scalewatch.services.expectations.in_force import Expectation, in_force
from scalewatch.services.series.measurements import varied
from scalewatch.services.series.places import places_words
from scalewatch.services.series.standing import (
    Standing,
    State,
    findings_at,
    standing_of,
)
from scalewatch.storage import tables
from scalewatch.storage.commits.coordinates import Place
from scalewatch.storage.judgements import verdicts
from scalewatch.storage.machines import machines
from scalewatch.storage.runs import measurements
from scalewatch.storage.runs.flags import Flag, flags_in

KEPT: Final = 40_000
"""Series that are kept as they were read at commits: 3 kB each, with their models."""


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
    failures
        Where no run succeeded though others did, and why: `p = 32: out of memory`.
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
    composition: ComposedExpectation | None
    standing: Standing
    flags: Mapping[Flag, tuple[float, ...]]
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _JudgedCommit:
    """All series of a commit, and the machines that have not analysed theirs yet."""

    judged: tuple[Judged, ...]
    pending: frozenset[str]


_JUDGED: Final = Kept[_JudgedCommit](KEPT, lambda found: len(found.judged))


def judged_at(
    session: Session, project: tables.Project, commit_id: int, metrics: Collection[str]
) -> tuple[Judged, ...]:
    """Return all series of some metrics that were measured at a commit."""
    found = kept_at(
        session,
        commit_id,
        _JUDGED,
        (sorted(metrics), promised_ids(session, project.id)),
        lambda: _read(session, project, commit_id, metrics),
    )
    if not found.pending:
        return found.judged
    return _given_up(session, project, commit_id, found)


def _read(
    session: Session,
    project: tables.Project,
    commit_id: int,
    metrics: Collection[str],
) -> _JudgedCommit:
    expectations = in_force(session, project.id)
    compositions = compositions_in_force(session, project.id)
    found = findings_at(session, commit_id, metrics)
    taken = [
        row
        for row in measurements.taken_at(session, commit_id)
        if row.metric in metrics
    ]
    noted = _noted(session, commit_id, [row.id for row in taken if row.noted])
    places = {
        machine.id: (machine.name, slot)
        for slot, machine in enumerate(machines.of_project(session, project.id))
    }
    flags = _flags(session, commit_id, noted)
    failures = _failures(session, commit_id, noted)
    settings = measurements.settings_of(session, project.id)
    judged = []
    for row in taken:
        expectation = expectations.get((row.region, row.metric))
        composition = compositions.get((row.region, row.metric))
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
                composition=composition,
                standing=standing_at(
                    row.runs,
                    row.repetitions,
                    [n.reason for n in noted.get(row.id, ()) if not n.repetitions],
                    found.get(row.id),
                    expectation or composition,
                ),
                flags=flags.get(row.id, {}),
                failures=failures.get(row.id, ()) if row.runs else (),
            )
        )
    pending = {e.machine for e in judged if e.standing.state is State.PENDING}
    return _JudgedCommit(tuple(judged), frozenset(pending))


def standing_at(
    runs: int,
    repetitions: int | None,
    reasons: Sequence[str | None],
    found: Sequence[verdicts.Modelled] | None,
    expectation: Expectation | ComposedExpectation | None,
) -> Standing:
    """Return what is known of a series that was measured so often.

    Parameters
    ----------
    runs, repetitions
        How many have results of it, and the fewest repetitions in one.
    reasons
        Why runs have no result of it.
    """
    if not runs:
        named = sorted({reason for reason in reasons if reason})
        return Standing(State.FAILED, reason="; ".join(named) or None)
    if not found:
        return Standing(State.PENDING, points=runs, repetitions=repetitions or 0)
    return standing_of(found, expectation.id if expectation else None)


def _given_up(
    session: Session,
    project: tables.Project,
    commit_id: int,
    found: _JudgedCommit,
) -> tuple[Judged, ...]:
    """Return series, those as failed whose analysis was given up."""
    reasons = {
        row.name: jobs.failure(
            session, jobs.JobKind.ANALYSE, str(jobs.AnalysedCommit(commit_id, row.id))
        )
        for row in machines.of_project(session, project.id)
        if row.name in found.pending
    }
    return tuple(_failed(each, reasons.get(each.machine)) for each in found.judged)


def _failed(each: Judged, reason: str | None) -> Judged:
    if reason is None or each.standing.state is not State.PENDING:
        return each
    standing = replace(each.standing, state=State.FAILED, reason=reason)
    return replace(each, standing=standing)


def _noted(
    session: Session, commit_id: int, series: Collection[int]
) -> dict[int, list[measurements.Noted]]:
    """Return the points of series that one has to know something about."""
    noted = defaultdict(list)
    if series:
        for note in measurements.notes_on(session, commit_id, series):
            noted[note.series_id].append(note)
    return noted


def _flags(
    session: Session, commit_id: int, noted: Mapping[int, Sequence[measurements.Noted]]
) -> dict[int, Mapping[Flag, tuple[float, ...]]]:
    """Return where flags were raised, as settings of what was varied, by series."""
    flagged = {
        series_id: notes
        for series_id, notes in noted.items()
        if any(note.flags for note in notes)
    }
    if not flagged:
        return {}
    places = measurements.places_at(session, commit_id)
    return {
        series_id: _settings(
            [(flag, note.run_id) for note in notes for flag in flags_in(note.flags)],
            {note.run_id: places[note.run_id].coordinate for note in notes},
        )
        for series_id, notes in flagged.items()
    }


def _failures(
    session: Session, commit_id: int, noted: Mapping[int, Sequence[measurements.Noted]]
) -> dict[int, tuple[str, ...]]:
    """Return where nothing of a series was measured, and why, by series."""
    failed = {
        series_id: notes
        for series_id, notes in noted.items()
        if any(not note.repetitions for note in notes)
    }
    if not failed:
        return {}
    places = measurements.places_at(session, commit_id)
    where = {
        run_id: tuple(sorted(place.coordinate.items()))
        for run_id, place in places.items()
    }
    found = {}
    for series_id, notes in failed.items():
        measured = {where[note.run_id] for note in notes if note.repetitions}
        reasons: dict[str, set[Place]] = defaultdict(set)
        for note in notes:
            if where[note.run_id] not in measured:
                reasons[note.reason or "no reason given"].add(where[note.run_id])
        found[series_id] = tuple(
            f"{places_words(at)}: {why}" for why, at in reasons.items()
        )
    return found


def _settings(
    raised: Sequence[tuple[Flag, int]], coordinates: Mapping[int, Mapping[str, Any]]
) -> Mapping[Flag, tuple[float, ...]]:
    """Return where each flag was raised on one series, by the runs that raised it."""
    parameter = varied(list(coordinates.values()))
    at: dict[Flag, set[float]] = {flag: set() for flag in Flag}
    for flag, run_id in raised:
        at[flag].add(float(coordinates[run_id].get(parameter, 1)))
    return {flag: tuple(sorted(settings)) for flag, settings in at.items() if settings}
