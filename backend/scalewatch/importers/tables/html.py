"""Tables of HTML, as pages and READMEs have them."""

from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Final

from scalewatch.importers.tables.shapes import Row
from scalewatch.texts.cells import read_cell

Rows = Sequence[Row]

_CELLS: Final = frozenset({"td", "th"})
_MOST_SPANNED: Final = 100
"""Columns of a cell, which its neighbours leave to it."""


def rows_of(lines: Sequence[tuple[int, str]]) -> Rows:
    """Return the rows of the table that lines of a text hold, each with its line.

    Parameters
    ----------
    lines
        From `<table` to `</table>`, each with its number.
    """
    first = lines[0][0]
    parser = _Rows()
    parser.feed("\n".join(line for _, line in lines))
    parser.close()
    rows = [(first + at - 1, cells) for at, cells in parser.rows if any(cells)]
    width = len(rows[0][1]) if rows else 0
    # Titles may span less; a row of numbers of another width is told, not left out.
    return [row for row in rows if len(row[1]) == width or _has_number(row[1])]


def _has_number(cells: Sequence[str]) -> bool:
    return any(read_cell(cell).number is not None for cell in cells)


class _Rows(HTMLParser):
    """The rows that tags make, as far as they were read."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[int, list[str]]] = []
        self.is_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a row or a cell; one that spans columns leaves blank ones."""
        if tag == "tr" or (tag in _CELLS and not self.rows):
            self.rows.append((self.getpos()[0], []))
        if tag in _CELLS:
            spanned = dict(attrs).get("colspan") or "1"
            count = int(spanned) if spanned.isdecimal() else 1
            self.rows[-1][1].extend([""] * min(max(count, 1), _MOST_SPANNED))
            self.is_cell = True

    def handle_endtag(self, tag: str) -> None:
        """End a cell."""
        if tag in _CELLS:
            self.is_cell = False

    def handle_data(self, data: str) -> None:
        """Add a text to the cell that it stands in."""
        if self.is_cell and self.rows and self.rows[-1][1]:
            cells = self.rows[-1][1]
            cells[-1] = " ".join(f"{cells[-1]} {data}".split())
