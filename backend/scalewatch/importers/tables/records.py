"""Tables in JSON: objects that are rows, `{"p": 8, "time": 1.5}`, or lists as columns.

Their cells are read as those of any other table.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from scalewatch.importers.documents import Document
from scalewatch.importers.series import ImportedMeasurement
from scalewatch.importers.source import Source
from scalewatch.importers.tables import separated
from scalewatch.texts.scales import parameter_of, scale_of


def recognises(document: Document) -> bool:
    """Tell whether an object is a row or a table: plain values, of which one scales."""
    held = document.value
    if not isinstance(held, dict) or len(held) < 2:
        return False
    is_row = not any(isinstance(value, dict | list) for value in held.values())
    is_named = any(scale_of(name) or parameter_of(name) for name in held)
    return is_named and (is_row or _are_columns(held))


def read(
    documents: Iterable[Document],
    source: Source,
    stated: Mapping[str, Sequence[str]],
    *,
    has_coordinate: bool = False,
) -> Iterator[ImportedMeasurement]:
    """Yield one measurement per value; rows with other keys are tables of their own."""
    tables: dict[tuple[str, ...], list[Mapping[str, object]]] = {}
    for document in documents:
        held = document.object()
        if _are_columns(held):
            tables.setdefault((*held,), []).extend(
                dict(zip(held, row, strict=True))
                for row in zip(*held.values(), strict=True)
            )
        else:
            tables.setdefault((*held,), []).append(held)
    for header, objects in tables.items():
        rows = [
            (source.line, [_cell(held[name]) for name in header]) for held in objects
        ]
        yield from separated.read_rows(
            source,
            [(source.line, [*header]), *rows],
            stated,
            has_coordinate=has_coordinate,
        )


def _are_columns(held: Mapping[str, object]) -> bool:
    """Tell whether all values are lists of equally many plain ones."""
    lengths = {
        len(value) if isinstance(value, list) else None for value in held.values()
    }
    return (
        len(lengths) == 1
        and None not in lengths
        and not any(
            isinstance(cell, dict | list)
            for value in held.values()
            if isinstance(value, list)
            for cell in value
        )
    )


def _cell(value: object) -> str:
    return "" if value is None else str(value)
