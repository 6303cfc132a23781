"""Extra-P's JSON Lines: one object per coordinate, or per value.

`{"params": {"p": 4}, "callpath": "solve", "metric": "time", "value": 1.5}`, where
`value` may be a list; `unit` and `configuration` are understood as well, and `region`,
where the call path says more than its name.
"""

from collections.abc import Iterable, Iterator, Mapping

from scalewatch.importers.documents import Document
from scalewatch.importers.series import (
    VALUE,
    WHOLE_PROGRAM,
    ImportedMeasurement,
    SeriesIdentity,
    Setting,
)


def read(documents: Iterable[Document]) -> Iterator[ImportedMeasurement]:
    """Yield one measurement per object."""
    orders: dict[frozenset[str], tuple[str, ...]] = {}
    for document in documents:
        params = document.part("params")
        names = params.object()
        if not names:
            raise params.malformed("at least one parameter")
        # The parameters of a line are those of another in whatever order they stand.
        parameters = orders.setdefault(frozenset(names), tuple(names))
        subject = SeriesIdentity(
            region=_name(document, "region")
            or _name(document, "callpath")
            or WHOLE_PROGRAM,
            metric=_name(document, "metric") or VALUE,
            unit=_name(document, "unit"),
            configuration=tuple(sorted(_configuration(document).items())),
            parameters=parameters,
            origin=document.origin,
        )
        coordinate = tuple(params.part(name).setting() for name in parameters)
        yield ImportedMeasurement(subject, coordinate, document.part("value").numbers())


def _name(document: Document, key: str) -> str | None:
    return document.part(key).name() if key in document.object() else None


def _configuration(document: Document) -> Mapping[str, Setting]:
    if "configuration" not in document.object():
        return {}
    held = {}
    for key, part in document.part("configuration").parts():
        if not isinstance(part.value, str | bool | int | float):
            raise part.malformed("a text or a number")
        held[key] = part.value
    return held
