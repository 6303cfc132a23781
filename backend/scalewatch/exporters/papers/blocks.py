"""Blocks of a document: what its writers understand."""

from dataclasses import dataclass
from enum import StrEnum


class Part(StrEnum):
    """Part of a table that a row stands in; rules are drawn between parts."""

    BODY = "body"
    FORECAST = "forecast"  # in italics
    SUM = "sum"


@dataclass(frozen=True, slots=True)
class Row:
    """Cells of a table, with a half width behind ` ± ` where they are uncertain."""

    cells: tuple[str, ...]
    part: Part = Part.BODY


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table of numbers.

    Parameters
    ----------
    label
        Word by which other text refers to it.
    begins_with_names
        Whether the first column holds words, and is set flush left.
    """

    headings: tuple[str, ...]
    rows: tuple[Row, ...]
    caption: str
    label: str
    begins_with_names: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture in the folder `figures`, by its name without an extension."""

    name: str
    alt: str
    caption: str
    label: str


Block = Paragraph | Table | Figure


@dataclass(frozen=True, slots=True)
class Document:
    """A titled list of blocks."""

    title: str
    blocks: tuple[Block, ...]
    paper: str = "a4"
