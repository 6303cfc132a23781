"""Foreign measurements as runs, so that they can be posted like any others."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from statistics import fmean
from typing import Any, Final, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from pydantic import ValidationError

from scalewatch.errors import NotARun
from scalewatch.importers import ImportedMeasurement, Provenance
from scalewatch.storage.database.digests import canonical
from scalewatch.wire import RunReport, faults
from scalewatch.wire.directions import stated_direction

SUITE: Final = "imported"
TIME: Final = "time"

Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ImportOrigin:
    """What foreign files do not say: whose measurements they hold.

    Parameters
    ----------
    machine
        Where a file does not know it.
    commit
        Fields of the commit, as an agent would post them, where a file does not.
    better
        Directions by metric that units do not tell; that of `*` is for all others.
    """

    project: str
    machine: str | None
    commit: Mapping[str, Any] | None
    suite: str = SUITE
    better: Mapping[str, str] = field(default_factory=dict)


def runs_of(
    measurements: Iterable[ImportedMeasurement], origin: ImportOrigin
) -> list[RunReport]:
    """Return one run per coordinate and configuration, in the order of appearance.

    The id of a run follows from its content: importing a file twice changes nothing.

    Raises
    ------
    NotARun
        If what was measured at a coordinate cannot be posted as a run.
    """
    return [
        _run(place, {"results": results}, origin)
        for place, each in _by_place(measurements)
        if (results := list(_results(each, origin.better)))
    ]


def profiles_of(
    measurements: Iterable[ImportedMeasurement], origin: ImportOrigin
) -> list[RunReport]:
    """Return the same where regions are functions, and their times one profile.

    Repetitions of a function become their mean, so that those of all functions
    still add up.

    Raises
    ------
    NotARun
        If anything but time was measured, or if nothing took any.
    """
    return [
        _run(place, {"profile": _profile(place.coordinate, each)}, origin)
        for place, each in _by_place(measurements)
    ]


class _Place(NamedTuple):
    """What the measurements of a run have in common."""

    coordinate: Settings
    configuration: Settings
    provenance: Provenance


def _by_place(
    measurements: Iterable[ImportedMeasurement],
) -> Iterator[tuple[_Place, list[ImportedMeasurement]]]:
    places: dict[Any, list[ImportedMeasurement]] = {}
    for each in measurements:
        coordinate = frozenset(
            zip(each.subject.parameters, each.coordinate, strict=True)
        )
        configuration = frozenset(each.subject.configuration)
        key = (coordinate, configuration, each.provenance)
        places.setdefault(key, []).append(each)
    for (coordinate, configuration, provenance), taken in places.items():
        settings = {name: _plain(value) for name, value in sorted(coordinate)}
        yield _Place(settings, dict(sorted(configuration)), provenance), taken


def _run(place: _Place, measured: Settings, origin: ImportOrigin) -> RunReport:
    coordinate, configuration, provenance = place
    machine = provenance.machine or origin.machine
    commit = _commit(provenance) or origin.commit
    if machine is None or commit is None:
        missing = "machine" if machine is None else "commit"
        raise NotARun(coordinate, missing, f"no file says it; --{missing} does")
    content = {
        "schema": 1,
        "project": origin.project,
        "suite": origin.suite,
        "commit": commit,
        "machine": {"name": machine},
        "coordinate": coordinate,
        "configuration": configuration,
        **_job(provenance),
        **measured,
    }
    number = uuid5(NAMESPACE_URL, canonical(content).decode())
    try:
        return RunReport.model_validate({**content, "id": number}, strict=False)
    except ValidationError as error:
        fault = faults(error)[0]
        raise NotARun(coordinate, fault.field, fault.message) from None


def _commit(provenance: Provenance) -> Settings | None:
    """Return the commit that a file names."""
    if provenance.commit is None:
        return None
    known = {
        "sha": provenance.commit,
        "branch": provenance.branch,
        "committed_at": provenance.committed_at,
    }
    return {key: value for key, value in known.items() if value is not None}


def _job(provenance: Provenance) -> Settings:
    known = {"id": provenance.job, "ended_at": provenance.ended_at}
    job = {key: value for key, value in known.items() if value is not None}
    return {"job": job} if job else {}


def _results(
    measurements: Iterable[ImportedMeasurement], better: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield what was measured, without what has no value."""
    for measurement in measurements:
        subject = measurement.subject
        values = [value for value in measurement.values if not isnan(value)]
        direction = stated_direction(better, subject.metric)
        if values:
            yield {
                "region": subject.region.replace("/", "->"),
                "metric": subject.metric,
                "unit": subject.usual_unit,
                "values": values,
                **({"better": direction} if direction else {}),
            }


def _profile(
    coordinate: Settings, measurements: Sequence[ImportedMeasurement]
) -> dict[str, Any]:
    functions = []
    for measurement in measurements:
        subject, values = measurement.subject, measurement.values
        if subject.metric != TIME:
            fault = f"a profile is of time, and {subject.region} has {subject.metric}"
            raise NotARun(coordinate, "profile", fault)
        known = [value for value in values if not isnan(value)]
        if known:
            functions.append({"region": subject.region, "seconds": fmean(known)})
    return {"functions": functions}


def _plain(value: float) -> int | float:
    return int(value) if value.is_integer() else value
