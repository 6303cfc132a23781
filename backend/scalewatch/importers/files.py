"""Read files of any format as series; the format is stated, or found by content."""

import math
import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from scalewatch.errors import (
    MissingReader,
    NoMeasurements,
    NoResults,
    TooManyMeasurements,
    UnclearTable,
    UnmatchedName,
    UnplacedSeries,
    UnreadableFile,
)
from scalewatch.importers import extrap_text
from scalewatch.importers.documents import Document, read_documents
from scalewatch.importers.formats import (
    ASV,
    AUTO,
    BINARY_READERS,
    JSON,
    JSON_READERS,
    LINES,
    PRINTED,
    PYTEST_BENCHMARK,
    RECORDS,
    SUMMARISED,
    TABLE_READERS,
    TEXT,
    TEXT_READERS,
)
from scalewatch.importers.lines import STATED
from scalewatch.importers.places import distinct, sources_of
from scalewatch.importers.recognition import (
    UnknownFormat,
    format_of,
    kind_of,
    reader,
)
from scalewatch.importers.repeats import KnownRuns
from scalewatch.importers.series import (
    WHOLE_PROGRAM,
    ImportedMeasurement,
    ImportedSeries,
    Scans,
    postable_metric,
    seconds_of,
)
from scalewatch.importers.settings import Additions, SettingRules, bounded, placed
from scalewatch.importers.source import LONGEST_LOG_LINE, ReadTable, Source, quoted
from scalewatch.importers.suites.asv import older_files
from scalewatch.quantities import is_time, parse_unit

_LONGEST_TIME: Final = 1e12
"""Seconds, thirty thousand years: what is longer stands for a run that never ended."""

_LARGEST: Final = 1e36
"""Beyond are the marks for nothing: 9.99e99, and the largest numbers of machines."""

_ENDS_IN_NUMBER: Final = re.compile(r"/\d+\Z")
"""The end of a name that says a setting, `BM_sort<int>/1024`."""

MOST_FILES: Final = 200
MOST_MEASUREMENTS: Final = 20_000
"""Files and measurements of a part of an import, which ends behind a whole file."""


@dataclass(slots=True)
class Reading:
    """The measurements of several files, and an error for each that cannot be read.

    `passed_over` are files of folders and archives that are of no known format,
    `left_out` are remarks on parts of others, `skipped` counts results that were left
    out by the reason, `missing` are the extras that would read more, and `known` the
    results that stood in several files.
    """

    scans: Scans = field(default_factory=Scans)
    known: KnownRuns = field(default_factory=KnownRuns)
    unreadable: list[UnreadableFile] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    tables: list[ReadTable] = field(default_factory=list)
    missing: set[str] = field(default_factory=set)
    files: int = 0
    measurements: int = 0

    @property
    def series(self) -> list[ImportedSeries]:
        """The measurements as series, in the order of the input."""
        return self.scans.series()

    @property
    def is_large(self) -> bool:
        """Whether further files should be a part of their own."""
        return self.files >= MOST_FILES or self.measurements >= MOST_MEASUREMENTS


class _Part(NamedTuple):
    """Measurements of a file that are of one format."""

    file_format: str
    measurements: Iterable[ImportedMeasurement]


def read_files(  # noqa: PLR0913 - all that is said of files
    paths: Sequence[str],
    file_format: str = AUTO,
    columns: Mapping[str, Sequence[str]] | None = None,
    rules: Mapping[str, SettingRules] | None = None,
    most: int | None = None,
    *,
    newest: int | None = None,
) -> Reading:
    """Return the measurements of all files.

    Each file stands for itself, unless its format spreads a scan over many of them
    or a pattern of paths does.

    Parameters
    ----------
    paths
        Files, folders and archives; "-" is standard input.
    file_format
        One of `formats.FORMATS`.
    columns
        For tables: names of columns by meaning, see `tables.columns.columns_of`.
    rules
        Where settings come from, by format; those of `AUTO` are for all others.
    most
        Measurements that a file may hold, and all of them together.
    newest
        Commits that are read of a folder whose files hold one each, as asv's do; all
        unless given.
    """
    read = partial(read_source, file_format=file_format, columns=columns, rules=rules)
    reading = Reading()
    for source in _sources(reading, paths):
        if newest is not None and _is_older(*source, newest):
            continue
        _add(reading, partial(read, most=most), *source)
        if most is not None and reading.measurements > most:
            reading.unreadable.append(TooManyMeasurements(source[0].name, most))
            break
    return reading


def _is_older(source: Source, is_named: bool, newest: int) -> bool:  # noqa: FBT001
    """Tell whether a file of a folder is not of the newest commits there."""
    if is_named or source.surroundings is None:
        return False
    folder = older_files(source.surroundings, newest)
    return Path(source.name).name in folder


def read_in_parts(
    paths: Sequence[str],
    file_format: str = AUTO,
    columns: Mapping[str, Sequence[str]] | None = None,
    rules: Mapping[str, SettingRules] | None = None,
) -> Iterator[Reading]:
    """Yield the same, a bounded number of files after the other.

    Of two files in different parts that hold the same results, the first one counts.
    """
    read = partial(read_source, file_format=file_format, columns=columns, rules=rules)
    reading = Reading()
    errors = Reading()
    for source in _sources(errors, paths):
        if reading.is_large:
            yield reading
            past = reading.known.of_the_past()
            reading = Reading(known=past, missing=reading.missing)
        _add(reading, read, *source)
    reading.unreadable += errors.unreadable
    yield reading


def _sources(reading: Reading, paths: Sequence[str]) -> Iterator[tuple[Source, bool]]:
    """Yield the files at all paths; note in `reading` those that cannot be opened."""
    for path in distinct(paths):
        is_empty = True
        try:
            with sources_of(path) as sources:
                for source in sources:
                    is_empty = False
                    yield source
        except UnreadableFile as error:
            reading.unreadable.append(error)
        else:
            if is_empty:
                reading.unreadable.append(UnreadableFile(path, "it is empty"))


def _add(
    reading: Reading,
    read: Callable[..., Scans],
    source: Source,
    is_named: bool,  # noqa: FBT001
) -> None:
    unmatched: list[UnreadableFile] = []
    reading.files += 1
    try:
        results = read(source, unmatched=unmatched)
        reading.measurements += reading.known.add(reading.scans, results, source.name)
    except (UnknownFormat, UnclearTable) as error:
        is_table = isinstance(error, UnclearTable) and not error.is_in_text
        if is_named or is_table:
            reading.unreadable.append(error)
        else:
            reading.passed_over.append(source.name)
    except NoResults as error:
        if is_named:
            reading.unreadable.append(error)
    except MissingReader as error:
        # One line for all files of a format.
        if error.extra not in reading.missing:
            reading.missing.add(error.extra)
            reading.unreadable.append(error)
    except UnreadableFile as error:
        reading.unreadable.append(error)
    reading.unreadable.extend(unmatched)
    reading.tables.extend(source.tables)
    reading.left_out.extend(f"{source.name}: {note}" for note in source.notes)
    reading.skipped.update(source.skipped)


def read_source(  # noqa: PLR0913, PLR0917 - all that is said of a file
    source: Source,
    file_format: str = AUTO,
    columns: Mapping[str, Sequence[str]] | None = None,
    rules: Mapping[str, SettingRules] | None = None,
    unmatched: list[UnreadableFile] | None = None,
    most: int | None = None,
) -> Scans:
    """Return the measurements of one file.

    Add to `unmatched` names that no pattern matches, and regions without a parameter.

    Raises
    ------
    UnreadableFile
        If it breaks the rules of its format, or holds no measurements, or more than
        `most`.
    """
    rules = rules or {}
    scans, its_rules = Scans(), SettingRules()
    unlike, unplaced = dict[str, UnmatchedName](), dict[str, float | None]()
    for part in _parts(source, file_format, columns or {}, rules):
        its_rules = _rules_of(part.file_format, rules)
        additions = Additions(its_rules.at)
        for measurement in bounded(part.measurements, source.name, most):
            try:
                there = _with_origin(measurement, its_rules, source, part.file_format)
                additions.note(there)
                scans.add(there)
            except UnmatchedName as error:
                unlike[error.name] = error
            except UnplacedSeries:
                unplaced[measurement.subject.region] = measurement.launched
        additions.refuse_contradictions(source.name)
    if unplaced and not scans:
        raise UnplacedSeries(
            source.name,
            launched=max(unplaced.values(), key=bool),
            is_in_names=all(map(_ENDS_IN_NUMBER.search, unplaced)),
        )
    if unmatched is not None and not its_rules.skips_unmatched:
        if unplaced:
            launched = max(unplaced.values(), key=bool)
            unmatched.append(UnplacedSeries(source.name, list(unplaced), launched))
        unmatched.extend(unlike.values())
    if not scans and not unlike:
        raise NoMeasurements(source.name)
    if its_rules.skip_first:
        source.notes.extend(scans.skip_first(its_rules.skip_first, source.name))
    return scans


def _rules_of(file_format: str, rules: Mapping[str, SettingRules]) -> SettingRules:
    return rules.get(file_format) or rules.get(AUTO) or SettingRules()


def _fault(measurement: ImportedMeasurement, value: float) -> str | None:
    """Return why a number measures nothing, or None if it may.

    A part of a program may take no time that its clock resolves; a whole one does.
    """
    if abs(value) >= _LARGEST:
        return f"a value of {value:g} stands for none"
    if not _is_time(measurement):
        return None
    if value < 0:
        return "a time below zero is none"
    subject = measurement.subject
    if value == 0 and (subject.region, subject.metric) == (WHOLE_PROGRAM, "time"):
        return "a program that took no time did not run"
    size = seconds_of(subject.unit or "s") or 1.0
    if value * size > _LONGEST_TIME:
        return f"a time of {value:g} {subject.unit or 's'} is longer than any run"
    return None


def _is_time(measurement: ImportedMeasurement) -> bool:
    metric, unit = measurement.subject.metric, measurement.subject.unit
    return metric == "time" or is_time(parse_unit(unit or "").dimension)


def _with_origin(
    measurement: ImportedMeasurement,
    rules: SettingRules,
    source: Source,
    file_format: str,
) -> ImportedMeasurement:
    """Return a measurement with its settings, its origin and its source."""
    there = placed(measurement, rules, source.name, file_format)
    if there.values and not 0 < min(there.values) <= max(there.values) < _LONGEST_TIME:
        faults = [_fault(there, value) for value in there.values]
        for fault in {*faults} - {None}:
            source.note_once(f"{fault}: its run counts as failed")
        values = [
            math.nan if fault else value
            for value, fault in zip(there.values, faults, strict=True)
        ]
        there = there._replace(values=values)
    origin = [
        (key, value)
        for key, value in there.subject.origin
        if key != "file" or rules.path is None
    ]
    metric = postable_metric(there.subject.metric, there.subject.unit)
    known = {"commit": there.provenance.commit, "machine": there.provenance.machine}
    origin += [(key, value) for key, value in known.items() if value is not None]
    return there._replace(
        subject=there.subject._replace(metric=metric, origin=tuple(origin)),
        provenance=there.provenance._replace(
            source=there.provenance.source or source.name
        ),
    )


def _parts(
    source: Source,
    file_format: str,
    columns: Mapping[str, Sequence[str]],
    rules: Mapping[str, SettingRules],
) -> Iterator[_Part]:
    programs = _rules_of(LINES, rules).programs
    if file_format == AUTO:
        names = {program.name for program in _rules_of(AUTO, rules).programs}
        file_format = LINES if STATED in names else format_of(source, programs)
    source.across = _rules_of(file_format, rules).across
    if file_format not in BINARY_READERS:
        source.peek()
    if file_format in TEXT_READERS:
        source.longest_line = LONGEST_LOG_LINE
    if file_format == TEXT:
        yield _Part(TEXT, extrap_text.read(source))
    elif file_format in TABLE_READERS:
        tables = reader(TABLE_READERS[file_format])
        brought = _rules_of(file_format, rules).bring_parameters
        read = partial(tables.read, stated=columns, has_coordinate=brought)
        yield _Part(file_format, _ended_well(source, file_format, read))
    elif file_format == LINES:
        read = partial(reader(LINES).read, programs=programs)
        yield _Part(LINES, _ended_well(source, LINES, read))
    elif module := {**TEXT_READERS, **BINARY_READERS}.get(file_format):
        read = reader(module).read
        yield _Part(file_format, _ended_well(source, file_format, read))
    else:
        stated = file_format if file_format in JSON_READERS else None
        documents = read_documents(source)
        for kind, held in groupby(
            documents, lambda document: stated or kind_of(document)
        ):
            read_json = _json_reader(kind, rules, source, columns)
            yield _Part(kind if kind in JSON_READERS else JSON, read_json(held))


def _json_reader(
    kind: str,
    rules: Mapping[str, SettingRules],
    source: Source,
    columns: Mapping[str, Sequence[str]],
) -> Callable[[Iterable[Document]], Iterable[ImportedMeasurement]]:
    """Return the reader of documents of a kind, with what it has to know besides."""
    read = reader(JSON_READERS.get(kind, kind)).read
    if kind in {ASV, PYTEST_BENCHMARK}:
        its_rules = _rules_of(kind, rules)
        scan = None if its_rules.for_growth else tuple(its_rules.scan)
        read = partial(read, scan=scan)
    if kind == RECORDS:
        brought = _rules_of(AUTO, rules).bring_parameters
        return partial(read, source=source, stated=columns, has_coordinate=brought)
    return partial(read, left_out=source.skipped) if kind == ASV else read


def _ended_well(
    source: Source,
    file_format: str,
    read: Callable[[Source], Iterable[ImportedMeasurement]],
) -> Iterator[ImportedMeasurement]:
    """Yield what a log holds, without values of a run that it says ended by an error.

    The run is the last one that was printed before; where a program prints all at its
    end, it is the next.
    """
    if file_format not in PRINTED | SUMMARISED:
        yield from read(source)
        return
    source.look_for_aborts()
    held = [(source.line, measurement) for measurement in read(source)]
    deque(source, maxlen=0)
    failed = set[int]()
    for number, words in source.aborts:
        is_later = (at for at, (line, _) in enumerate(held) if line >= number)
        later = next(is_later, len(held))
        its_run: Sequence[int] = _run_at(held, later - 1)
        if file_format in SUMMARISED and later < len(held):
            ended_at = held[later][0]
            its_run = [at for at, (line, _) in enumerate(held) if line == ended_at]
        failed.update(its_run)
        results = (
            "1 result of it counts"
            if len(its_run) == 1
            else (f"{len(its_run)} results of it count")
        )
        source.notes.append(
            f"line {number} says that a run ended by an error ({quoted(words)}): "
            f"{results} as failed"
        )
    for at, (_, measurement) in enumerate(held):
        lost = [math.nan] * len(measurement.values)
        yield measurement._replace(values=lost) if at in failed else measurement


def _run_at(
    held: Sequence[tuple[int, ImportedMeasurement]], last: int
) -> Sequence[int]:
    """Return the positions of a region's last measurements at the same coordinate."""
    first = last
    its_run = last >= 0 and _run(held[last][1])
    while first > 0 and _run(held[first - 1][1]) == its_run:
        first -= 1
    return range(max(first, 0), last + 1)


def _run(measurement: ImportedMeasurement) -> tuple[object, ...]:
    subject = measurement.subject
    return subject.region, measurement.coordinate, measurement.provenance
