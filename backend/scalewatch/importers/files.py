"""Read files of any format as series; the format is stated, or found by content."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from itertools import groupby
from typing import Any, Final, NamedTuple

from scalewatch.errors import UnmatchedName, UnplacedSeries, UnreadableFile
from scalewatch.importers import extrap_text
from scalewatch.importers.documents import Document, read_documents
from scalewatch.importers.places import sources_of
from scalewatch.importers.repeats import KnownRuns
from scalewatch.importers.series import ImportedMeasurement, ImportedSeries, Scans
from scalewatch.importers.settings import SettingRules, placed
from scalewatch.importers.source import Source, quoted

AUTO: Final = "auto"
TEXT: Final = "text"
JSON: Final = "json"
CSV: Final = "csv"
MARKDOWN: Final = "markdown"

TEXT_READERS: Final[Mapping[str, str]] = {
    "gprof": "profiles.gprof",
    "osu": "benchmarks.osu",
    "reframe": "suites.reframe_perflog",
    "lammps": "applications.lammps",
    "gromacs": "applications.gromacs",
    "hpl": "benchmarks.hpl",
    "hpcg": "benchmarks.hpcg",
    "commented-table": "tables.commented_header",
    MARKDOWN: "tables.markdown",
}
"""Modules by format; each knows the beginning of its texts and reads them."""

JSON_READERS: Final[Mapping[str, str]] = {
    "google-benchmark": "benchmarks.google_benchmark",
    "reframe-json": "suites.reframe_json",
    "pytest-benchmark": "benchmarks.pytest_benchmark",
    "hyperfine": "benchmarks.hyperfine",
    "list": "benchmarks.named_values",
    "bmf": "benchmarks.bencher",
}
"""Modules by format; each knows its documents and reads them."""

_OWN_JSON: Final = {
    "params": "json_lines",
    "measurements": "extrap_json",
    "results": "runs",
}
"""Modules by the key that tells their objects from others."""

FORMATS: Final = (AUTO, TEXT, JSON, CSV, *TEXT_READERS, *JSON_READERS)
"""Names of the formats; JSON is Extra-P's, its JSON Lines, and our run reports."""


@dataclass(slots=True)
class Reading:
    """What several files hold, and an error for each that cannot be read.

    `passed_over` are files of folders and archives that are of no known format, and
    `known` tells which results stood in several files.
    """

    scans: Scans = field(default_factory=Scans)
    known: KnownRuns = field(default_factory=KnownRuns)
    unreadable: list[UnreadableFile] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    files: int = 0

    @property
    def series(self) -> list[ImportedSeries]:
        """The measurements as series, in the order of the input."""
        return self.scans.series()


class UnknownFormat(UnreadableFile):
    """A file is of no format that is known."""


class _Part(NamedTuple):
    """Measurements of a file that are of one format."""

    file_format: str
    measurements: Iterable[ImportedMeasurement]


def read_files(
    paths: Sequence[str],
    file_format: str = AUTO,
    columns: Mapping[str, Sequence[str]] | None = None,
    rules: Mapping[str, SettingRules] | None = None,
) -> Reading:
    """Return the measurements of all files.

    Each file stands for itself, unless its format spreads a scan over many of them
    or a pattern of paths does.

    Parameters
    ----------
    paths
        Files, folders and archives; "-" is standard input.
    file_format
        One of `FORMATS`.
    columns
        For tables: names of columns by meaning, see `csv_columns.columns_of`.
    rules
        Where settings come from, by format; those of `AUTO` are for all others.
    """
    reading = Reading()
    read = partial(read_source, file_format=file_format, columns=columns, rules=rules)
    for path in paths:
        try:
            with sources_of(path) as sources:
                before = reading.files
                for source, is_named in sources:
                    _add(reading, read, source, is_named)
                if before == reading.files:
                    reading.unreadable.append(UnreadableFile(path, "it is empty"))
        except UnreadableFile as error:
            reading.unreadable.append(error)
    return reading


def _add(
    reading: Reading,
    read: Callable[..., Scans],
    source: Source,
    is_named: bool,  # noqa: FBT001
) -> None:
    unmatched: list[UnreadableFile] = []
    reading.files += 1
    try:
        told = read(source, unmatched=unmatched)
        reading.known.add(reading.scans, told, source.name)
    except UnknownFormat as error:
        if is_named:
            reading.unreadable.append(error)
        else:
            reading.passed_over.append(source.name)
    except UnreadableFile as error:
        reading.unreadable.append(error)
    reading.unreadable.extend(unmatched)


def read_source(
    source: Source,
    file_format: str = AUTO,
    columns: Mapping[str, Sequence[str]] | None = None,
    rules: Mapping[str, SettingRules] | None = None,
    unmatched: list[UnreadableFile] | None = None,
) -> Scans:
    """Return the measurements of one file.

    Add to `unmatched` what no pattern is for, and regions that have no parameter.

    Raises
    ------
    UnreadableFile
        If it breaks the rules of its format, or holds no measurements.
    """
    source.peek()
    rules = rules or {}
    scans, its_rules = Scans(), SettingRules()
    unlike, unplaced = dict[str, UnmatchedName](), dict[str, None]()
    for part in _parts(source, file_format, columns or {}, rules):
        its_rules = _rules_of(part.file_format, rules)
        for measurement in part.measurements:
            try:
                scans.add(_with_origin(measurement, its_rules, source))
            except UnmatchedName as error:
                unlike[error.name] = error
            except UnplacedSeries:
                unplaced[measurement.subject.region] = None
    if unplaced and not scans:
        raise UnplacedSeries(source.name)
    if unplaced and unmatched is not None:
        unmatched.append(UnplacedSeries(source.name, list(unplaced)))
    if unmatched is not None and not its_rules.skips_unmatched:
        unmatched.extend(unlike.values())
    if not scans and not unlike:
        raise UnreadableFile(source.name, "it holds no measurements")
    return scans


def _rules_of(file_format: str, rules: Mapping[str, SettingRules]) -> SettingRules:
    return rules.get(file_format) or rules.get(AUTO) or SettingRules()


def _with_origin(
    measurement: ImportedMeasurement, rules: SettingRules, source: Source
) -> ImportedMeasurement:
    """Return a measurement in its place, with what tells it from those of others."""
    there = placed(measurement, rules, source.name)
    origin = [
        (key, value)
        for key, value in there.subject.origin
        if key != "file" or rules.path is None
    ]
    known = {"commit": there.provenance.commit, "machine": there.provenance.machine}
    origin += [(key, value) for key, value in known.items() if value is not None]
    return there._replace(subject=there.subject._replace(origin=tuple(origin)))


def _parts(
    source: Source,
    file_format: str,
    columns: Mapping[str, Sequence[str]],
    rules: Mapping[str, SettingRules],
) -> Iterator[_Part]:
    if file_format == AUTO:
        file_format = _format(source)
    if file_format == TEXT:
        yield _Part(TEXT, extrap_text.read(source))
    elif file_format in {CSV, MARKDOWN}:
        if file_format == MARKDOWN:
            source = _module(TEXT_READERS[MARKDOWN]).plain(source)
        brought = _rules_of(file_format, rules).bring_parameters
        reader = _module("csv_table")
        yield _Part(file_format, reader.read(source, columns, has_coordinate=brought))
    elif file_format in TEXT_READERS:
        reader = _module(TEXT_READERS[file_format])
        yield _Part(file_format, reader.read(source))
    else:
        told = file_format if file_format in JSON_READERS else None
        documents = groupby(read_documents(source), key=lambda one: told or _kind(one))
        for kind, held in documents:
            reader = _module(JSON_READERS.get(kind, kind))
            yield _Part(kind if kind in JSON_READERS else JSON, reader.read(held))


def _format(source: Source) -> str:
    """Return the format that the beginning of a file belongs to."""
    first = source.peek()
    if first.lstrip().startswith(("{", "[")):
        return JSON
    if first.split(maxsplit=1)[0] in extrap_text.KEYWORDS:
        return TEXT
    head = source.head()
    for name, module in TEXT_READERS.items():
        if _module(module).recognises(head):
            return name
    if _module("csv_table").is_table(head):
        return CSV
    known = ", ".join(FORMATS[4:])
    expected = f"Extra-P text, JSON, JSON Lines, a table with a header, or {known}"
    raise UnknownFormat(source.name, f"expected {expected}, found {quoted(first)}")


def _kind(document: Document) -> str:
    for name, module in JSON_READERS.items():
        if _module(module).recognises(document):
            return name
    for key, module in _OWN_JSON.items():
        if key in document.object():
            return module
    keys = ", ".join(map(repr, _OWN_JSON))
    raise document.malformed(f"an object with one of the keys {keys}")


def _module(name: str) -> Any:
    """Import the reader of a format once it is needed: some take long to load."""
    return import_module(f"{__package__}.{name}")
