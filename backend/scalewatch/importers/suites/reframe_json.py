"""ReFrame's report, and what its handler `httpjson` posts of each case."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from scalewatch.importers.documents import Document
from scalewatch.importers.series import ImportedMeasurement
from scalewatch.importers.suites.reframe_case import Performance, measurements_of

_PERFORMANCE: Final = re.compile(r"check_perf_(?P<variable>.+)_value")
_UNIT: Final = 4
"""Where a performance of a report has its unit, behind value and references."""


def recognises(document: Document) -> bool:
    """Tell whether a document is a report or a post."""
    keys = document.value if isinstance(document.value, dict) else {}
    return {"session_info", "runs"} <= keys.keys() or "check_name" in keys


def read(documents: Iterable[Document]) -> Iterator[ImportedMeasurement]:
    """Yield the performances of all cases."""
    for document in documents:
        if "check_name" in document.object():
            yield from _post(document)
        else:
            for run in document.part("runs").elements():
                for case in run.part("testcases").elements():
                    yield from _case(case)


def _post(document: Document) -> Iterator[ImportedMeasurement]:
    held = document.object()
    document.part("check_name").name()
    facts = {key.removeprefix("check_"): fact for key, fact in held.items()}
    performances = [
        Performance(
            performance["variable"],
            document.part(key).number(),
            _unit(held.get(f"check_perf_{performance['variable']}_unit")),
        )
        for key in held
        if (performance := _PERFORMANCE.fullmatch(key))
    ]
    yield from measurements_of(facts, performances, held.get("commit"))


def _case(case: Document) -> Iterator[ImportedMeasurement]:
    held = case.object()
    case.part("name").name()
    performances = []
    if isinstance(held.get("perfvalues"), dict):
        for key, part in case.part("perfvalues").parts():
            value, *others = part.elements()
            unit = others[_UNIT - 1].value if len(others) >= _UNIT else None
            variable = key.rpartition(":")[2]
            performances.append(Performance(variable, value.number(), _unit(unit)))
    elif isinstance(held.get("perfvars"), list):
        performances = [
            Performance(
                part.part("name").name(),
                part.part("value").number(),
                _unit(part.object().get("unit")),
            )
            for part in case.part("perfvars").elements()
        ]
    yield from measurements_of(_facts(held), performances)


def _facts(case: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of a case by the names that ReFrame 4.7 gave them.

    Before, a case had variables apart, an environment, and its partition in its system.
    """
    variables = case.get("check_vars")
    facts = {**(variables if isinstance(variables, dict) else {}), **case}
    if "environment" in case:
        system, _, partition = str(case.get("system") or "").partition(":")
        facts |= {"environ": case["environment"], "system": system}
        facts |= {"partition": partition} if partition else {}
        facts |= {"name": case.get("display_name") or case["name"]}
    return facts


def _unit(unit: object) -> str | None:
    return unit if isinstance(unit, str) and unit else None
