"""Listings: tables of plain values, as CSV, as Markdown and as LaTeX."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import chain
from math import isfinite
from typing import Final, Generic, TypeVarTuple

from scalewatch.errors import BadExpression
from scalewatch.exporters.markdown import plain
from scalewatch.exporters.papers.latex import escaped
from scalewatch.modelling import parse_growth

_GROWTH: Final = re.compile(
    r"\bO\((?P<order>([^()]|\([^()]*\))+)\)|δ (?P<quotient>[^,]+)"
)
"""A growth, or a divergence, as it is written for people."""

DIGITS: Final = 3
LARGEST_WHOLE: Final = 1e12
"""Digits of numbers in LaTeX, and up to where whole ones are written in full."""

_FORMULA: Final = re.compile(r"[=+\-@\t\r]")
"""First characters of a text that a spreadsheet takes for a formula."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A table of plain values; None is an empty cell.

    Parameters
    ----------
    rows
        Each as long as `columns`.
    """

    columns: tuple[str, ...]
    rows: Iterable[Sequence[object]]

    def followed_by(self, others: Iterable["Listing"]) -> "Listing":
        """Return the listing with the rows of others, which are read when needed."""
        rows = (row for listing in (self, *others) for row in listing.rows)
        return Listing(self.columns, rows)


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
    """Yield the lines of a listing as a Markdown table."""
    yield _markdown_line(listing.columns)
    yield f"| {' | '.join(['---'] * len(listing.columns))} |\n"
    yield from map(_markdown_line, listing.rows)


def latex_text(listing: Listing) -> str:
    """Return a listing as a table for LaTeX, ruled as the package booktabs does."""
    return "".join(latex_lines(listing))


def latex_lines(listing: Listing) -> Iterator[str]:
    """Yield the lines of a listing as a table for LaTeX: numbers flush right."""
    rows = iter(listing.rows)
    first = next(rows, None)
    sides = ["r" if _is_number(cell) else "l" for cell in first or listing.columns]
    yield "% Needs: \\usepackage{booktabs}\n"
    yield f"\\begin{{tabular}}{{{''.join(sides)}}}\n\\toprule\n"
    yield f"{_latex_line(listing.columns)}\\midrule\n"
    yield from map(_latex_line, chain([] if first is None else [first], rows))
    yield "\\bottomrule\n\\end{tabular}\n"


def _markdown_line(values: Sequence[object]) -> str:
    return f"| {' | '.join(map(plain, values))} |\n"


def _latex_line(values: Sequence[object]) -> str:
    return " & ".join(map(_latex_cell, values)) + r" \\" + "\n"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _latex_cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return _number(value)
    return " ".join(_latex(str(value)).split())


def _number(value: float) -> str:
    """Return a number with as many digits as pages show, whole ones as they are."""
    if not isfinite(value):
        return "--"
    if value.is_integer() and abs(value) < LARGEST_WHOLE:
        return f"{value:.0f}"
    mantissa, exponent = f"{value:.{DIGITS - 1}e}".split("e")
    power = int(exponent)
    if not -4 < power < 6:
        return rf"${mantissa} \times 10^{{{power}}}$"
    text = f"{float(f'{mantissa}e{power}'):.{max(0, DIGITS - 1 - power)}f}"
    return f"${text}$" if text.startswith("-") else text


def _latex(text: str) -> str:
    """Return a text with its growths as formulas, all else escaped."""
    written, end = [], 0
    for match in _GROWTH.finditer(text):
        written += [escaped(text[end : match.start()]), _formula(match)]
        end = match.end()
    return "".join([*written, escaped(text[end:])])


def _formula(match: re.Match[str]) -> str:
    """Return a growth or a divergence; text that only looks like one is escaped."""
    try:
        growth = parse_growth(match["order"] or match["quotient"])
    except BadExpression:
        return escaped(match[0])
    if match["order"]:
        return f"$O({growth.latex()})$"
    return rf"$\delta = {growth.latex()}$"


def harmless(row: Sequence[object]) -> list[object]:
    """Return cells of which no spreadsheet makes a formula; numbers are none."""
    return [
        f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
        for value in row
    ]
