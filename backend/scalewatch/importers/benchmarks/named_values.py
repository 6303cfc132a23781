"""Lists of `{name, unit, value}`, which many tools of benchmarks exchange."""

from collections.abc import Iterable, Iterator

from scalewatch.importers.documents import Document
from scalewatch.importers.series import VALUE, ImportedMeasurement, SeriesIdentity
from scalewatch.wire import UNITS


def recognises(document: Document) -> bool:
    """Tell whether a document is an element of such a list."""
    held = document.value if isinstance(document.value, dict) else {}
    return {"name", "unit", "value"} <= held.keys()


def read(documents: Iterable[Document]) -> Iterator[ImportedMeasurement]:
    """Yield each value; a unit of time makes it a time in seconds."""
    for document in documents:
        unit = document.part("unit").name()
        value = document.part("value").number()
        times = UNITS["time"]
        metric = "time" if unit in times else VALUE
        subject = SeriesIdentity(
            document.part("name").name(),
            metric,
            "s" if unit in times else unit,
            (),
            (),
            document.origin,
        )
        yield ImportedMeasurement(subject, (), [value * times.get(unit, 1.0)])
