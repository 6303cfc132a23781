"""Tables whose header holds settings, turned so that each row is a measurement.

The cells of such a header are counts: `8, 32, 56`, `4× A100`, `2*8`. They are the scale
if the corner or the user says so, and sizes where the first column is the scale.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, zip_longest
from typing import Final

from scalewatch.importers.tables.columns import (
    is_derived,
    is_rate_name,
    is_time_name,
)
from scalewatch.quantities import parse_unit
from scalewatch.texts.cells import read_cell, read_label
from scalewatch.texts.scales import counted_by, parameter_of, scale_of, scales_of
from scalewatch.wire.fields import told_direction

HEADER: Final = "header"
"""Name by which users say that a parameter stands in the header: `p=header`."""

_SERIAL: Final = frozenset({"serial", "sequential"})
"""Labels of one process."""

_UNIT: Final = re.compile(r"[\[(](?P<unit>[^\[\]()]+)[\])]\Z")
"""A unit behind the name of a row."""

_SIGN: Final = re.compile(r"[*x×·]")
_DITTO: Final = frozenset({"", '"', "''", "〃", "″"})
"""Cells that mean the one above."""

_COUNTED: Final = re.compile(r"(?P<count>\d{1,9})(?:\s?(?P<name>[A-Za-z][A-Za-z ]*))?")

_FEWEST: Final = 2
"""Settings that a header of settings has."""

Row = tuple[int, list[str]]


class UnclearHeader(ValueError):
    """A header holds numbers, and nothing says what they are."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A table with a row per measurement.

    Parameters
    ----------
    header, rows
        Its names and its cells, each row with its line.
    note
        A remark on how it was turned.
    value
        Name of the column of values, where the header had no name for it.
    """

    header: list[str]
    rows: list[Row]
    note: str = ""
    value: str = ""


def beside(rows: Sequence[Row]) -> list[tuple[str, Sequence[Row]]]:
    """Return tables that stand side by side below their names, each with its name.

    Each begins with a column of the same scale, which would be taken for another
    table's: `Strong scaling` above `Cores` and `Time`, `Weak scaling` above those
    again. Names of values begin with that of the table. Where no names stand above,
    all names of the first table stand again. A table alone has none.
    """
    if len(rows) <= _FEWEST:
        return [("", rows)]
    (line, header), *_ = rows
    size = next((n for n in range(2, len(header)) if header[n:] == header[:-n]), None)
    if size and len(header) % size == 0 and any(map(_parameter, header)):
        counts = range(1, len(header) // size + 1)
        above = [*chain(*([f"({number})", *[""] * (size - 1)] for number in counts))]
        rows = [(line, above), *rows]
    (line, groups), (_, names), *below = rows
    begins = [
        at
        for at, group in enumerate(groups)
        if group and (at == 0 or group != groups[at - 1])
    ]
    scales = {scale_of(names[at]) for at in begins if at < len(names)}
    is_one = len(begins) < _FEWEST or begins[0] != 0 or len(scales) > 1
    if is_one or None in scales or len(names) != len(groups):
        return [("", rows)]
    tables = list[tuple[str, Sequence[Row]]]()
    for first, last in pairwise([*begins, len(names)]):
        title, (scale, *values) = groups[first], names[first:last]
        part = [(at, row[first:last]) for at, row in below if any(row[first:last])]
        if title.startswith("("):
            values = [f"{name} {title}" if title != "(1)" else name for name in values]
        else:
            values = [f"{title} {name}" for name in values]
        tables.append(
            ("" if title.startswith("(") else title, [(line, [scale, *values]), *part])
        )
    return tables


def upright(
    header: list[str], rows: list[Row], title: str, stated: str | None
) -> Shape:
    """Return a table with a row per setting.

    Parameters
    ----------
    header, rows
        The table as it stands.
    title
        The line above it, which may name what was measured.
    stated
        The parameter that stands in the header, if the user says so.

    Raises
    ------
    UnclearHeader
        If the header holds numbers of which nothing says what they are.
    """
    whole = Shape(header, rows)
    results = [at for at, name in enumerate(header) if at == 0 or not is_derived(name)]
    if all(len(row) == len(header) for _, row in rows):
        header = [header[at] for at in results]
        rows = [(line, [row[at] for at in results]) for line, row in rows]
    labels = [
        1.0 if name.lower() in _SERIAL else read_label(name) for name in header[1:]
    ]
    counted = {counted_by(name) for name in header[1:] if name.lower() not in _SERIAL}
    if (
        (len(labels) < _FEWEST and not stated)
        or None in labels
        or len({*labels}) < len(labels)
        or any(len(row) != len(header) for _, row in rows)
    ):
        return whole
    numbers = [f"{label:.12g}" for label in labels if label is not None]
    side, _, above = header[0].partition("\\")
    side, above = side.strip(), (above or header[0]).strip()
    names = [row[0] for _, row in rows]
    are_numbers = all(read_cell(name).number is not None for name in names)
    # 1 GPU, 2 GPUs, 4 GPUs say more than their corner.
    only = counted.pop() if len(counted) == 1 else None
    parameter = stated or only or _parameter(above)
    if parameter and (stated or only or not are_numbers or "\\" in header[0]):
        if not are_numbers and not _are_cases(names):
            return _turned(parameter, names, numbers, rows)
        case = side if stated or only or "\\" in header[0] else "case"
        return _melted(case or "case", parameter, numbers, rows, title)
    if are_numbers and _parameter(side) not in {None, "n"}:
        return _melted(side, "n", numbers, rows, title)
    raise UnclearHeader(
        "a header that says what its numbers are (`--column p=header` takes them as p)"
    )


def unfolded(header: list[str], rows: list[Row]) -> tuple[list[str], list[Row]]:
    """Return a table with one setting a column, and all of a row in it.

    Cells below a name that stands for several rows are filled with it, and a column
    that lists scales, `Ranks x Threads`, is a column of each.
    """
    if not header or any(len(row) != len(header) for _, row in rows):
        return header, rows
    return _listed_apart(header, _filled(rows))


def _filled(rows: list[Row]) -> list[Row]:
    """Fill the cells of the first columns that are merged with the one above.

    A name that is written again in the next row stands for its own row alone.
    """
    filled = [(line, [*row]) for line, row in rows]
    for at in range(len(rows[0][1]) - 1 if rows else 0):
        cells = [row[at] for _, row in rows]
        known = [cell for cell in cells if cell not in _DITTO]
        if len(known) == len(cells) or cells[0] in _DITTO or len({*known}) < len(known):
            break
        for (_, above), (_, row) in pairwise(filled):
            row[at] = above[at] if row[at] in _DITTO else row[at]
    return filled


def _listed_apart(header: list[str], rows: list[Row]) -> tuple[list[str], list[Row]]:
    """Return a table with a column for each scale that a name or labels list."""
    for at, name in enumerate(header):
        listed = [_counts(row[at], scales_of(name)) for _, row in rows]
        named = {tuple(counts) for counts in listed}
        scales = named.pop() if len(named) == 1 else ()
        if len(scales) < _FEWEST:
            continue
        cells = [_totals(scales, [*counts.values()]) for counts in listed]
        return [*header[:at], *scales, *header[at + 1 :]], [
            (line, [*row[:at], *counts, *row[at + 1 :]])
            for (line, row), counts in zip(rows, cells, strict=True)
        ]
    return header, rows


def _counts(label: str, scales: Sequence[str]) -> dict[str, int]:
    """Return the scales of a label, `2 MPI x 4 OMP`, or those of its column: `2 x 4`.

    Empty if it is no list of counts, each of another scale.
    """
    parts = [_COUNTED.fullmatch(part.strip()) for part in _SIGN.split(label)]
    counts = {
        (scale_of(part["name"]) if part["name"] else scale): int(part["count"])
        for part, scale in zip_longest(parts, scales)
        if part is not None
    }
    is_list = len(counts) == len(parts) and len(scales) in {0, len(parts)}
    return {
        scale: count for scale, count in counts.items() if is_list and scale is not None
    }


def _totals(scales: Sequence[str], factors: Sequence[int]) -> list[str]:
    """Return how many there are of each: processes of all nodes, threads of each."""
    return [
        str(factor if scale == "threads" else math.prod(factors[: at + 1]))
        for at, (scale, factor) in enumerate(zip(scales, factors, strict=True))
    ]


def _parameter(name: str) -> str | None:
    """Return the parameter that a name is one of, of a product the finest."""
    listed = scales_of(name)
    return (listed[-1] if listed else None) or scale_of(name) or parameter_of(name)


def _are_cases(names: Sequence[str]) -> bool:
    """Tell names of cases from those of what was measured."""
    return not any(
        is_derived(name) or is_time_name(name) or is_rate_name(name) for name in names
    )


def _turned(
    parameter: str, names: Sequence[str], numbers: Sequence[str], rows: Sequence[Row]
) -> Shape:
    """Return a table of which each row is a quantity as one with columns of them."""
    line = rows[0][0]
    turned = [
        (line, [number, *(row[at] for _, row in rows)])
        for at, number in enumerate(numbers, 1)
    ]
    return Shape([parameter, *names], turned)


def _melted(
    case: str, parameter: str, numbers: Sequence[str], rows: Sequence[Row], title: str
) -> Shape:
    """Return a table of cases and settings as one with a row for each of both."""
    value = title if title and told_direction(title, "") else "value"
    units = {
        unit and unit["unit"] for unit in (_UNIT.search(row[0]) for _, row in rows)
    }
    if len(units) == 1 and (unit := units.pop()) and parse_unit(unit).is_known:
        value = f"{value} [{unit}]"
        rows = [
            (line, [_UNIT.sub("", row[0]).rstrip(), *row[1:]]) for line, row in rows
        ]
    melted = [
        (line, [row[0], number, row[at]])
        for line, row in rows
        for at, number in enumerate(numbers, 1)
    ]
    note = f"the numbers of the header are taken as {parameter}, a row for each"
    return Shape([case, parameter, value], melted, note, value)
