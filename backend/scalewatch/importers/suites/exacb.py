"""JSON of exaCB: an experiment, and a row per job that it ran."""

import math
import re
from collections.abc import Iterable, Iterator
from typing import Final

from scalewatch.importers import series
from scalewatch.importers.documents import Document
from scalewatch.importers.tables.columns import metric_and_unit
from scalewatch.outcomes import judge_cell
from scalewatch.texts.scales import parameter_of

_HELD: Final = ("variant",)
"""Configuration of an experiment: a new version of its software is the same one."""

_COMMIT: Final = re.compile("[0-9a-f]{7,64}")
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)")


def recognises(document: Document) -> bool:
    """Tell whether a document is a report of exaCB."""
    keys = document.value if isinstance(document.value, dict) else {}
    return {"reporter", "experiment", "data"} <= keys.keys()


def read(documents: Iterable[Document]) -> Iterator[series.ImportedMeasurement]:
    """Yield run time and metrics of each job, NaN of those that failed."""
    for document in documents:
        provenance = _provenance(document)
        experiment = document.part("experiment").object()
        held = {key: str(experiment[key]) for key in _HELD if experiment.get(key)}
        for row in document.part("data").elements():
            yield from _row(row, held, provenance)


def _row(
    row: Document, held: dict[str, str], provenance: series.Provenance
) -> Iterator[series.ImportedMeasurement]:
    facts = row.object()
    coordinate, configuration = _settings(row.part("parameter"))
    configuration |= held
    if facts.get("queue"):
        configuration["queue"] = str(facts["queue"])
    outcome = judge_cell("success", str(facts.get("success", "true")))
    if outcome is None or outcome.has_succeeded is None:
        raise row.part("success").malformed("true or false")
    if job := facts.get("slurm_jobid"):
        provenance = provenance._replace(job=str(job))
    metrics = row.part("metrics").parts() if "metrics" in facts else ()
    for name, part in [("runtime", row.part("runtime")), *metrics]:
        metric, unit = metric_and_unit(name) or (name, None)
        yield series.measurement(
            series.WHOLE_PROGRAM,
            metric,
            "s" if metric == "time" and unit is None else unit,
            math.nan if part.has_failed else _number(part),
            coordinate,
            configuration,
            row.origin,
            provenance,
        )


def _settings(
    parameter: Document,
) -> tuple[dict[str, float], dict[str, series.Setting]]:
    """Return what a job was run at: its processes follow from nodes."""
    settings = {
        key: series.plain_setting(str(fact)) for key, fact in parameter.object().items()
    }
    coordinate: dict[str, float] = {}
    nodes, per_node = settings.get("nodes"), settings.get("taskspernode")
    if isinstance(nodes, int) and isinstance(per_node, int):
        coordinate["p"] = float(nodes * per_node)
    configuration: dict[str, series.Setting] = {}
    for key, setting in settings.items():
        name = parameter_of(key)
        if name and isinstance(setting, int | float):
            coordinate[name] = float(setting)
        else:
            configuration[key] = setting
    return coordinate, configuration


def _number(part: Document) -> float:
    """Return a number, which exaCB writes as text."""
    if not isinstance(part.value, str):
        return part.number()
    if not part.value.strip():
        return math.nan
    number = series.plain_setting(part.value)
    if not isinstance(number, int | float):
        raise part.malformed("a number")
    return float(number)


def _provenance(document: Document) -> series.Provenance:
    reporter = document.part("reporter").object().get("info")
    info = reporter if isinstance(reporter, dict) else {}
    commit, moment = str(info.get("commit", "")), str(info.get("timestamp", ""))
    system = document.part("experiment").object().get("system")
    is_moment = _MOMENT.fullmatch(moment)
    return series.Provenance(
        commit=commit if _COMMIT.fullmatch(commit) else None,
        machine=str(system) if system else None,
        ended_at=moment if is_moment else None,
    )
