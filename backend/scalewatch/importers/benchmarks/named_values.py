"""Lists of `{name, unit, value}`, which many tools of benchmarks exchange."""

from collections.abc import Iterable, Iterator

from scalewatch.importers.documents import Document
from scalewatch.importers.names import seconds_of
from scalewatch.importers.series import VALUE, ImportedMeasurement, SeriesIdentity


def recognises(document: Document) -> bool:
    """Tell whether a document is an element of such a list; a unit may be missing."""
    held = document.value if isinstance(document.value, dict) else {}
    return {"name", "value"} <= held.keys() and "params" not in held


def read(documents: Iterable[Document]) -> Iterator[ImportedMeasurement]:
    """Yield each value; a unit of time makes it a time in seconds."""
    for document in documents:
        has_unit = "unit" in document.object()
        unit = document.part("unit").name() if has_unit else None
        seconds = seconds_of(unit)
        value = document.part("value").number() * (seconds or 1.0)
        subject = SeriesIdentity(
            document.part("name").name(),
            VALUE if seconds is None else "time",
            unit if seconds is None else "s",
            (),
            (),
            document.origin,
        )
        yield ImportedMeasurement(subject, (), [value])
