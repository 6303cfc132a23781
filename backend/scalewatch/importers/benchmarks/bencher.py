"""Bencher's metric format: measures by name of the benchmark."""

from collections.abc import Iterable, Iterator
from typing import Final

from scalewatch.importers import series
from scalewatch.importers.documents import Document

_LATENCY: Final = "latency"


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


def read(documents: Iterable[Document]) -> Iterator[series.ImportedMeasurement]:
    """Yield the value of each measure; its bounds are no measurements."""
    for document in documents:
        for name, measures in document.parts():
            for measure, held in measures.parts():
                metric, unit = (
                    ("time", "ns") if measure == _LATENCY else (measure, None)
                )
                value = held.part("value").number()
                yield series.measurement(
                    name, metric, unit, value, {}, origin=document.origin
                )
