"""Foreign measurements as runs, so that they can be posted like any others."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from statistics import fmean
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from pydantic import ValidationError

from scalewatch.errors import NotARun
from scalewatch.importers import ImportedMeasurement
from scalewatch.storage.database.digests import canonical
from scalewatch.wire import UNITS, RunReport, faults

SUITE: Final = "imported"
TIME: Final = "time"

Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ImportOrigin:
    """What foreign files do not say: whose measurements they hold.

    Parameters
    ----------
    commit
        Fields of the commit, as an agent would post them.
    """

    project: str
    machine: str
    commit: Mapping[str, Any]
    suite: str = SUITE


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
        _run(coordinate, configuration, {"results": list(map(_result, each))}, origin)
        for coordinate, configuration, each in _by_place(measurements)
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
        _run(coordinate, configuration, {"profile": _profile(coordinate, each)}, origin)
        for coordinate, configuration, each in _by_place(measurements)
    ]


def _by_place(
    measurements: Iterable[ImportedMeasurement],
) -> Iterator[tuple[Settings, Settings, list[ImportedMeasurement]]]:
    places: dict[tuple[frozenset[Any], frozenset[Any]], list[ImportedMeasurement]] = {}
    for each in measurements:
        coordinate = frozenset(
            zip(each.subject.parameters, each.coordinate, strict=True)
        )
        configuration = frozenset(each.subject.configuration)
        places.setdefault((coordinate, configuration), []).append(each)
    for (coordinate, configuration), taken in places.items():
        settings = {name: _plain(value) for name, value in sorted(coordinate)}
        yield settings, dict(sorted(configuration)), taken


def _run(
    coordinate: Settings,
    configuration: Settings,
    measured: Settings,
    origin: ImportOrigin,
) -> RunReport:
    content = {
        "schema": 1,
        "project": origin.project,
        "suite": origin.suite,
        "commit": origin.commit,
        "machine": {"name": origin.machine},
        "coordinate": coordinate,
        "configuration": configuration,
        **measured,
    }
    number = uuid5(NAMESPACE_URL, canonical(content).decode())
    try:
        return RunReport.model_validate({**content, "id": number}, strict=False)
    except ValidationError as error:
        fault = faults(error)[0]
        raise NotARun(coordinate, fault.field, fault.message) from None


def _result(measurement: ImportedMeasurement) -> dict[str, Any]:
    subject, _, values = measurement
    units = UNITS.get(subject.metric)
    return {
        "region": subject.region,
        "metric": subject.metric,
        "unit": subject.unit or (next(iter(units)) if units else ""),
        "values": [value for value in values if not isnan(value)],
    }


def _profile(
    coordinate: Settings, measurements: Sequence[ImportedMeasurement]
) -> dict[str, Any]:
    functions = []
    for subject, _, values in measurements:
        if subject.metric != TIME:
            fault = f"a profile is of time, and {subject.region} has {subject.metric}"
            raise NotARun(coordinate, "profile", fault)
        known = [value for value in values if not isnan(value)]
        if known:
            functions.append({"region": subject.region, "seconds": fmean(known)})
    return {"functions": functions}


def _plain(value: float) -> int | float:
    return int(value) if value.is_integer() else value
