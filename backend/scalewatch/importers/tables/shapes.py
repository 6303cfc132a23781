"""Tables whose header holds settings, turned so that each row is a measurement.

The cells of such a header are counts: `8, 32, 56`, `4× A100`, `2*8`. They are the scale
if the corner or the user says so, and sizes where the first column is the scale.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from scalewatch.importers.tables.columns import (
    is_derived,
    is_rate_name,
    is_time_name,
)
from scalewatch.quantities import parse_unit
from scalewatch.texts.cells import read_cell, read_label
from scalewatch.texts.scales import counted_by, parameter_of, scale_of, scales_of
from scalewatch.wire.directions import told_direction

HEADER: Final = "header"
"""Name by which users say that a parameter stands in the header: `p=header`."""

_SERIAL: Final = frozenset({"serial", "sequential"})
"""Labels of one process."""

_UNIT: Final = re.compile(r"[\[(](?P<unit>[^\[\]()]+)[\])]\Z")
"""A unit behind the name of a row."""

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
    again. Names of values begin with that of the table. A table alone has none.
    """
    if len(rows) <= _FEWEST:
        return [("", rows)]
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
        header = [scale, *(f"{title} {name}" for name in values)]
        tables.append((title, [(line, header), *part]))
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
    counted = {counted_by(name) for name in header[1:]}
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
    parameter = stated or (len(counted) == 1 and counted.pop()) or _parameter(above)
    is_other = parameter and _parameter(side) not in {None, parameter}
    if parameter and (stated or not are_numbers or "\\" in header[0] or is_other):
        if not are_numbers and not _are_cases(names):
            return _turned(parameter, names, numbers, rows)
        case = side if stated or "\\" in header[0] or is_other else "case"
        return _melted(case or "case", parameter, numbers, rows, title)
    if are_numbers and _parameter(side) not in {None, "n"}:
        return _melted(side, "n", numbers, rows, title)
    raise UnclearHeader(
        "a header that says what its numbers are (`--column p=header` takes them as p)"
    )


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
