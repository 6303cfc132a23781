"""Foreign measurements as runs, so that they can be posted like any others."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from statistics import fmean
from typing import Any, Final, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from pydantic import ValidationError

from scalewatch.errors import NotARun, UnknownOrigin
from scalewatch.importers import ImportedMeasurement, Provenance
from scalewatch.importers.series import OWN_TIME, addressable
from scalewatch.wire import TIME, RunReport, faults, without_metadata
from scalewatch.wire.fields import Direction, stated_direction, told_direction

SUITE: Final = "imported"


FAILED_IN_PART: Final = "some of its runs failed"
FAILED: Final = "the file says that it failed, or has no value"
"""Why nothing of a series is known at a setting: said to servers, and by the gate."""

Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ImportOrigin:
    """Project, commit and machine of measurements whose files do not say them.

    Parameters
    ----------
    machine
        The machine of files that name none.
    commit
        Fields of the commit, as an agent would post them, of files that name none.
    better
        Directions by metric that units do not tell; that of `*` is for all others.
    """

    project: str
    machine: str | None
    commit: Mapping[str, Any] | None
    suite: str = SUITE
    better: Mapping[str, Direction] = field(default_factory=dict)


@dataclass(slots=True)
class Runs:
    """The runs that measurements make, and an error for each that they do not make.

    `notes` say what of their commits could not be taken.
    """

    reports: list[RunReport] = field(default_factory=list)
    errors: list[NotARun] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def runs_of(measurements: Iterable[ImportedMeasurement], origin: ImportOrigin) -> Runs:
    """Return a run per file, coordinate and configuration, in order of appearance.

    The id of a run follows from its content: importing a file twice changes nothing,
    whatever stands beside it.

    Raises
    ------
    UnknownOrigin
        If neither a file nor `origin` knows commit or machine.
    """

    def results(_place: _RunPlace, taken: list[ImportedMeasurement]) -> Settings | None:
        measured = list(_results(taken, origin.better))
        return {"results": measured} if measured else None

    return _runs(measurements, origin, results)


def profiles_of(
    measurements: Iterable[ImportedMeasurement], origin: ImportOrigin
) -> Runs:
    """Return a run per file, coordinate and configuration, whose result is a profile.

    Regions are its functions. Repetitions of a function become their mean, so that the
    times of all functions still add up.

    Raises
    ------
    UnknownOrigin
        If neither a file nor `origin` knows commit or machine.
    """
    return _runs(
        _own_times(measurements),
        origin,
        lambda place, taken: {"profile": _profile(place, taken)},
    )


def _own_times(
    measurements: Iterable[ImportedMeasurement],
) -> Sequence[ImportedMeasurement]:
    """Return exclusive times alone of files that have them beside inclusive ones."""
    every = list(measurements)
    exclusive = [each for each in every if each.subject.metric == OWN_TIME]
    sources = {each.provenance.source for each in exclusive}
    return [
        each
        for each in every
        if each.subject.metric == OWN_TIME or each.provenance.source not in sources
    ]


class _RunPlace(NamedTuple):
    """The settings and the provenance that all measurements of a run share."""

    coordinate: Settings
    configuration: Settings
    provenance: Provenance
    dependent: Mapping[str, float]

    def is_no_run(self, name: str, fault: str) -> NotARun:
        return NotARun(self.coordinate, name, fault, self.provenance.source)


def _runs(
    measurements: Iterable[ImportedMeasurement],
    origin: ImportOrigin,
    measured: Callable[[_RunPlace, list[ImportedMeasurement]], Settings | None],
) -> Runs:
    runs = Runs()
    for place, taken in _by_place(measurements):
        try:
            if (fields := measured(place, taken)) is not None:
                report, notes = _run(place, fields, origin)
                runs.reports.append(report)
                runs.notes += (each for each in notes if each not in runs.notes)
        except NotARun as error:
            runs.errors.append(error)
    return runs


def _by_place(
    measurements: Iterable[ImportedMeasurement],
) -> Iterator[tuple[_RunPlace, list[ImportedMeasurement]]]:
    places: dict[Any, list[ImportedMeasurement]] = {}
    for measurement in measurements:
        subject = measurement.subject
        coordinate = frozenset(
            zip(subject.parameters, measurement.coordinate, strict=True)
        )
        configuration = frozenset(subject.configuration)
        key = (coordinate, configuration, measurement.provenance)
        places.setdefault(key, []).append(measurement)
    for (coordinate, configuration, provenance), taken in places.items():
        settings = {
            name: (int(value) if value.is_integer() else value)
            for name, value in sorted(coordinate)
        }
        dependent = dict(taken[0].dependent)
        yield (
            _RunPlace(settings, dict(sorted(configuration)), provenance, dependent),
            taken,
        )


def _run(
    place: _RunPlace, measured: Settings, origin: ImportOrigin
) -> tuple[RunReport, list[str]]:
    provenance = place.provenance
    commit = _commit(provenance, origin)
    machine = provenance.machine or origin.machine
    if not commit or not machine:
        known = {"commit": commit, "machine": machine}
        missing = (name for name, value in known.items() if not value)
        raise UnknownOrigin(provenance.source, *missing)
    job = {
        "id": provenance.job,
        "started_at": provenance.started_at,
        "ended_at": provenance.ended_at,
    }
    job = {key: value for key, value in job.items() if value is not None}
    content = {
        "schema": 1,
        "project": origin.project,
        "suite": origin.suite,
        "commit": commit,
        "machine": {"name": machine},
        "coordinate": place.coordinate,
        "configuration": place.configuration,
        **({"job": job} if job else {}),
        **measured,
    }
    identity = json.dumps([content, provenance.repetition], sort_keys=True)
    number = uuid5(NAMESPACE_URL, identity)
    content["id"] = number
    if place.dependent:
        content["dependent"] = dict(place.dependent)
    notes: list[str] = []
    try:
        return RunReport.model_validate(content, strict=False), notes
    except ValidationError as error:
        if not (sound := without_metadata(content, error)):
            fault = faults(error)[0]
            raise place.is_no_run(fault.field, fault.message) from None
    content, notes = sound
    try:
        return RunReport.model_validate(content, strict=False), notes
    except ValidationError as error:
        fault = faults(error)[0]
        raise place.is_no_run(fault.field, fault.message) from None


def _commit(provenance: Provenance, origin: ImportOrigin) -> Settings | None:
    """Return the commit that a file names, or else the one of the import."""
    if provenance.commit is None:
        return origin.commit
    known = {
        "sha": provenance.commit,
        "branch": provenance.branch,
        "committed_at": provenance.committed_at,
        "parents": provenance.parents,
    }
    return {key: value for key, value in known.items() if value}


def _results(
    measurements: Iterable[ImportedMeasurement], better: Mapping[str, Direction]
) -> Iterator[dict[str, Any]]:
    """Yield results; a measurement without any value is one that failed."""
    for measurement in measurements:
        subject = measurement.subject
        values = [value for value in measurement.values if not isnan(value)]
        direction = stated_direction(better, subject.metric) or told_direction(
            subject.metric, subject.usual_unit
        )
        failed = {"status": "failed", "reason": FAILED}
        yield {
            "region": addressable(subject.region),
            "metric": addressable(subject.metric),
            "unit": subject.usual_unit,
            "values": values,
            **({"better": direction} if direction else {}),
            **({"exact": True} if subject.is_exact else {}),
            **({} if values else failed),
        }


def _profile(
    place: _RunPlace, measurements: Sequence[ImportedMeasurement]
) -> dict[str, Any]:
    functions = []
    for measurement in measurements:
        subject, values = measurement.subject, measurement.values
        if subject.metric not in {TIME, OWN_TIME}:
            fault = f"a profile is of time, and {subject.region} has {subject.metric}"
            raise place.is_no_run("profile", fault)
        known = [value for value in values if not isnan(value)]
        if known:
            region = addressable(subject.region)
            functions.append({"region": region, "seconds": fmean(known)})
    return {"functions": functions}


MOST_KNOWN: Final = 100_000
"""Settings of series that are remembered while many files are read."""


@dataclass(slots=True)
class SharedSeries:
    """Memory of the series in files read so far, by which doubles are noticed.

    A table says only what its columns say: measurements of two programs in two files
    would become repetitions of each other where their runs are posted.
    """

    _known: dict[int, str] = field(default_factory=dict)
    _pair: tuple[str, str] | None = None
    _files: set[str] = field(default_factory=set)

    def add(self, measurements: Iterable[ImportedMeasurement]) -> None:
        """Remember the series of measurements, and note doubles among them."""
        for measurement in measurements:
            provenance, subject = measurement.provenance, measurement.subject
            source = provenance.source
            if source is None or not any(key == "file" for key, _ in subject.origin):
                continue
            series = subject._replace(origin=())
            place = provenance.commit, provenance.machine
            key = hash((series, measurement.coordinate, place))
            first = self._known.get(key)
            if first is None and len(self._known) < MOST_KNOWN:
                self._known[key] = source
            elif first not in {None, source}:
                self._pair = self._pair or (str(first), source)
                self._files.add(source)

    def notes(self) -> Iterator[str]:
        """Yield a sentence if files share series."""
        if self._pair is not None:
            first, second = self._pair
            count = len(self._files)
            hold = "holds" if count == 1 else f"and {count - 1} more hold"
            yield (
                f"{second} {hold} series that {first} holds at the same settings: "
                "posted, they are repetitions of each other, unless a pattern tells "
                "them apart, as `--path '{case:word}.txt'` does"
            )
