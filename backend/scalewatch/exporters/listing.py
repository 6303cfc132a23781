"""Listings: tables of plain values, as CSV, as Markdown and as LaTeX."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Final

LATEX: Final = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "R̄²": r"$\bar{R}^2$",
    "✓": r"$\checkmark$",
    "≈": r"$\approx$",
    "✗": r"$\times$",
    "√": r"$\surd$",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "−": r"$-$",
    "⪯": r"$\preceq$",
    "δ": r"$\delta$",
    "µ": r"$\mu$",
    "→": r"$\rightarrow$",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{THIN SPACE}": r"\,",
    **{letter: f"$^{{{at}}}$" for at, letter in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    "⁻": r"$^{-}$",
}
"""What means something to LaTeX, and what its usual fonts do not have."""

_SPECIAL: Final = re.compile("|".join(map(re.escape, sorted(LATEX, key=len)[::-1])))


_FORMULA: Final = re.compile(r"[=+\-@\t\r]")
"""What makes a spreadsheet take a text for a formula."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A table of plain values; None is an empty cell.

    Parameters
    ----------
    rows
        Each as long as `columns`.
    """

    columns: tuple[str, ...]
    rows: Sequence[Sequence[object]]


def csv_text(listing: Listing) -> str:
    """Return a listing as CSV, RFC 4180.

    A text that a spreadsheet would run as a formula has an apostrophe before it.
    """
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(listing.columns)
    writer.writerows(map(_harmless, listing.rows))
    return text.getvalue()


def markdown_text(listing: Listing) -> str:
    """Return a listing as a Markdown table; what is markup in a cell is escaped."""
    lines = [listing.columns, ["---"] * len(listing.columns), *listing.rows]
    return "".join(f"| {' | '.join(map(markdown_line, line))} |\n" for line in lines)


def latex_text(listing: Listing) -> str:
    """Return a listing as a table for LaTeX, ruled as the package booktabs does."""
    rows = "".join(_latex_line(row) for row in listing.rows)
    return (
        f"\\begin{{tabular}}{{{'l' * len(listing.columns)}}}\n\\toprule\n"
        f"{_latex_line(listing.columns)}\\midrule\n{rows}"
        "\\bottomrule\n\\end{tabular}\n"
    )


def _latex_line(values: Sequence[object]) -> str:
    cells = ("" if value is None else str(value) for value in values)
    written = (_SPECIAL.sub(lambda found: LATEX[found[0]], cell) for cell in cells)
    return " & ".join(" ".join(cell.split()) for cell in written) + r" \\" + "\n"


def _harmless(row: Sequence[object]) -> list[object]:
    """Return cells of which no spreadsheet makes a formula; numbers are none."""
    return [
        f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
        for value in row
    ]


def markdown_line(value: object) -> str:
    """Return a value as a line in which nothing is markup."""
    text = "" if value is None else str(value)
    for letter in "\\`*_[]<>|":
        text = text.replace(letter, f"\\{letter}") if text != "---" else text
    return " ".join(text.split())
