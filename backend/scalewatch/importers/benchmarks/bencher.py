"""Bencher's metric format: measures by name of the benchmark."""

from collections.abc import Iterable, Iterator
from typing import Final

from scalewatch.importers.documents import Document
from scalewatch.importers.series import ImportedMeasurement, SeriesIdentity

_LATENCY: Final = "latency"
_NANOSECOND: Final = 1e-9


def recognises(document: Document) -> bool:
    """Tell whether every value of a document has measures, each with a value."""
    held = document.value
    return (
        isinstance(held, dict)
        and bool(held)
        and all(
            isinstance(measures, dict)
            and measures
            and all(
                isinstance(measure, dict) and "value" in measure
                for measure in measures.values()
            )
            for measures in held.values()
        )
    )


def read(documents: Iterable[Document]) -> Iterator[ImportedMeasurement]:
    """Yield the value of each measure; its bounds are no measurements."""
    for document in documents:
        for name, measures in document.parts():
            for measure, held in measures.parts():
                is_time = measure == _LATENCY
                value = held.part("value").number()
                subject = SeriesIdentity(
                    name,
                    "time" if is_time else measure,
                    "s" if is_time else None,
                    (),
                    (),
                    document.origin,
                )
                seconds = value * _NANOSECOND if is_time else value
                yield ImportedMeasurement(subject, (), [seconds])
