"""Text and documents in Markdown: what is text stays text, wherever it is rendered.

Documents have tables as GitHub and GitLab show them.

References
----------
GitHub Flavored Markdown Spec 0.29; GitHub Docs, "Autolinked references and URLs";
GitLab Docs, "GitLab Flavored Markdown" and "Quick actions".
"""

import re
from collections.abc import Iterator
from typing import Final

from scalewatch.exporters.papers.blocks import (
    Block,
    Document,
    Figure,
    Paragraph,
    Part,
    Row,
    Table,
)

_MARKUP: Final = re.compile(r"[\\`*_\[\]<>|~&$!{}]")
"""Characters that CommonMark, or either forge, reads as markup in a line."""

_BLOCK: Final = re.compile(r"^(?=(?:[-+]|#+|\d+[.)])(?:\s|\Z)|[-=][-=\s]*\Z|/\w)")
"""Before a list, heading, rule or quick action of GitLab at the start of a line."""

_REFERENCE: Final = re.compile(
    r"(?<=@)(?=\S)"  # people, and addresses of mail
    r"|(?<=[#%^])(?=\\?[\w\"])"  # issues, milestones
    r"|(?<=\\[!~&$])(?=\\?[\w\"])"  # merge requests, labels, epics, snippets
    r"|(?<=GH-)(?=\d)"
    r"|(?<=/)(?=/)"  # addresses
    r"|(?<=www)(?=\.)",
    re.IGNORECASE,
)
"""Places at which a reference is cut in two: escapes are gone when forges look for
them."""

_DIRECTED: Final = re.compile(r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Marks of direction, by which a line reads as another one."""

CUT: Final = "\N{ZERO WIDTH SPACE}"


def plain(value: object) -> str:
    """Return a value as one line in which nothing is markup, a link or a mention."""
    return _BLOCK.sub(CUT, _REFERENCE.sub(CUT, escaped(value)))


def escaped(value: object) -> str:
    """Return a value as one line in which nothing is markup.

    For documents of people: a forge would still find mentions and links in it.
    """
    text = "" if value is None else str(value)
    line = " ".join(_DIRECTED.sub("", text).split())
    return _MARKUP.sub(r"\\\g<0>", line)


def text(document: Document, extension: str | None) -> str:
    """Return a document.

    Parameters
    ----------
    extension
        Of the pictures in `figures`; None where there are none.
    """
    parts = [f"## {escaped(document.title)}"]
    numbers = {"Table": 0, "Figure": 0}
    for block in document.blocks:
        parts += _block(block, extension, numbers)
    return "\n\n".join(parts) + "\n"


def _block(
    block: Block, extension: str | None, numbers: dict[str, int]
) -> Iterator[str]:
    match block:
        case Paragraph():
            yield escaped(block.text)
        case Table():
            numbers["Table"] += 1
            yield f"*Table {numbers['Table']}.* {escaped(block.caption)}"
            yield "\n".join(_table(block))
        case Figure():
            numbers["Figure"] += 1
            if extension is not None:
                name = f"figures/{block.name}.{extension}"
                yield f"![{escaped(block.alt)}]({name})"
            yield f"*Figure {numbers['Figure']}.* {escaped(block.caption)}"


def _table(table: Table) -> Iterator[str]:
    first = ":---" if table.begins_with_names else "---:"
    yield _line(Row(table.headings))
    yield f"|{first}|" + "---:|" * (len(table.headings) - 1)
    yield from map(_line, table.rows)


def _line(row: Row) -> str:
    marks = {Part.FORECAST: "*", Part.SUM: "**"}.get(row.part, "")
    cells = (f"{marks}{escaped(cell)}{marks}" if cell else "" for cell in row.cells)
    return f"| {' | '.join(cells)} |"
