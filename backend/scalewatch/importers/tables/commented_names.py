"""Headers of tables that people write by hand, and the meanings of their words."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from scalewatch.importers.tables.columns import (
    CONFIGURATION,
    IGNORED,
    MEASURED,
    ROLES,
    parameter_of,
)

NUMBER: Final = re.compile(r"[+-]?(\d++(\.\d*+)?|\.\d++)([eE][+-]?\d++)?")

_SPREAD: Final = re.compile(r"(std|stdev|dev|err|error|sigma|±|\+/-)", re.IGNORECASE)
_WORDS: Final = re.compile(r"\S+(?: \S+)*")
_LETTERS: Final = re.compile("[a-z]+")
_TIME_WORDS: Final = frozenset({"avg", "average", "mean", "time", "per", "step"})
_RATED: Final = re.compile(
    r"avg|average|mean|median|max|min|time|sec|rate|speed|perf|flop|bandwidth|latency"
    r"|efficiency|[/(\[]",
    re.IGNORECASE,
)
"""Words of what is measured, also where all of it is whole numbers."""

_HELD: Final = re.compile(
    r"size|grid|version|level|zones|cells|^(rocm|cuda|gcc|mpi|ppn)"
)
_RESOURCES: Final[Mapping[str, str]] = {
    "mpi": "p",
    "omp": "threads",
    **{name: name for name in ("cores", "cpus", "gpus", "gcds", "tiles")},
}
"""Resources that programs are scaled over, beside the usual names of parameters."""

MOST_COLUMNS: Final = 1000
"""Columns of a table, whose names are compared in pairs."""


class _Word(NamedTuple):
    """A word of the header and where it stands."""

    name: str
    start: int
    end: int


def joined_names(
    comments: Sequence[str], cells: int, delimiter: str | None
) -> Sequence[str] | None:
    """Return the names of the columns: the last comment of as many words as cells.

    A word of a line below belongs to the column whose name ends with a slash, or else
    to that under which it stands; a row that is commented out has none.
    """
    if cells > MOST_COLUMNS:
        return None
    for at in range(len(comments) - 1, -1, -1):
        words = _words(comments[at], delimiter)
        names = [word.name for word in words]
        if len(words) == cells and not NUMBER.fullmatch(names[0]):
            below = [
                word
                for line in comments[at + 1 :]
                if not is_commented_out(line)
                for word in _words(line, delimiter)
            ]
            return _joined(words, below)
    return None


def is_commented_out(comment: str) -> bool:
    """Tell whether a comment is a row that does not count."""
    return NUMBER.match(comment[1:].lstrip()) is not None


def split_words(comment: str) -> list[str]:
    """Return the words of a comment that single blanks separate."""
    return _distinct(comment.lstrip("#").split())


def is_resource(name: str) -> bool:
    """Tell whether a word names a resource that programs are scaled over."""
    return parameter_of(name) is not None or name.lower() in _RESOURCES


def usual_names(names: Sequence[str]) -> Sequence[str]:
    """Return names as they are usual: an average time per step is a time.

    One that stands for another column already is not used again.
    """
    usual: list[str] = []
    for name in names:
        words = _LETTERS.findall(name.lower())
        is_time = words and _TIME_WORDS.issuperset(words) and not {"[", "("} & set(name)
        usual_name = "time" if is_time else name
        usual.append(name if usual_name in {*names, *usual} - {name} else usual_name)
    return usual


def meanings_of(
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    stated: Mapping[str, Sequence[str]],
) -> dict[str, list[str]]:
    """Return the meanings of columns, by the words of the header and by their cells.

    Columns of whole numbers whose names say nothing are left to be settings.

    Parameters
    ----------
    names
        The header.
    rows
        Cells of all rows.
    stated
        Names of columns by meaning, as the user states them; these count.
    """
    meanings = {key: list(columns) for key, columns in stated.items()}
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    for name in chain.from_iterable(stated.values()):
        columns.pop(name, None)
    if not stated.keys() - ROLES.keys():
        parameters = _parameters(columns)
        meanings |= {key: [name] for key, name in parameters.items()}
        settings = list(
            zip(*(columns.pop(name) for name in parameters.values()), strict=True)
        )
        for name in [column for column in columns if settings and is_resource(column)]:
            # Cores and processors that follow from the others are no setting.
            if _follows(columns[name], settings):
                del columns[name]
                meanings.setdefault(IGNORED, []).append(name)
    for name, cells in columns.items():
        if _SPREAD.match(name):
            meanings.setdefault(IGNORED, []).append(name)
        elif _HELD.search(name.lower()):
            meanings.setdefault(CONFIGURATION, []).append(name)
        elif MEASURED not in stated and (_RATED.search(name) or _has_fraction(cells)):
            meanings.setdefault(MEASURED, []).append(name)
    return meanings


def _parameters(columns: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the columns of parameters: of known names, else the first one."""
    counts = [name for name in columns if all(map(str.isdecimal, columns[name]))]
    known: dict[str, str] = {}
    for name in columns:
        resource = _RESOURCES.get(name.lower()) if name in counts else None
        key = parameter_of(name) or (resource if resource in {"p", "threads"} else None)
        if key is not None:
            known.setdefault(key, name)
    first = next(iter(columns), "")
    if not known and first in counts:
        return {_RESOURCES.get(first.lower(), first): first}
    return known


def _follows(cells: Sequence[str], settings: Sequence[tuple[str, ...]]) -> bool:
    """Tell whether equal settings have equal cells."""
    return len(set(zip(settings, cells, strict=True))) == len(set(settings))


def _has_fraction(cells: Sequence[str]) -> bool:
    return not all(map(str.isdecimal, cells))


def _words(comment: str, delimiter: str | None) -> list[_Word]:
    text = " " + comment[1:]
    if delimiter is None:
        return [
            _Word(word[0], word.start(), word.end()) for word in _WORDS.finditer(text)
        ]
    names = [name.strip() for name in text.split(delimiter)]
    return [_Word(name, at, at) for at, name in enumerate(names)]


def _joined(columns: Sequence[_Word], below: Sequence[_Word]) -> Sequence[str]:
    names = [column.name for column in columns]
    for word in below:
        goes_on = [at for at, name in enumerate(names) if name.endswith(" /")]
        if goes_on:
            names[goes_on[0]] = f"{names[goes_on[0]].removesuffix(' /')} {word.name}"
            continue
        for at, column in enumerate(columns):
            if word.start < column.end and column.start < word.end:
                names[at] = f"{names[at]} {word.name}"
    return _distinct(names)


def _distinct(names: Sequence[str]) -> list[str]:
    first: dict[str, int] = {}
    for at, name in enumerate(names):
        first.setdefault(name, at)
    return [
        name if first[name] == at else f"{name} {at}" for at, name in enumerate(names)
    ]
