"""Read a foreign file that was posted, within bounds, as runs."""

import lzma
import tempfile
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final

from scalewatch import errors
from scalewatch.exporters.documents import json_text
from scalewatch.importers import AUTO, Reading, read_files
from scalewatch.importers.archives import COMPRESSED, is_zip
from scalewatch.services.files.imports import ImportOrigin, Runs, profiles_of, runs_of
from scalewatch.services.files.previews import PreviewedSeries, previewed
from scalewatch.services.files.stated_settings import rules_of

STEP: Final = 2**20
UNNAMED: Final = "body"
MOST_MEASUREMENTS: Final = 100_000
"""Measurements of a file: understood, one takes a kilobyte."""

_BROKEN: Final = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


@dataclass(frozen=True, slots=True)
class PostedFile:
    """A file of another tool, as it was posted, with the statements about it.

    Parameters
    ----------
    name
        Its path: patterns may read settings from it, and errors name it.
    file_format
        One of `formats.FORMATS`.
    columns
        For tables: names of columns by meaning.
    settings
        Texts of the keys name, path, at and derive.
    skips_unmatched
        Whether what no pattern matches, or is of no known format, is left out.
    is_profile
        Whether regions are functions, and their times the profile of a run.
    may_be_empty
        Whether it is no error that nothing was measured.
    """

    body: bytes
    origin: ImportOrigin
    name: str = UNNAMED
    file_format: str = AUTO
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    skips_unmatched: bool = False
    is_profile: bool = False
    may_be_empty: bool = False


@dataclass(frozen=True, slots=True)
class FilePreview:
    """The runs and series that a posted file holds.

    Parameters
    ----------
    runs
        As `POST /api/v1/runs` takes them, and `scalewatch import --dry-run --json`
        prints them.
    series
        A row per series: its identity, and where its settings come from.
    notes
        Reasons for which parts of the file were left out.
    """

    runs: tuple[dict[str, Any], ...]
    series: tuple[PreviewedSeries, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadFile:
    """The runs of a posted file, and its preview."""

    runs: Runs
    preview: FilePreview


def read_posted(file: PostedFile, limit: int) -> ReadFile:
    """Return the runs that a file makes.

    Raises
    ------
    BodyTooLarge
        If it unpacks to more than `limit` bytes, or holds too many measurements.
    UnreadableFiles
        If any of it cannot be read, or makes no run.
    BadSetting, BadPattern, BadDerivation, UnknownOrigin
        If the statements about it cannot be understood, or do not suffice.
    """
    path = PurePosixPath(file.name)
    if path.is_absolute() or ".." in path.parts or "\0" in file.name or not path.name:
        raise errors.BadSetting("file", file.name, "a path below a folder")
    rules = {AUTO: rules_of(file.settings, skips_unmatched=file.skips_unmatched)}
    with tempfile.TemporaryDirectory(prefix="scalewatch-") as folder:
        place = Path(folder, path)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.body)
        except (OSError, ValueError):
            raise errors.BadSetting(
                "file", ascii(file.name), "the name of a file"
            ) from None
        check_unpacked(place, limit)
        reading = read_files(
            [str(place)], file.file_format, file.columns, rules, MOST_MEASUREMENTS
        )
        if any(
            isinstance(each, errors.TooManyMeasurements) for each in reading.unreadable
        ):
            raise errors.BodyTooLarge(limit, MOST_MEASUREMENTS)
        return _read(file, reading, f"{folder}/")


def runs_json(file: PostedFile, limit: int) -> bytes:
    """Return the run reports of `read_posted`, and what could not be taken, as JSON."""
    read = read_posted(file, limit)
    return json_text([read.preview.runs, read.runs.notes])


def preview_json(file: PostedFile, limit: int) -> bytes:
    """Return the preview of `read_posted` as JSON."""
    return json_text(read_posted(file, limit).preview)


def check_unpacked(path: Path, limit: int) -> None:
    """Refuse a compressed file or archive that holds more than `limit` bytes.

    A broken one passes: its reader says what is wrong with it.

    Raises
    ------
    BodyTooLarge
        As soon as more came out.
    """
    size = 0
    with suppress(*_BROKEN), path.open("rb") as file:
        head = file.read(6)
        file.seek(0)
        if is_zip(head):
            with zipfile.ZipFile(file) as archive:
                size = sum(each.file_size for each in archive.infolist())
        for magic, unpacking in COMPRESSED.items():
            if head.startswith(magic):
                with unpacking(file) as unpacked:
                    while size <= limit and (part := unpacked.read(STEP)):
                        size += len(part)
    if size > limit:
        raise errors.BodyTooLarge(limit)


def _read(file: PostedFile, reading: Reading, folder: str) -> ReadFile:
    measurements = list(reading.scans.measurements())
    make = profiles_of if file.is_profile else runs_of
    try:
        runs = make(measurements, file.origin)
    except errors.UnknownOrigin as error:
        raise errors.UnknownOrigin(file.name, *error.missing) from None
    unreadable = [
        error
        for error in reading.unreadable
        if not (file.may_be_empty and isinstance(error, errors.NoMeasurements))
    ]
    faults = [str(error) for error in (*unreadable, *runs.errors)]
    unknown = [f"{name} is of no known format" for name in reading.passed_over]
    if not file.skips_unmatched:
        faults += unknown
    if faults:
        raise errors.UnreadableFiles([fault.replace(folder, "") for fault in faults])
    notes = [*unknown, *reading.known.notes(), *runs.notes]
    preview = FilePreview(
        runs=tuple(
            report.model_dump(mode="json", by_alias=True, exclude_unset=True)
            for report in runs.reports
        ),
        series=tuple(previewed(measurements, file.origin.better, folder)),
        notes=tuple(note.replace(folder, "") for note in notes),
    )
    return ReadFile(runs, preview)
