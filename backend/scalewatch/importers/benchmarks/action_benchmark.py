"""Histories of github-action-benchmark: `data.js`, all commits in one file."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from scalewatch.importers import series
from scalewatch.importers.documents import Document

LONGEST_DAY: Final = 2**50
"""Milliseconds since 1970 beyond which a date is none."""


def recognises(document: Document) -> bool:
    """Tell whether a document is a history: entries by suite."""
    held = document.value if isinstance(document.value, dict) else {}
    entries = held.get("entries")
    return "lastUpdate" in held and isinstance(entries, dict)


def read(documents: Iterable[Document]) -> Iterator[series.ImportedMeasurement]:
    """Yield each value, in a run of its commit; a unit of time makes it a time.

    Several suites are told apart by a setting. The range of a value is in its unit and
    of as many repetitions as nobody says: it is left out.
    """
    for document in documents:
        suites = document.part("entries")
        has_several = len(suites.object()) > 1
        for suite, entries in suites.parts():
            held = {"suite": suite} if has_several else {}
            for entry in entries.elements():
                provenance = _provenance(entry)
                for bench in entry.part("benches").elements():
                    yield _measured(bench, held, provenance, document.origin)


def _measured(
    bench: Document,
    held: Mapping[str, series.Setting],
    provenance: series.Provenance,
    origin: tuple[tuple[str, str], ...],
) -> series.ImportedMeasurement:
    stated = bench.object().get("unit")
    # Rust and Go write ns/iter and ns/op: the time of an iteration.
    unit = stated.removesuffix("/iter").removesuffix("/op") if stated else None
    is_time = series.seconds_of(unit) is not None
    return series.measurement(
        bench.part("name").name(),
        "time" if is_time else series.VALUE,
        unit if is_time else stated,
        bench.part("value").number(),
        {},
        held,
        origin=origin,
        provenance=provenance,
    )


def _provenance(entry: Document) -> series.Provenance:
    """Return the commit of an entry and when it was measured."""
    commit = entry.part("commit")
    committed_at = commit.object().get("timestamp")
    return series.Provenance(
        commit=commit.part("id").name(),
        committed_at=committed_at if isinstance(committed_at, str) else None,
        started_at=_moment(entry),
    )


def _moment(entry: Document) -> str | None:
    milliseconds = entry.object().get("date")
    if not isinstance(milliseconds, int) or not 0 < milliseconds < LONGEST_DAY:
        return None
    return series.moment_of(milliseconds / 1000)
