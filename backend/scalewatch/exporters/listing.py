"""Listings: tables of plain values, as CSV, as Markdown and as LaTeX."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import chain, islice
from math import isfinite
from typing import Final, Generic, TypeVarTuple

from scalewatch.errors import BadExpression
from scalewatch.exporters import latex_tables
from scalewatch.exporters.latex_tables import MOST_ROWS, Formula
from scalewatch.exporters.markdown import plain
from scalewatch.modelling import Growth, parse_growth
from scalewatch.texts.numbers import significant

_GROWTH: Final = re.compile(
    r"\bO\((?P<order>([^()]|\([^()]*\))+)\)|δ (?P<quotient>[^,]+)"
)
"""A growth, or a divergence, as it is written for people."""

LARGEST_WHOLE: Final = 1e12
"""Up to here whole numbers are written in full."""

MARKDOWN: Final = "$`{}`$"
"""How a formula stands in Markdown, for GitHub and GitLab."""

_FORMULA: Final = re.compile(r"[=+\-@\t\r]")
"""First characters of a text that a spreadsheet takes for a formula."""


Row = Sequence[object]


@dataclass(frozen=True, slots=True)
class Listing:
    """A table of plain values; None is an empty cell.

    Parameters
    ----------
    rows
        Each as long as `columns`.
    """

    columns: tuple[str, ...]
    rows: Iterable[Row]

    def followed_by(self, others: Iterable["Listing"]) -> "Listing":
        """Return the listing with the rows of others, which are read when needed."""
        rows = (row for listing in (self, *others) for row in listing.rows)
        return Listing(self.columns, rows)

    def with_columns(self, titles: Mapping[str, str]) -> "Listing":
        """Return the listing with these of its columns alone, under their titles."""
        places = [self.columns.index(column) for column in titles]
        rows = ([row[place] for place in places] for row in self.rows)
        return Listing(tuple(titles.values()), rows)


Parts = TypeVarTuple("Parts")


@dataclass(frozen=True)  # without slots: a generic call notes its parts, if it can
class Columns(Generic[*Parts]):
    """Columns of a kind of table: title and value, of which a row is made.

    Parameters
    ----------
    values
        By title, the value of a row. A row may have several parts, as a series and a
        commit: each is an argument.
    """

    values: Mapping[str, Callable[[*Parts], object]]

    def listing(self, rows: Iterable[tuple[*Parts]]) -> Listing:
        """Return the listing of rows, each a tuple of its parts."""
        return Listing(
            tuple(self.values),
            [[value(*row) for value in self.values.values()] for row in rows],
        )


def csv_text(listing: Listing) -> str:
    """Return a listing as CSV, RFC 4180.

    A text that a spreadsheet would run as a formula has an apostrophe before it.
    """
    return "".join(csv_lines(listing))


def csv_lines(listing: Listing) -> Iterator[str]:
    """Yield the lines of a listing as CSV."""
    text = StringIO()
    writer = csv.writer(text)
    for row in chain([listing.columns], map(harmless, listing.rows)):
        writer.writerow(row)
        yield text.getvalue()
        text.seek(0)
        text.truncate()


def markdown_text(listing: Listing) -> str:
    """Return a listing as a Markdown table, in whose cells nothing is markup."""
    return "".join(markdown_lines(listing))


def markdown_lines(listing: Listing) -> Iterator[str]:
    """Yield the lines of a listing as a Markdown table: numbers flush right."""
    head, rows = _begun(listing)
    sides = ["---:" if is_number else "---" for is_number in _numbers(listing, head)]
    yield f"| {' | '.join(map(plain, listing.columns))} |\n| {' | '.join(sides)} |\n"
    for row in rows:
        yield f"| {' | '.join(map(_cell, row))} |\n"


def latex_text(listing: Listing) -> str:
    """Return a listing as a table for LaTeX, ruled as the package booktabs does."""
    return "".join(latex_lines(listing))


def latex_lines(listing: Listing) -> Iterator[str]:
    """Yield the lines of a listing as a LaTeX table, as wide as the text at most."""
    head, rows = _begun(listing)
    cells = (list(map(_parts, row)) for row in rows)
    yield from latex_tables.lines_of(listing.columns, cells, _numbers(listing, head))


def _begun(
    listing: Listing,
) -> tuple[list[Sequence[object]], Iterator[Sequence[object]]]:
    """Return the first rows of a listing, from which its form follows, and all."""
    rows = iter(listing.rows)
    head = list(islice(rows, MOST_ROWS + 1))
    return head, chain(head, rows)


def _numbers(listing: Listing, head: Sequence[Row]) -> list[bool]:
    """Tell which columns hold numbers, by their cells in the first rows."""
    columns = ([row[place] for row in head] for place, _ in enumerate(listing.columns))
    known = ([cell for cell in column if cell is not None] for column in columns)
    return [bool(cells) and all(map(_is_number, cells)) for cells in known]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: object) -> str:
    """Return a cell of Markdown, in which nothing but its growths is markup."""
    return "".join(
        MARKDOWN.format(part) if isinstance(part, Formula) else _kept(part)
        for part in _parts(value)
    )


def _kept(part: str) -> str:
    """Return a part of a text without markup, with the spaces around it."""
    before = " " if part.startswith(" ") else ""
    after = " " if part.endswith(" ") and part.strip() else ""
    return f"{before}{plain(part.strip())}{after}"


def _parts(value: object) -> list[str]:
    """Return a cell in parts: texts with the digits that pages show, and growths."""
    if value is None:
        return []
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if isinstance(value, int | float):
        is_whole = isfinite(value) and value == round(value)
        is_whole &= abs(value) < LARGEST_WHOLE
        return [f"{value:,.0f}" if is_whole else significant(value)]
    if isinstance(value, Growth):
        return [Formula(value.latex())]
    text, parts, end = " ".join(str(value).split()), [], 0
    for match in _GROWTH.finditer(text):
        parts += [text[end : match.start()], _formula(match)]
        end = match.end()
    return [*parts, text[end:]]


def _formula(match: re.Match[str]) -> str:
    """Return a growth or a divergence; what only looks like one stays a text."""
    try:
        growth = parse_growth(match["order"] or match["quotient"]).latex()
    except BadExpression:
        return match[0]
    return Formula(f"O({growth})" if match["order"] else rf"\delta = {growth}")


def harmless(row: Sequence[object]) -> list[object]:
    """Return cells of which no spreadsheet makes a formula; numbers are none."""
    return [
        f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
        for value in row
    ]
