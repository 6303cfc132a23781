"""Find the format of a file by its content, and the module that reads it."""

import re
from collections.abc import Sequence
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from scalewatch.errors import UnreadableFile
from scalewatch.importers import extrap_text
from scalewatch.importers.documents import Document
from scalewatch.importers.formats import (
    BINARY_READERS,
    CSV,
    JSON,
    JSON_READERS,
    LINES,
    MARKDOWN,
    RECORDS,
    RUNS,
    SCRIPT,
    TABLES,
    TEXT,
    TEXT_READERS,
    TITLES,
    UNNAMED_JSON,
)
from scalewatch.importers.guesses import best_guess, named_guess, sentence_of
from scalewatch.importers.source import Source

if TYPE_CHECKING:
    from scalewatch.importers.lines import Program

_CHATTER: Final = re.compile(r"\s*\[[^\[\]{}\"]+\]\s*[^\s,\[\]{]")
"""A line of a log, `[0] MPI startup(): …`, which only begins like JSON."""

_DOCUMENT: Final = re.compile(r"^\{\s*\"(context|benchmarks)\": ?[{\[]", re.MULTILINE)
"""Where JSON of Google Benchmark begins, behind what it says of the machine."""

_BEGINNING: Final = 512
"""Bytes by which a file that is no text is known."""

_FAR: Final = 100_000
"""Lines that are looked through for a title if the head is of no known format."""

_TITLE: Final = re.compile(b"|".join(map(re.escape, TITLES)))

_MOST_TITLES: Final = 20
"""Lines with a title whose readers are asked; the first is nearly always the one."""


_MOST: Final = 0.5
"""Share of lines that are one sentence where a file is read by it unasked."""


class UnknownFormat(UnreadableFile):
    """A file is of no format that is known."""


def format_of(source: Source, programs: "Sequence[Program]" = ()) -> str:
    """Return the format that the beginning of a file belongs to.

    Parameters
    ----------
    source
        The file.
    programs
        Those whose lines the user states.

    Raises
    ------
    UnknownFormat
        If it belongs to none.
    """
    beginning = source.beginning(_BEGINNING)
    for binary, module in BINARY_READERS.items():
        if reader(module).recognises(beginning):
            return binary
    first = source.peek()
    if programs and any(each.recognises(source.head()) for each in programs):
        return LINES
    begin = first.lstrip()
    is_script = begin.startswith(("{", "[", SCRIPT)) and not begin.startswith("{|")
    if is_script and not _CHATTER.match(first):
        return JSON
    if first.split(maxsplit=1)[0] in extrap_text.KEYWORDS:
        return TEXT
    return _format_of_text(source, source.head())


def _format_of_text(source: Source, head: str) -> str:
    """Return the format of a text that is neither JSON nor Extra-P's."""
    of_head = (
        name for name, module in TEXT_READERS.items() if reader(module).recognises(head)
    )
    is_table = reader(TABLES).is_table
    if name := next(of_head, "") or (CSV if is_table(head) else _far_format(source)):
        return name
    if _DOCUMENT.search(head):
        return JSON
    sentence, share = sentence_of(head) or (None, 0.0)
    if share >= _MOST:
        return LINES
    is_other = named_guess(head) is not None
    if not is_other and reader(TEXT_READERS[MARKDOWN]).recognises_aligned(head):
        return MARKDOWN
    raise UnknownFormat(source.name, best_guess(head, sentence))


def _far_format(source: Source) -> str | None:
    """Return the format of a log whose title stands far behind the beginning.

    Only the reader that the title belongs to is asked, about what follows it.
    """
    titles = (
        (at, TITLES[title[0]])
        for at, line in enumerate(source.ahead(_FAR))
        if (title := _TITLE.search(line))
    )
    for at, name in islice(titles, _MOST_TITLES):
        if reader(TEXT_READERS[name]).recognises(source.head(at)):
            return name
    return None


def kind_of(document: Document) -> str:
    """Return the format of a document, or the module that reads it.

    Raises
    ------
    MalformedFile
        If it is of none.
    """
    for name, module in JSON_READERS.items():
        if reader(module).recognises(document):
            return name
    for key, module in UNNAMED_JSON.items():
        if key in document.object() and module != RUNS:
            return module
    if reader(RECORDS).recognises(document):
        return RECORDS
    if "results" in document.object():
        return RUNS
    if document.object().keys() >= {"data", "columns", "nodes"}:
        raise document.malformed("Caliper's own file .cali, not its JSON")
    keys = ", ".join(map(repr, UNNAMED_JSON))
    raise document.malformed(
        f'an object with one of the keys {keys}, or rows as {{"p": 8, "time": 1.5}}'
    )


def load_readers() -> None:
    """Import the readers of all formats, so that none takes long when it is needed."""
    modules = {TABLES, RECORDS, *TEXT_READERS.values(), *BINARY_READERS.values()}
    for module in sorted({*modules, *JSON_READERS.values(), *UNNAMED_JSON.values()}):
        reader(module)


def reader(module: str) -> Any:
    """Import the reader of a format once it is needed: some take long to load."""
    return import_module(f"{__package__}.{module}")
