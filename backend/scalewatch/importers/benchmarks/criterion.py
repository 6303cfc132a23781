"""Folders of Criterion for Rust: a folder a benchmark, and in it the newest results."""

import json
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from scalewatch.errors import NoResults
from scalewatch.importers import series
from scalewatch.importers.documents import Document

NEWEST: Final = "new"
"""Folder of the newest results; `base` has those before, `change` their difference."""

_ESTIMATES: Final = frozenset({"mean", "median", "std_dev"})
_BENCHMARK: Final = frozenset({"group_id", "full_id"})
_SAMPLE: Final = frozenset({"iters", "times"})
_CHANGE: Final = frozenset({"mean", "median"})
_FENCES: Final = "tukey.json"


def recognises(document: Document) -> bool:
    """Tell whether a document is one of the five that each benchmark has."""
    if not isinstance(document.value, dict):
        return posixpath.basename(document.source) == _FENCES
    keys = document.value.keys()
    is_estimated = keys >= _ESTIMATES or keys == _CHANGE
    return (
        keys >= _BENCHMARK
        or keys >= _SAMPLE
        or (is_estimated and _has_points(keys, document))
    )


def _has_points(keys: Iterable[str], document: Document) -> bool:
    parts = (document.value[key] for key in keys)
    return all(
        part is None or (isinstance(part, dict) and "point_estimate" in part)
        for part in parts
    )


def read(documents: Iterable[Document]) -> Iterator[series.ImportedMeasurement]:
    """Yield the time of an iteration in each sample, or else the median alone.

    All benchmarks below one folder are of one run.
    """
    for document in documents:
        folder = posixpath.dirname(document.source)
        is_estimate = (
            isinstance(document.value, dict) and document.value.keys() >= _ESTIMATES
        )
        if not is_estimate or posixpath.basename(folder) != NEWEST:
            raise NoResults(document.source)
        about, sample = (
            _beside(document, name) for name in ("benchmark.json", "sample.json")
        )
        place = str(about.get("directory_name") or "")
        path = posixpath.dirname(folder)
        name = about.get("full_id") or posixpath.basename(path)
        root = path.removesuffix(place).rstrip("/")
        median = document.part("median").part("point_estimate").number()
        yield series.measurement(
            str(name),
            "time",
            "ns",
            _samples(sample) or median,
            {},
            provenance=series.Provenance(source=root or path),
        )


def _samples(sample: Mapping[str, Any]) -> list[float]:
    """Return the time of an iteration in each sample, nothing where one is none."""
    iterations, times = sample.get("iters"), sample.get("times")
    if not isinstance(iterations, list) or not isinstance(times, list):
        return []
    pairs = list(zip(iterations, times, strict=False))
    is_sound = all(
        isinstance(number, int | float) and number > 0 and isinstance(time, int | float)
        for number, time in pairs
    )
    return [time / number for number, time in pairs] if is_sound else []


def _beside(document: Document, name: str) -> Mapping[str, Any]:
    lines = document.surroundings and document.surroundings.lines(name)
    try:
        held = json.loads(b"".join(lines)) if lines else {}
    except (ValueError, RecursionError):
        return {}  # the file itself is refused when its turn comes
    return held if isinstance(held, dict) else {}
