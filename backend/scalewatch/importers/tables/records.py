"""Tables in JSON: objects that are rows, `{"p": 8, "time": 1.5}`, or lists as columns.

Lists of rows may stand in an object, `{"code": "cg", "runs": [{"p": 8, …}, …]}`, whose
plain values belong to each row, and rows may hold objects, `{"at": {"p": 8}, …}`. Their
cells are read as those of any other table.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from scalewatch.importers.documents import Document
from scalewatch.importers.series import ImportedMeasurement
from scalewatch.importers.source import Source
from scalewatch.importers.tables import separated
from scalewatch.texts.scales import parameter_of, scale_of

_TITLE: Final = "table"
"""Setting by which several lists of one object are told apart."""


def recognises(document: Document) -> bool:
    """Tell whether an object is a row or a table, or holds a list of rows."""
    held = document.value
    if not isinstance(held, dict):
        return False
    return (
        _is_row(held) or (_is_named(held) and _are_columns(held)) or any(_lists(held))
    )


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
        if lists := _lists(held):
            beside = {name: value for name, value in held.items() if _is_plain(value)}
            for key, objects in lists.items():
                named = {_TITLE: key} if len(lists) > 1 else {}
                for row in objects:
                    whole = {**beside, **named, **_flat(row)}
                    tables.setdefault((*whole,), []).append(whole)
        elif _are_columns(held):
            tables.setdefault((*held,), []).extend(
                dict(zip(held, row, strict=True))
                for row in zip(*held.values(), strict=True)
            )
        else:
            row = _flat(held)
            tables.setdefault((*row,), []).append(row)
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


def _lists(held: Mapping[str, object]) -> dict[str, list[Mapping[str, object]]]:
    """Return the lists of rows that an object holds, by their key."""
    return {
        key: value
        for key, value in held.items()
        if isinstance(value, list) and value and all(map(_is_row, value))
    }


def _is_row(held: object) -> bool:
    """Tell whether an object holds plain values alone, of which one is a scale."""
    if not isinstance(held, dict):
        return False
    row = _flat(held)
    return len(row) > 1 and _is_named(row) and all(map(_is_plain, row.values()))


def _flat(held: Mapping[str, object]) -> dict[str, object]:
    """Return the values of an object and of those in it, by their key.

    Where a key stands in several, those of the objects stand before it.
    """
    paths: dict[tuple[str, ...], object] = {}
    waiting: list[tuple[tuple[str, ...], object]] = [((), held)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [((*path, key), part) for key, part in reversed(value.items())]
        else:
            paths[path] = value
    counts = Counter(path[-1] for path in paths)
    return {
        path[-1] if counts[path[-1]] == 1 else " ".join(path): value
        for path, value in paths.items()
    }


def _is_named(held: Mapping[str, object]) -> bool:
    return any(scale_of(name) or parameter_of(name) for name in held)


def _is_plain(value: object) -> bool:
    return not isinstance(value, dict | list)


def _are_columns(held: Mapping[str, object]) -> bool:
    """Tell whether all values are lists of equally many plain ones."""
    lengths = {
        len(value) if isinstance(value, list) and all(map(_is_plain, value)) else None
        for value in held.values()
    }
    return len(lengths) == 1 and None not in lengths


def _cell(value: object) -> str:
    return "" if value is None else str(value)
