"""Read files of any format as series; the format is stated, or found by content."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import groupby
from typing import Any, Final

from scalewatch.errors import UnreadableFile
from scalewatch.importers import extrap_text
from scalewatch.importers.documents import Document, read_documents
from scalewatch.importers.series import ImportedMeasurement, ImportedSeries, Scans
from scalewatch.importers.source import Source, open_source, quoted

AUTO: Final = "auto"
TEXT: Final = "text"
JSON: Final = "json"
CSV: Final = "csv"

GPROF: Final = "gprof"

FORMATS: Final = (AUTO, TEXT, JSON, CSV, GPROF)
"""Names of the formats; JSON is Extra-P's, its JSON Lines, and our run reports."""

_JSON_READERS: Final = {
    "params": "json_lines",
    "measurements": "extrap_json",
    "results": "runs",
}
"""Modules by the key that tells their objects from others."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What several files hold, and an error for each that cannot be read."""

    scans: Scans
    unreadable: Sequence[UnreadableFile]

    @property
    def series(self) -> list[ImportedSeries]:
        """The measurements as series, in the order of the input."""
        return self.scans.series()


def read_files(
    paths: Sequence[str],
    file_format: str = AUTO,
    columns: Mapping[str, Sequence[str]] | None = None,
    at: Mapping[str, float] | None = None,
) -> Reading:
    """Return the measurements of all files.

    Each file stands for itself; only run reports are put together, because their
    scan is spread over many of them.

    Parameters
    ----------
    paths
        Files; "-" is standard input.
    file_format
        One of `FORMATS`.
    columns
        For tables: names of columns by meaning, see `csv_columns.columns_of`.
    at
        Settings of parameters that the files leave out.
    """
    scans = Scans()
    unreadable = []
    for path in paths:
        try:
            with open_source(path) as source:
                scans.merge(read_source(source, file_format, columns or {}, at or {}))
        except UnreadableFile as error:
            unreadable.append(error)
    return Reading(scans, unreadable)


def read_source(
    source: Source,
    file_format: str,
    columns: Mapping[str, Sequence[str]],
    at: Mapping[str, float],
) -> Scans:
    """Return the measurements of one file.

    Raises
    ------
    UnreadableFile
        If it breaks the rules of its format, or holds no measurements.
    """
    first = source.peek()
    if file_format == AUTO:
        file_format = _format(source, first)
    if file_format == TEXT:
        measurements = extrap_text.read(source)
    elif file_format == GPROF:
        measurements = _module("gprof").read(source)
    elif file_format == CSV:
        measurements = _module("csv_table").read(source, columns, at)
    else:
        measurements = _read_json(source)
    scans = Scans(_placed(each, at, source) for each in measurements)
    if not scans:
        raise UnreadableFile(source.name, "it holds no measurements")
    return scans


def _placed(
    measurement: ImportedMeasurement, at: Mapping[str, float], source: Source
) -> ImportedMeasurement:
    """Return a measurement with the settings that its file leaves out."""
    subject, coordinate, values = measurement
    missing = {name: at[name] for name in at if name not in subject.parameters}
    parameters = (*subject.parameters, *missing)
    if not parameters:
        raise UnreadableFile(
            source.name,
            "it does not say at which p it was measured; "
            "`scalewatch import --at p=8` says that for it",
        )
    return ImportedMeasurement(
        subject._replace(parameters=parameters),
        (*coordinate, *missing.values()),
        values,
    )


def _format(source: Source, first: str) -> str:
    """Return the format that the first line which says something belongs to."""
    if first.lstrip().startswith(("{", "[")):
        return JSON
    if first.split(maxsplit=1)[0] in extrap_text.KEYWORDS:
        return TEXT
    if _module("gprof").is_flat_profile(first):
        return GPROF
    if _module("csv_table").is_table(first):
        return CSV
    expected = (
        "Extra-P text, JSON, JSON Lines, a table with a header or gprof's flat profile"
    )
    raise UnreadableFile(source.name, f"expected {expected}, found {quoted(first)}")


def _read_json(source: Source) -> Iterator[ImportedMeasurement]:
    for kind, documents in groupby(read_documents(source), key=_json_reader):
        yield from _module(kind).read(documents)


def _json_reader(document: Document) -> str:
    for key, reader in _JSON_READERS.items():
        if key in document.object():
            return reader
    keys = ", ".join(map(repr, _JSON_READERS))
    raise document.malformed(f"an object with one of the keys {keys}")


def _module(name: str) -> Any:
    """Import the reader of a format once it is needed: some take long to load."""
    return import_module(f"{__package__}.{name}")
