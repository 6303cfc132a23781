"""A test case of ReFrame, from whichever of its files."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from scalewatch.importers import series
from scalewatch.outcomes import judge_cell
from scalewatch.texts.scales import parameter_of

NOTHING: Final = frozenset({"", "null", "None", "nan"})
"""Texts that stand for no value."""

_INFO: Final = re.compile(
    r"(?P<name>.*?\S)\s++"
    r"(?:/[0-9a-f]++\s++@|on )(?P<system>[^:\s]++):(?P<partition>[^+\s]++)"
    r"(?:\+| using )(?P<environ>\S++)"
)
_MEASURED: Final = frozenset({"pass", "success", "xfail", "xpass"})
"""Results of cases that ran; an expected failure is one of the performance."""

_COMMIT: Final = re.compile(r"[\w.+-]{1,64}")


class Performance(NamedTuple):
    """A performance variable, NaN where the test failed before it was known."""

    variable: str
    value: float
    unit: str | None


def place_of(info: str) -> Mapping[str, str]:
    """Return name, system, partition and environment that a case's info tells."""
    place = _INFO.fullmatch(info.strip())
    return place.groupdict() if place else {}


def measurements_of(
    facts: Mapping[str, Any], performances: Iterable[Performance], commit: Any = None
) -> Iterator[series.ImportedMeasurement]:
    """Yield the performances of a case; `facts` has ReFrame's names of its fields.

    A scan is spread over tests and files: no file is part of its origin.
    """
    known = {
        key: fact
        for key, fact in facts.items()
        if fact is not None and not (isinstance(fact, str) and fact in NOTHING)
    }
    numbers: dict[str, float] = {}
    for key in ("num_tasks", "num_procs", "num_cpus_per_task"):
        parameter = parameter_of(key)
        if parameter and (count := _count(known.get(key))):
            numbers.setdefault(parameter, count)
    nodes = known.get("job_nodelist", known.get("nodelist"))
    if count := _count(known.get("num_nodes")):
        numbers["nodes"] = count
    elif "p" not in numbers and isinstance(nodes, list) and nodes:
        numbers["nodes"] = float(len(nodes))
    configuration: dict[str, series.Setting] = {
        key: str(known[key]) for key in ("environ", "partition") if key in known
    }
    sha = str(commit or "")
    system, job = known.get("system"), known.get("jobid")
    provenance = series.Provenance(
        commit=sha if _COMMIT.fullmatch(sha) else None,
        machine=str(system) if system else None,
        job=str(job) if job else None,
        ended_at=_ended_at(known),
    )
    for variable, value, unit in performances:
        yield series.measurement(
            str(facts["name"]),
            variable.replace("-", "_"),
            unit,
            value,
            numbers,
            configuration,
            provenance=provenance,
            failed=_has_failed(known),
        )


def _has_failed(known: Mapping[str, Any]) -> bool:
    """Tell whether a case ended otherwise than well; one that was too slow has not."""
    result = known.get("result", known.get("check_result"))
    phase = known.get("fail_phase", known.get("check_fail_phase"))
    if result is None or str(result) in _MEASURED or phase == "performance":
        return False
    outcome = judge_cell("status", str(result))
    return outcome is None or outcome.has_succeeded is not True


def _count(fact: Any) -> float | None:
    number = series.plain_setting(fact) if isinstance(fact, str) else fact
    if isinstance(number, int | float) and number > 0:
        return float(number)
    return None


def _ended_at(known: Mapping[str, Any]) -> str | None:
    """Return when the job was complete; a time without zone may be anywhere."""
    seconds = known.get("job_completion_time_unix")
    if (number := _count(seconds)) and number < 2**40:
        return series.moment_of(number)
    try:
        moment = datetime.fromisoformat(str(known.get("job_completion_time")))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()
