"""Lists of `{name, unit, value}`, which many tools of benchmarks exchange."""

from collections.abc import Iterable, Iterator

from scalewatch.importers import series
from scalewatch.importers.documents import Document


def recognises(document: Document) -> bool:
    """Tell whether a document is an element of such a list; a unit may be missing."""
    held = document.value if isinstance(document.value, dict) else {}
    return {"name", "value"} <= held.keys() and "params" not in held


def read(documents: Iterable[Document]) -> Iterator[series.ImportedMeasurement]:
    """Yield each value; a unit of time makes it a time in seconds."""
    for document in documents:
        has_unit = "unit" in document.object()
        unit = document.part("unit").name() if has_unit else None
        is_time = series.seconds_of(unit) is not None
        yield series.measurement(
            document.part("name").name(),
            "time" if is_time else series.VALUE,
            unit,
            document.part("value").number(),
            {},
            origin=document.origin,
        )
