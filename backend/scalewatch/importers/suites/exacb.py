"""JSON of exaCB: an experiment, and a row per job that it ran."""

import math
import re
from collections.abc import Iterable, Iterator
from typing import Final

from scalewatch.importers.documents import Document
from scalewatch.importers.names import seconds_of
from scalewatch.importers.series import (
    WHOLE_PROGRAM,
    ImportedMeasurement,
    Provenance,
    SeriesIdentity,
    Setting,
    plain_setting,
)
from scalewatch.importers.tables.columns import metric_and_unit, parameter_of

_HELD: Final = ("variant",)
"""Configuration of an experiment: a new version of its software is the same one."""

_COMMIT: Final = re.compile("[0-9a-f]{7,64}")
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)")
_FALSE: Final = frozenset({"false", "no", "0"})


def recognises(document: Document) -> bool:
    """Tell whether a document is a report of exaCB."""
    keys = document.value if isinstance(document.value, dict) else {}
    return {"reporter", "experiment", "data"} <= keys.keys()


def read(documents: Iterable[Document]) -> Iterator[ImportedMeasurement]:
    """Yield run time and metrics of each job, NaN of those that failed."""
    for document in documents:
        provenance = _provenance(document)
        experiment = document.part("experiment").object()
        held = {key: str(experiment[key]) for key in _HELD if experiment.get(key)}
        for row in document.part("data").elements():
            yield from _row(row, held, provenance)


def _row(
    row: Document, held: dict[str, str], provenance: Provenance
) -> Iterator[ImportedMeasurement]:
    facts = row.object()
    coordinate, configuration = _settings(row.part("parameter"))
    configuration |= held
    if facts.get("queue"):
        configuration["queue"] = str(facts["queue"])
    is_failed = str(facts.get("success", "true")).lower() in _FALSE
    if job := facts.get("slurm_jobid"):
        provenance = provenance._replace(job=str(job))
    for name, part in _measured(row):
        metric, unit = metric_and_unit(name) or (name, None)
        seconds = seconds_of("s" if metric == "time" and unit is None else unit)
        subject = SeriesIdentity(
            WHOLE_PROGRAM,
            metric,
            unit if seconds is None else "s",
            tuple(configuration.items()),
            tuple(coordinate),
            row.origin,
        )
        value = math.nan if is_failed else _number(part) * (seconds or 1.0)
        yield ImportedMeasurement(
            subject, tuple(coordinate.values()), [value], provenance
        )


def _settings(parameter: Document) -> tuple[dict[str, float], dict[str, Setting]]:
    """Return what a job was run at: its processes follow from nodes."""
    settings = {
        key: plain_setting(str(fact)) for key, fact in parameter.object().items()
    }
    coordinate: dict[str, float] = {}
    nodes, per_node = settings.get("nodes"), settings.get("taskspernode")
    if isinstance(nodes, int) and isinstance(per_node, int):
        coordinate["p"] = float(nodes * per_node)
    configuration: dict[str, Setting] = {}
    for key, setting in settings.items():
        name = parameter_of(key)
        if name and isinstance(setting, int | float):
            coordinate[name] = float(setting)
        else:
            configuration[key] = setting
    return coordinate, configuration


def _measured(row: Document) -> Iterator[tuple[str, Document]]:
    yield "runtime", row.part("runtime")
    if "metrics" in row.object():
        yield from row.part("metrics").parts()


def _number(part: Document) -> float:
    """Return a number, which exaCB writes as text."""
    if not isinstance(part.value, str):
        return part.number()
    if not part.value.strip():
        return math.nan
    number = plain_setting(part.value)
    if not isinstance(number, int | float):
        raise part.malformed("a number")
    return float(number)


def _provenance(document: Document) -> Provenance:
    reporter = document.part("reporter").object().get("info")
    info = reporter if isinstance(reporter, dict) else {}
    commit, moment = str(info.get("commit", "")), str(info.get("timestamp", ""))
    system = document.part("experiment").object().get("system")
    is_moment = _MOMENT.fullmatch(moment)
    return Provenance(
        commit=commit if _COMMIT.fullmatch(commit) else None,
        machine=str(system) if system else None,
        ended_at=moment if is_moment else None,
    )
