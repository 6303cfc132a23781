"""Rows as streams of bytes, part by part: CSV, JSON Lines, Parquet and Arrow.

No more than one part is in memory.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import orjson

from scalewatch.errors import MissingExtra
from scalewatch.exporters.listing import harmless

EXTRA: Final = "parquet"

Rows = Sequence[Sequence[Any]]


class Kind(StrEnum):
    """The type of a column."""

    TEXT = "text"
    NUMBER = "number"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class TypedColumns:
    """Names and types of columns.

    Parameters
    ----------
    nested
        Of JSON Lines: the columns of an object of its own, by its name.
    """

    kinds: Mapping[str, Kind]
    nested: Mapping[str, Sequence[str]]


def csv_stream(columns: TypedColumns, parts: Iterable[Rows]) -> Iterator[bytes]:
    """Yield a line of names, and then one per row."""
    yield _csv([list(columns.kinds)])
    for rows in parts:
        yield _csv(rows)


def json_lines_stream(columns: TypedColumns, parts: Iterable[Rows]) -> Iterator[bytes]:
    """Yield an object per row; what is absent of a nested one is left out."""
    names = list(columns.kinds)
    place = {name: outer for outer, inner in columns.nested.items() for name in inner}
    for rows in parts:
        lines = []
        for row in rows:
            line: dict[str, Any] = {}
            for name, value in zip(names, row, strict=True):
                if name not in place:
                    line[name] = value
                    continue
                nested = line.setdefault(place[name], {})
                if value is not None:
                    nested[name] = value
            lines.append(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
        yield b"".join(lines)


def parquet_stream(columns: TypedColumns, parts: Iterable[Rows]) -> Iterator[bytes]:
    """Yield a file with a group of rows per part.

    Raises
    ------
    MissingExtra
        If pyarrow is missing.
    """
    arrow = _arrow("parquet")
    from pyarrow import parquet  # noqa: PLC0415 - see `_arrow`

    sink = _Sink()
    schema = _schema(arrow, columns)
    writer = parquet.ParquetWriter(sink, schema, compression="zstd")
    return _written(arrow, columns, parts, sink, writer.write_table, writer.close)


def arrow_stream(columns: TypedColumns, parts: Iterable[Rows]) -> Iterator[bytes]:
    """Yield a stream of Arrow with a batch per part.

    Raises
    ------
    MissingExtra
        If pyarrow is missing.
    """
    arrow = _arrow("arrow")
    sink = _Sink()
    writer = arrow.ipc.new_stream(sink, _schema(arrow, columns))
    return _written(arrow, columns, parts, sink, writer.write_table, writer.close)


Stream = Callable[[TypedColumns, Iterable[Rows]], Iterator[bytes]]

STREAMS: Final[Mapping[str, Stream]] = {
    "csv": csv_stream,
    "jsonl": json_lines_stream,
    "parquet": parquet_stream,
    "arrow": arrow_stream,
}

MEDIA_TYPES: Final[Mapping[str, str]] = {
    "csv": "text/csv",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
    "arrow": "application/vnd.apache.arrow.stream",
}


class _Sink(io.RawIOBase):
    """A file that hands on what was written to it."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        part = bytes(data)
        self._parts.append(part)
        self._size += len(part)
        return len(part)

    def tell(self) -> int:
        return self._size

    def taken(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


def _written(  # noqa: PLR0913, PLR0917 - a writer of pyarrow
    arrow: Any,
    columns: TypedColumns,
    parts: Iterable[Rows],
    sink: _Sink,
    write: Callable[[Any], object],
    close: Callable[[], object],
) -> Iterator[bytes]:
    schema = _schema(arrow, columns)
    for rows in parts:
        if rows:
            held = zip(*rows, strict=True)
            typed = [
                _typed(values, kind)
                for values, kind in zip(held, columns.kinds.values(), strict=True)
            ]
            write(arrow.table(dict(zip(columns.kinds, typed, strict=True)), schema))
            yield sink.taken()
    close()
    yield sink.taken()


def _typed(values: Sequence[Any], kind: Kind) -> list[Any]:
    if kind is Kind.TEXT:
        return [None if value is None else str(value) for value in values]
    if kind is Kind.NUMBER:
        return [None if value is None else float(value) for value in values]
    return list(values)


def _schema(arrow: Any, columns: TypedColumns) -> Any:
    types = {
        Kind.TEXT: arrow.string(),
        Kind.NUMBER: arrow.float64(),
        Kind.WHOLE: arrow.int64(),
    }
    return arrow.schema([(name, types[kind]) for name, kind in columns.kinds.items()])


def _arrow(name: str) -> Any:
    """Import pyarrow once it is needed: it is large, and an extra."""
    try:
        import pyarrow as pa  # noqa: PLC0415
    except ModuleNotFoundError:
        raise MissingExtra(f"format={name}", "pyarrow", EXTRA) from None
    return pa


def _csv(rows: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(map(harmless, rows))
    return text.getvalue().encode()
