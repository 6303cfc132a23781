"""Results of asv, airspeed velocity, in versions 1 and 2: one file for each commit."""

import ast
import json
import math
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, Final

from scalewatch.errors import NoResults, UnreadableFile
from scalewatch.importers import series
from scalewatch.importers.documents import Document
from scalewatch.texts.scales import parameter_of
from scalewatch.wire import SECONDS

_RESULT_KEYS: Final = frozenset({"commit_hash", "results", "params"})
_FILE: Final = re.compile(r"[0-9a-f]{6,40}-(?P<environment>.+)\.json")
_TUPLE: Final = re.compile(r"\(\s*+\w++(?:\s*+,\s*+\w++)++(?:\s*+,)?\s*+\)")
_WORD: Final = re.compile(r"\w+")
_COMMIT: Final = re.compile(r"[\w.+-]{1,64}")
_TIMES: Final = {"seconds": "s", "second": "s", "sec": "s"}
_KINDS: Final = re.compile(r"(?P<kind>timeraw|time|peakmem|mem)_")
"""How methods begin whose type `benchmarks.json` does not say."""

_MOST_CELLS: Final = 1_000_000
"""Combinations of parameters of a benchmark, far beyond any that was run."""

_LONGEST_LITERAL: Final = 200

_Names = Mapping[str, Any]


def recognises(document: Document) -> bool:
    """Tell whether a document is of asv: results, benchmarks, or a machine."""
    held = document.value if isinstance(document.value, dict) else {}
    are_benchmarks = bool(held) and all(
        key == "version"
        or (isinstance(value, dict) and {"code", "name"} <= value.keys())
        for key, value in held.items()
    )
    is_machine = {"machine", "os", "version"} <= held.keys() and not {
        "benchmarks"
    } & held.keys()
    return held.keys() >= _RESULT_KEYS or are_benchmarks or is_machine


def read(documents: Iterable[Document]) -> Iterator[series.ImportedMeasurement]:
    """Yield the samples of each benchmark at each combination of its parameters.

    What failed is NaN, what was skipped is left out. Names, types and units stand in
    `benchmarks.json` beside the folder of the machine.
    """
    for document in documents:
        if not document.object().keys() >= _RESULT_KEYS:
            raise NoResults(document.source)
        known = _beside(document, "../benchmarks.json")
        provenance = _provenance(document)
        stated = document.object().get("env_name")
        file = _FILE.fullmatch(posixpath.basename(document.source))
        name = stated if isinstance(stated, str) else ""
        name = name or (file["environment"] if file else "")
        environment = [("environment", name)] if name else []
        columns = _columns(document)
        for benchmark, part in document.part("results").parts():
            stated = known.get(benchmark)
            about = stated if isinstance(stated, dict) else {}
            cells = _cells(part, columns, about)
            yield from _measured(benchmark, cells, about, environment, provenance)


def _measured(
    name: str,
    cells: Iterable[tuple[Mapping[str, series.Setting], Sequence[float]]],
    about: _Names,
    environment: Sequence[tuple[str, series.Setting]],
    provenance: series.Provenance,
) -> Iterator[series.ImportedMeasurement]:
    metric, unit = _metric(name, about)
    for settings, values in cells:
        coordinate: dict[str, float] = {}
        held: list[tuple[str, series.Setting]] = []
        for key, setting in settings.items():
            parameter = parameter_of(key)
            if parameter is None or not isinstance(setting, int | float):
                held.append((key, setting))
            else:
                coordinate[parameter] = float(setting)
        fixed = dict([*environment, *held])
        yield series.measurement(
            name, metric, unit, values, coordinate, fixed, provenance=provenance
        )


def _columns(document: Document) -> Sequence[str]:
    """Return the names of a result's parts in version 2; version 1 has none."""
    if "result_columns" not in document.object():
        return ()
    columns = [name.name() for name in document.part("result_columns").elements()]
    if "result" not in columns:
        raise document.part("result_columns").malformed("the column 'result'")
    return columns


def _cells(
    part: Document, columns: Sequence[str], about: _Names
) -> Iterator[tuple[Mapping[str, series.Setting], Sequence[float]]]:
    """Yield the settings and values of each combination that was not skipped."""
    parts = _parts(part, columns)
    if "result" not in parts:
        raise part.malformed("a result")
    result = parts["result"]
    axes = _axes(parts, about)
    combinations: list[tuple[str, ...]]
    if not axes:
        only = next(result.elements(), None) if isinstance(result.value, list) else None
        results, combinations = [only or result], [()]
    else:
        if math.prod(map(len, axes)) > _MOST_CELLS:
            raise part.malformed(f"at most {_MOST_CELLS} combinations")
        combinations = list(product(*axes))
        is_failed = result.value is None
        results = [result] * len(combinations) if is_failed else [*result.elements()]
        if len(results) != len(combinations):
            raise result.malformed(f"{len(combinations)} results, one per combination")
    samples = _samples(parts, len(results))
    for at, combination in enumerate(combinations):
        if results[at].is_infinite():
            continue
        value = results[at].number()
        if results[at].value is not None and math.isnan(value):
            continue
        yield _settings(combination, about), samples[at] or [value]


def _axes(parts: Mapping[str, Document], about: _Names) -> Sequence[Sequence[str]]:
    """Return the values of each parameter, of what failed as it is defined."""
    if "params" in parts and parts["params"].value:
        return [
            [str(level.value) for level in axis.elements()]
            for axis in parts["params"].elements()
        ]
    known = about.get("params")
    axes = known if isinstance(known, list) and parts["result"].value is None else []
    return [list(map(str, axis)) for axis in axes if isinstance(axis, list)]


def _parts(part: Document, columns: Sequence[str]) -> Mapping[str, Document]:
    if columns and isinstance(part.value, list):
        return dict(zip(columns, part.elements(), strict=False))
    if isinstance(part.value, dict):
        return dict(part.parts())
    return {"result": part}


def _samples(
    parts: Mapping[str, Document], count: int
) -> Sequence[Sequence[float] | None]:
    """Return the samples of each combination, None where only the result is known."""
    samples = parts.get("samples")
    if samples is None or samples.value is None:
        return [None] * count
    values = [
        None if sample.value is None else sample.numbers()
        for sample in samples.elements()
    ]
    if len(values) != count:
        raise samples.malformed(f"the samples of {count} results")
    return values


def _settings(combination: Sequence[str], about: _Names) -> dict[str, series.Setting]:
    """Return settings by name; values are as Python writes them, and tuples several."""
    names = about.get("param_names")
    named = names if isinstance(names, list) else []
    settings: dict[str, series.Setting] = {}
    for at, text in enumerate(combination):
        name = str(named[at]) if at < len(named) else f"param{at + 1}"
        value = _literal(text)
        keys = _WORD.findall(name) if _TUPLE.fullmatch(name) else []
        if isinstance(value, tuple) and len(keys) == len(value):
            settings |= {
                key: _plain(part) for key, part in zip(keys, value, strict=True)
            }
        else:
            settings[name] = _plain(value)
    return {key: value for key, value in settings.items() if value is not None}


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text) if len(text) < _LONGEST_LITERAL else text
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return text


def _plain(value: Any) -> series.Setting:
    if value is None or isinstance(value, bool):
        return value
    return series.plain_setting(str(value))


def _metric(name: str, about: _Names) -> tuple[str, str | None]:
    """Return metric and unit of a benchmark; asv calls it a unit if there is none."""
    stated = about.get("unit")
    unit = stated if isinstance(stated, str) and stated not in {"", "unit"} else None
    unit = _TIMES.get(unit or "", unit)
    kind = _KINDS.match(name.rpartition(".")[2])
    named = {"time": "time", "timeraw": "time", "mem": "memory", "peakmem": "memory"}
    metric = named.get(kind["kind"]) if kind else None
    if metric == "time" or unit in SECONDS:
        return "time", unit if unit in SECONDS else "s"
    if metric == "memory":
        return "memory", "B"
    return series.VALUE, unit


def _provenance(document: Document) -> series.Provenance:
    held = document.object()
    params = document.part("params").object()
    machine = str(params["machine"]) if params.get("machine") else None
    known = _beside(document, "machine.json").get("machine")
    if machine and isinstance(known, str) and known != machine:
        reason = f"it says machine={machine}, and machine.json beside it {known}"
        raise UnreadableFile(document.source, reason)
    commit = str(held["commit_hash"])
    return series.Provenance(
        commit=commit if _COMMIT.fullmatch(commit) else None,
        committed_at=_moment(held.get("date")),
        machine=machine,
    )


def _moment(milliseconds: Any) -> str | None:
    if not isinstance(milliseconds, int | float) or not 0 < milliseconds < 2**50:
        return None
    return series.moment_of(milliseconds / 1000)


def _beside(document: Document, name: str) -> _Names:
    """Return what a file of asv beside the results holds, nothing if there is none."""
    lines = document.surroundings and document.surroundings.lines(name)
    return _parsed(b"".join(lines)) if lines else {}


@lru_cache(maxsize=8)
def _parsed(content: bytes) -> _Names:
    try:
        held = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return held if isinstance(held, dict) else {}
