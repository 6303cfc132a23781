"""Listings: tables of plain values, as CSV and as Markdown."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO


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
    """Return a listing as CSV, RFC 4180."""
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(listing.columns)
    writer.writerows(listing.rows)
    return text.getvalue()


def markdown_text(listing: Listing) -> str:
    """Return a listing as a Markdown table; what is markup in a cell is escaped."""
    lines = [listing.columns, ["---"] * len(listing.columns), *listing.rows]
    return "".join(f"| {' | '.join(map(_cell, line))} |\n" for line in lines)


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    for letter in "\\`*_[]<>|":
        text = text.replace(letter, f"\\{letter}") if text != "---" else text
    return " ".join(text.split())
