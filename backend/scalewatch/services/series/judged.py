"""Series as they stand at a commit, without the measurements themselves."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Any, Final, Protocol

from scalewatch.figures.notation import places_words
from scalewatch.services.expectations.in_force import ComposedExpectation, Expectation
from scalewatch.services.series.standing import Standing, State, standing_of
from scalewatch.storage.commits.coverage import Place
from scalewatch.storage.judgements.verdicts import Modelled
from scalewatch.storage.runs.measurements import Middle, Noted, RunCoordinate
from scalewatch.storage.runs.points import Flag, flags_in
from scalewatch.texts.scales import axis_of

PROCESSES: Final = "p"
"""Parameter over which a scan is drawn, wherever it varies."""

NO_REASON: Final = "no reason given"

Runs = Mapping[int, RunCoordinate]
"""Runs of a commit by id, with where each measured."""


class Placed(Protocol):
    """A series at a commit, with where it was measured."""

    @property
    def series_id(self) -> int:
        """Id of its row."""

    @property
    def region(self) -> str:
        """The region that was timed."""

    @property
    def machine(self) -> str:
        """Name of the machine."""

    @property
    def slot(self) -> int:
        """Position of the machine among the project's."""

    @property
    def configuration(self) -> Mapping[str, Any]:
        """Settings that it holds fixed."""

    @property
    def standing(self) -> Standing:
        """Its model and verdict."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A series at a commit: where it belongs and what is known of it.

    Parameters
    ----------
    slot
        Position of the machine among the project's: it fixes the machine's colour.
    flags, parameter
        Where each was raised, as settings of the parameter that varies.
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
    parameter: str = PROCESSES
    failures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FailedSeries:
    """A series of which runs failed at a commit.

    Parameters
    ----------
    failures
        Where none succeeded, and why: `p = 32: out of memory`.
    """

    region: str
    metric: str
    machine: str
    failures: tuple[str, ...]

    @classmethod
    def among(cls, series: Iterable["MayFail"]) -> tuple["FailedSeries", ...]:
        """Return those of which runs failed, wholly or at some settings."""
        return tuple(
            cls(each.region, each.metric, each.machine, failures)
            for each in series
            if (failures := _all_failures(each.standing, each.failures))
        )


class MayFail(Placed, Protocol):
    """A series of a metric at a commit, of which runs may have failed."""

    @property
    def metric(self) -> str:
        """The metric, `time` unless it has another name."""

    @property
    def failures(self) -> tuple[str, ...]:
        """Where no run succeeded though others did, and why."""


def _all_failures(standing: Standing, failures: tuple[str, ...]) -> tuple[str, ...]:
    if standing.is_failed and not standing.points:
        return (f"every setting: {standing.reason or NO_REASON}",)
    return failures


@dataclass(frozen=True, slots=True)
class Places:
    """The places of one series at a commit.

    Parameters
    ----------
    tried, measured
        Where a run brought it, and where one of these succeeded.
    """

    tried: frozenset[Place]
    measured: frozenset[Place]


@dataclass(frozen=True, slots=True)
class Middles:
    """Medians of one series along what was varied.

    Parameters
    ----------
    parameter
        What was varied.
    values
        The median at each setting of it; of several runs, the median of theirs.
    """

    parameter: str
    values: Mapping[float, float]


def standing_at(
    runs: int,
    repetitions: int | None,
    reasons: Iterable[str | None],
    models: Sequence[Modelled] | None,
    expectation: Expectation | ComposedExpectation | None,
) -> Standing:
    """Return what is known of a series that was measured so often.

    Parameters
    ----------
    runs, repetitions
        How many have results of it, and the fewest repetitions in one.
    reasons
        Why runs have no result of it.
    models
        Its model, once for each verdict on it.
    """
    if not runs:
        named = sorted({reason for reason in reasons if reason})
        return Standing(State.FAILED, reason="; ".join(named) or None)
    if not models:
        return Standing(State.PENDING, points=runs, repetitions=repetitions or 0)
    return standing_of(models, expectation.id if expectation else None)


def flags_at(
    runs: Runs, notes: Sequence[Noted], scale: str | None
) -> tuple[str, Mapping[Flag, tuple[float, ...]]]:
    """Return what was varied along one series, and where on it flags were raised."""
    coordinates = {note.run_id: runs[note.run_id].coordinate for note in notes}
    parameter = varied(list(coordinates.values()), scale)
    at: dict[Flag, set[float]] = {flag: set() for flag in Flag}
    for note in notes:
        for flag in flags_in(note.flags):
            at[flag].add(float(coordinates[note.run_id].get(parameter, 1)))
    raised = {flag: tuple(sorted(x)) for flag, x in at.items() if x}
    return parameter, raised


def failures_at(runs: Runs, notes: Sequence[Noted]) -> tuple[str, ...]:
    """Return where nothing of one series was measured, and why."""
    place = {note.run_id: _place(runs[note.run_id]) for note in notes}
    measured = {place[note.run_id] for note in notes if note.repetitions}
    reasons: dict[str, set[Place]] = defaultdict(set)
    for note in notes:
        if place[note.run_id] not in measured:
            reasons[note.reason or NO_REASON].add(place[note.run_id])
    return tuple(f"{places_words(at)}: {reason}" for reason, at in reasons.items())


def medians_by_series(
    runs: Runs, middles: Iterable[Middle], scale: str | None
) -> dict[int, Middles]:
    """Return the medians of series along what was varied."""

    @cache
    def along(*of_runs: int) -> tuple[str, tuple[float, ...]]:
        """Return what varies along runs, and its settings; many series share them."""
        coordinates = [runs[run].coordinate for run in of_runs]
        parameter = varied(coordinates, scale)
        return parameter, tuple(float(at.get(parameter, 1)) for at in coordinates)

    measured: dict[int, dict[int, float]] = defaultdict(dict)
    for middle in middles:
        if middle.median is not None:
            measured[middle.series_id][middle.run_id] = middle.median
    return {
        series_id: _along(*along(*by_run), [*by_run.values()])
        for series_id, by_run in measured.items()
    }


def places_by_series(runs: Runs, notes: Iterable[Noted]) -> dict[int, Places]:
    """Return the places of series; most share theirs with others."""
    place = {run_id: _place(run) for run_id, run in runs.items()}
    points: dict[int, set[tuple[int, bool]]] = defaultdict(set)
    for note in notes:
        points[note.series_id].add((note.run_id, note.repetitions > 0))

    @cache
    def places(tried: frozenset[tuple[int, bool]]) -> Places:
        return Places(
            frozenset(place[run] for run, _ in tried),
            frozenset(place[run] for run, is_measured in tried if is_measured),
        )

    return {series_id: places(frozenset(tried)) for series_id, tried in points.items()}


def varied(
    coordinates: Sequence[Mapping[str, Any]], preferred: str | None = None
) -> str:
    """Return the parameter that varies along a scan, a parallel scale before others.

    The preferred scale where several vary; p where nothing is named.
    """
    names = sorted(set.intersection(*(set(at) for at in coordinates)))
    varying = [name for name in names if len({at[name] for at in coordinates}) > 1]
    candidates = varying or names or [PROCESSES]
    scale = axis_of(candidates, preferred)
    return scale.name if scale else candidates[0]


def _place(run: RunCoordinate) -> Place:
    return tuple(sorted(run.coordinate.items()))


def _along(
    parameter: str, settings: Sequence[float], middles: Sequence[float]
) -> Middles:
    values: dict[float, list[float]] = defaultdict(list)
    for x, middle in zip(settings, middles, strict=True):
        values[x].append(middle)
    return Middles(
        parameter,
        {
            x: at_x[0] if len(at_x) == 1 else median(at_x)
            for x, at_x in sorted(values.items())
        },
    )
