"""Tables in Markdown, with or without a title line, as JUBE's pretty results are."""

import re
from collections.abc import Iterator
from typing import Final

from scalewatch.importers.source import Source

_BEGINNING: Final = re.compile(
    r"\s*(?:\S[^\n|]*:\s*\n)?\s*\|[^\n]*\|[ \t]*\r?\n\s*\|[-:| \t]+\|[ \t]*(?:\r?\n|$)"
)
_RULE: Final = re.compile(r"\|[-:|\s]+\|")


def recognises(head: str) -> bool:
    """Tell whether a text begins with a table, or with a title and a table."""
    return _BEGINNING.match(head) is not None


def plain(source: Source) -> Source:
    """Return the rows as a table of bars, each on the line where it stands."""
    rows = Source(source.name, _rows(source))
    rows.notes = source.notes
    return rows


def _rows(source: Source) -> Iterator[bytes]:
    for line in source:
        row = line.strip()
        if row.startswith("|") and not _RULE.fullmatch(row):
            if not row.endswith("|") or len(row) == 1:
                raise source.malformed("a row that ends with '|'", "none")
            yield row[1:-1].encode() + b"\n"
        else:
            yield b"\n"
