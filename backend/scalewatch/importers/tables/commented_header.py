"""Tables whose header is a comment, as people write them by hand."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from scalewatch.importers.series import (
    WHOLE_PROGRAM,
    ImportedMeasurement,
    SeriesIdentity,
    plain_setting,
)
from scalewatch.importers.source import Source, quoted
from scalewatch.importers.tables.columns import parameter_of

_ROW: Final = re.compile(r"\s*[\d.]+(\s+\S+)+\s*")
_SPREAD: Final = re.compile(r"(std|stdev|dev|err|error|sigma|±|\+/-)", re.IGNORECASE)
_WORDS: Final = re.compile(r"\S+(?: \S+)*")
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")

_TIME_WORDS: Final = frozenset({"avg", "average", "mean", "time", "per", "step"})


class _Column(NamedTuple):
    """A word of the header and where it stands."""

    name: str
    start: int
    end: int


def recognises(head: str) -> bool:
    """Tell whether a text has a comment whose words a row of numbers follows."""
    comments: list[str] = []
    for line in head.splitlines():
        if line.startswith("#"):
            comments.append(line)
        elif _ROW.fullmatch(line) and _header(comments, len(line.split())):
            return all(map(_NUMBER.fullmatch, (line.split()[0], line.split()[-1])))
        elif line.strip():
            return False
    return False


def read(source: Source) -> Iterator[ImportedMeasurement]:
    """Yield what each row measured; a deviation is of its left neighbour."""
    comments: list[str] = []
    columns: Sequence[str] = ()
    for line in source:
        if line.startswith("#"):
            if columns:
                comments, columns = [], ()
            comments.append(line)
        elif line.strip():
            cells = line.split()
            if not columns:
                columns = _header(comments, len(cells)) or ()
            if len(columns) != len(cells):
                expected = f"{len(columns)} cells, one per word of the header"
                raise source.malformed(expected, str(len(cells)))
            source.require_whole_line()
            yield from _row(source, dict(zip(columns, cells, strict=True)))


def _row(source: Source, row: Mapping[str, str]) -> Iterator[ImportedMeasurement]:
    """Yield what a row measured at its settings."""
    parameters: dict[str, float] = {}
    held = {}
    for name, cell in row.items():
        setting = plain_setting(cell)
        parameter = parameter_of(name)
        if parameter:
            if not isinstance(setting, int | float):
                raise source.malformed(f"a number of {name}", quoted(cell))
            parameters[parameter] = float(setting)
        elif _is_held(name):
            held[name] = setting
    for name, cell in row.items():
        if parameter_of(name) or _is_held(name) or _SPREAD.match(name):
            continue
        if not _NUMBER.fullmatch(cell):
            raise source.malformed("a number", quoted(cell))
        value = source.finite(cell)
        metric, unit = _metric(name)
        subject = SeriesIdentity(
            WHOLE_PROGRAM,
            metric,
            unit,
            tuple(held.items()),
            tuple(parameters),
            source.origin,
        )
        yield ImportedMeasurement(subject, tuple(parameters.values()), [value])


def _is_held(name: str) -> bool:
    """Tell whether a column says how it was run: a size, a version of a library."""
    return bool(
        re.search(r"size|grid|version|^(rocm|cuda|gcc|mpi|level|ppn)", name.lower())
    )


def _metric(name: str) -> tuple[str, str | None]:
    """Return metric and unit: an average is a time unless it says otherwise."""
    if unit := re.search(r"[\[(](?P<unit>[^\[\]()]+)[\])]$", name):
        return name[: unit.start()].strip(), unit["unit"]
    words = re.findall(r"\w+", name.lower())
    return "time" if words and _TIME_WORDS.issuperset(words) else name, None


def _header(comments: Sequence[str], cells: int) -> Sequence[str] | None:
    """Return the names of the columns: the last comment of as many words as cells.

    A word of a line below belongs to the column whose name ends with a slash, or else
    to that under which it stands.
    """
    for at in range(len(comments) - 1, -1, -1):
        columns = _columns(comments[at])
        names = [column.name for column in columns]
        if len(columns) == cells and not _NUMBER.fullmatch(names[0]):
            below = [word for line in comments[at + 1 :] for word in _columns(line)]
            return _joined(columns, below)
    return None


def _columns(comment: str) -> list[_Column]:
    text = " " + comment[1:]
    return [_Column(one[0], one.start(), one.end()) for one in _WORDS.finditer(text)]


def _joined(columns: Sequence[_Column], below: Sequence[_Column]) -> Sequence[str]:
    names = [column.name for column in columns]
    for word in below:
        goes_on = [at for at, name in enumerate(names) if name.endswith(" /")]
        if goes_on:
            names[goes_on[0]] = f"{names[goes_on[0]].removesuffix(' /')} {word.name}"
            continue
        for at, column in enumerate(columns):
            if word.start < column.end and column.start < word.end:
                names[at] = f"{names[at]} {word.name}"
    return [
        f"{name} {at}" if name in names[:at] else name for at, name in enumerate(names)
    ]
