"""Results of asv, airspeed velocity, in versions 1 and 2: one file for each commit."""

import ast
import json
import math
import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, Final, NamedTuple

from scalewatch.errors import NoResults, UnreadableFile
from scalewatch.importers import series
from scalewatch.importers.documents import Document
from scalewatch.importers.source import Surroundings
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

_SHOWN: Final = 8
"""Characters of a version that names have: most are digests of the benchmark's code."""

SKIPPED: Final = "results that asv skipped"
INFINITE: Final = "results that are infinite"
EMPTY: Final = "files of asv without any result"
"""Words for results that are left out."""

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


def read(
    documents: Iterable[Document],
    scan: Sequence[str] | None = None,
    left_out: Counter[str] | None = None,
) -> Iterator[series.ImportedMeasurement]:
    """Yield the values of each benchmark at each combination of its parameters.

    Names, types and units stand in `benchmarks.json` beside the folder of the machine.
    What failed is NaN. Where a benchmark changed, its `version` did: later versions
    than the first are other regions.

    Parameters
    ----------
    scan
        Parameters that are varied; all others are part of the region's name, as asv
        writes it. None: those with a usual name are, and others are configuration.
    left_out
        Counts what is left out, by the reason.
    """
    left_out = Counter() if left_out is None else left_out
    for document in documents:
        if not document.object().keys() >= _RESULT_KEYS:
            raise NoResults(document.source)
        known = _beside(document, "../benchmarks.json")
        provenance = _provenance(document)
        stated = document.object().get("env_name")
        file = _FILE.fullmatch(posixpath.basename(document.source))
        name = stated if isinstance(stated, str) else ""
        name = name or (file["environment"] if file else "")
        environment = (("environment", name),) if name else ()
        columns = _columns(document)
        first = _first_versions(document.surroundings)
        versions = _versions(document.object())
        is_empty = True
        for benchmark, part in document.part("results").parts():
            stated = known.get(benchmark)
            about = stated if isinstance(stated, dict) else {}
            metric, unit = _metric(benchmark, about)
            version = versions.get(benchmark)
            region = benchmark
            if version is not None and version != first.get(benchmark, version):
                region = f"{benchmark}@{version[:_SHOWN]}"
            for combination, values in _cells(part, columns, about, left_out):
                place = _place(_names_of(about), combination, scan)
                is_empty = False
                yield series.measurement(
                    f"{region}{place.suffix}",
                    metric,
                    unit,
                    values,
                    dict(place.coordinate),
                    dict(environment + place.held),
                    provenance=provenance,
                )
        if is_empty:
            left_out[EMPTY] += 1
            raise NoResults(document.source)


class _Place(NamedTuple):
    """A combination of parameters: the end of the name, and settings."""

    suffix: str
    coordinate: tuple[tuple[str, float], ...]
    held: tuple[tuple[str, series.Setting], ...]


@lru_cache(maxsize=65536)
def _place(
    names: tuple[str, ...], combination: tuple[str, ...], scan: tuple[str, ...] | None
) -> _Place:
    """Return where a combination belongs; values are as Python writes them."""
    suffix: list[str] = []
    coordinate: dict[str, float] = {}
    held: dict[str, series.Setting] = {}
    for at, text in enumerate(combination):
        name = names[at] if at < len(names) else f"param{at + 1}"
        scanned, others = _scanned(_settings(name, text), scan)
        coordinate |= scanned
        if scan is None:
            held |= others
        elif not scanned:
            suffix.append(text)
        else:
            suffix += (f"{key}={value}" for key, value in others.items())
    return _Place(
        f"({', '.join(suffix)})" if suffix else "",
        tuple(coordinate.items()),
        tuple(held.items()),
    )


def _scanned(
    settings: Mapping[str, series.Setting], scan: tuple[str, ...] | None
) -> tuple[dict[str, float], dict[str, series.Setting]]:
    """Part the settings that are varied from those that are held."""
    varied: dict[str, float] = {}
    held: dict[str, series.Setting] = {}
    for key, setting in settings.items():
        parameter = parameter_of(key)
        if scan is not None:
            is_named = {key, parameter} & {*scan}
            parameter = (parameter or key) if is_named else None
        if parameter is None or not isinstance(setting, int | float):
            held[key] = setting
        else:
            varied[parameter] = float(setting)
    return varied, held


def _versions(held: Mapping[str, Any]) -> dict[str, str]:
    """Return the version of each benchmark that a file of results tells."""
    stated = held.get("benchmark_version")
    if isinstance(stated, dict):
        return {name: str(version) for name, version in stated.items()}
    columns, results = held.get("result_columns"), held.get("results")
    if not isinstance(columns, list) or not isinstance(results, dict):
        return {}
    at = columns.index("version") if "version" in columns else len(columns)
    return {
        name: str(part[at])
        for name, part in results.items()
        if isinstance(part, list) and len(part) > at and part[at] is not None
    }


class _File(NamedTuple):
    """A file of results among others: its commit, its date, versions by benchmark."""

    name: str
    commit: str
    date: float
    versions: Mapping[str, str]


@lru_cache(maxsize=4)
def _files(beside: Surroundings) -> Sequence[_File]:
    """Return the files of results in a folder, those without a date last."""
    files = []
    for name in beside.names():
        if not name.endswith(".json"):
            continue
        try:
            held = json.loads(b"".join(beside.lines(name) or ()))
        except (ValueError, RecursionError):
            continue  # the file itself is refused when its turn comes
        if isinstance(held, dict) and held.keys() >= _RESULT_KEYS:
            when = held.get("date")
            date = float(when) if isinstance(when, int | float) else math.inf
            commit = str(held["commit_hash"])
            files.append(_File(name, commit, date, _versions(held)))
    return sorted(files, key=lambda file: file.date)


@lru_cache(maxsize=4)
def _first_versions(beside: Surroundings | None) -> dict[str, str]:
    """Return the oldest version of each benchmark in a folder of results.

    Later ones get names of their own, so that no import renames an earlier one.
    """
    oldest: dict[str, str] = {}
    for file in _files(beside) if beside is not None else ():
        for benchmark, version in file.versions.items():
            oldest.setdefault(benchmark, version)
    return oldest


@lru_cache(maxsize=4)
def older_files(beside: Surroundings, newest: int) -> Collection[str]:
    """Return the files of results in a folder that are not of its newest commits.

    None where a file does not tell the date of its commit.
    """
    files = _files(beside)
    if not all(math.isfinite(file.date) for file in files):
        return frozenset()
    commits = [*dict.fromkeys(file.commit for file in reversed(files))]
    older = {*commits[newest:]}
    return frozenset(file.name for file in files if file.commit in older)


def _columns(document: Document) -> Sequence[str]:
    """Return the names of a result's parts in version 2; version 1 has none."""
    if "result_columns" not in document.object():
        return ()
    columns = [name.name() for name in document.part("result_columns").elements()]
    if "result" not in columns:
        raise document.part("result_columns").malformed("the column 'result'")
    return columns


def _cells(
    part: Document, columns: Sequence[str], about: _Names, left_out: Counter[str]
) -> Iterator[tuple[tuple[str, ...], Sequence[float]]]:
    """Yield each combination that was not skipped, and its values."""
    parts = _parts(part, columns)
    if "result" not in parts:
        raise part.malformed("a result")
    result = parts["result"]
    axes = _axes(parts, about)
    if math.prod(map(len, axes)) > _MOST_CELLS:
        raise part.malformed(f"at most {_MOST_CELLS} combinations")
    combinations = list(product(*axes))
    is_list = isinstance(result.value, list)
    results = result.value if is_list else [result.value]
    if result.value is None:
        results = [None] * len(combinations)
    if len(results) < len(combinations) or (axes and len(results) > len(combinations)):
        raise result.malformed(f"{len(combinations)} results, one per combination")
    spreads = _Spreads(parts, len(combinations))
    for at, combination in enumerate(combinations):
        value = results[at]
        if value is None:
            yield combination, [math.nan]
        elif isinstance(value, float) and not math.isfinite(value):
            left_out[SKIPPED if math.isnan(value) else INFINITE] += 1
        else:
            if not isinstance(value, float):
                value = (result.element(at) if is_list else result).number()
            yield combination, spreads.beside(at, value)


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


class _Spreads:
    """Spread of the values of a benchmark: samples, else quartiles, else an interval.

    asv keeps no samples unless it is asked to. Five values that have the quartiles, or
    three that have the interval, and whose median is the result, then stand for them.
    """

    def __init__(self, parts: Mapping[str, Document], count: int) -> None:
        self.samples = parts.get("samples")
        self.listed = self.samples is not None and self.samples.value is not None
        if self.samples is not None and self.listed:
            held = self.samples.value
            if not isinstance(held, list) or len(held) != count:
                raise self.samples.malformed(f"the samples of {count} results")
        of = {name: _listed(part.value, count) for name, part in parts.items()}
        # Version 1 has an object for each result.
        stats = [each if isinstance(each, dict) else {} for each in of.get("stats", ())]
        intervals = [each.get("ci_99") for each in stats]
        ends = [each if isinstance(each, list) else () for each in intervals]
        self.quartiles = (
            of.get("stats_q_25") or [each.get("q_25") for each in stats],
            of.get("stats_q_75") or [each.get("q_75") for each in stats],
        )
        self.interval = (
            of.get("stats_ci_99_a") or [next(iter(each), None) for each in ends],
            of.get("stats_ci_99_b") or [next(iter(each[1:]), None) for each in ends],
        )

    def beside(self, at: int, value: float) -> Sequence[float]:
        """Return the values of a result: what was measured, or stands for it."""
        if self.samples is not None and self.listed and self.samples.value[at]:
            return self.samples.element(at).numbers()
        for (lows, highs), often in ((self.quartiles, 2), (self.interval, 1)):
            low, high = (ends[at] if ends else None for ends in (lows, highs))
            if (
                isinstance(low, int | float)
                and isinstance(high, int | float)
                and -math.inf < low <= value <= high < math.inf
                and low < high
            ):
                return [float(low)] * often + [value] + [float(high)] * often
        return [value]


def _listed(value: Any, count: int) -> list[Any]:
    return value if isinstance(value, list) and len(value) == count else []


def _names_of(about: _Names) -> tuple[str, ...]:
    names = about.get("param_names")
    return tuple(map(str, names)) if isinstance(names, list) else ()


def _settings(name: str, text: str) -> dict[str, series.Setting]:
    """Return the settings of a parameter, of tuples several."""
    value = _literal(text)
    keys = _WORD.findall(name) if _TUPLE.fullmatch(name) else []
    settings = {name: _plain(value)}
    if isinstance(value, tuple) and len(keys) == len(value):
        settings = {key: _plain(part) for key, part in zip(keys, value, strict=True)}
    return {key: setting for key, setting in settings.items() if setting is not None}


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
    kind = _KINDS.match(name.partition("(")[0].rpartition(".")[2])
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
