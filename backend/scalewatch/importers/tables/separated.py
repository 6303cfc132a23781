"""Tables with a header: comma, semicolon, tab, bar or blank separated."""

import csv
import math
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from scalewatch.errors import MalformedFile, UnclearTable
from scalewatch.importers import series
from scalewatch.importers.source import Source, quoted, says_something
from scalewatch.importers.tables.batch_jobs import (
    MISSING,
    exacb_metrics,
    job_columns,
)
from scalewatch.importers.tables.columns import (
    CONFIGURATION,
    IGNORED,
    MEASURED,
    ROLES,
    UnclearColumns,
    columns_of,
)
from scalewatch.quantities import factor_between
from scalewatch.texts.cells import read_cell
from scalewatch.texts.scales import PARAMETERS, scale_of

_USUAL: Final = frozenset(" ".join(PARAMETERS.values()).split())

_COLUMN: Final = re.compile(r"[a-z][\w.-]{0,40}")
"""A name of a column, in lower case, that is no prose."""

_FEWEST_SETTINGS: Final = 3
_DELIMITERS: Final = ",;\t|"


def is_table(head: str) -> bool:
    """Tell whether a text begins with a header, and not with prose.

    A header names a parameter, or has as many cells as the row below, which has a
    number.
    """
    lines = [*filter(says_something, head.lstrip("\ufeff").splitlines())]
    if not lines:
        return False
    header, *rows = lines
    delimiter = _delimiter(header)
    cells = [cell.strip(' "').lower() for cell in header.split(delimiter)]
    if all(isinstance(series.plain_setting(cell), int | float) for cell in cells):
        return False  # a row whose header is missing, or stands in a comment
    if len(cells) > 1 and not _USUAL.isdisjoint(cells):
        return True
    below = rows[0].split(delimiter) if rows else []
    has_number = any(read_cell(cell.strip(' "')).number is not None for cell in below)
    # A row that is too short is refused by its line, and not the table as none.
    is_named = len(cells) > 2 and all(map(_COLUMN.fullmatch, cells))
    return delimiter != " " and has_number and (len(below) == len(cells) or is_named)


def read(
    source: Source,
    stated: Mapping[str, Sequence[str]],
    *,
    has_coordinate: bool = False,
) -> Iterator[series.ImportedMeasurement]:
    """Yield one measurement per value.

    A column of unknown meaning belongs to the configuration, unless no two rows
    agree in it, as in a time stamp, or it holds fractions, as a deviation does.

    Parameters
    ----------
    source
        The table, a row a line.
    stated
        Names of columns by meaning, see `tables.columns.columns_of`.
    has_coordinate
        Whether the coordinate may be known without a column.
    """
    yield from _Table(source, stated, has_coordinate=has_coordinate).measurements()


class _Table:
    """A table that is read row by row."""

    def __init__(
        self,
        source: Source,
        stated: Mapping[str, Sequence[str]],
        *,
        has_coordinate: bool,
    ) -> None:
        self.source = source
        self.delimiter = _delimiter(source.peek())
        lines = csv.reader(
            filter(says_something, source),
            delimiter=self.delimiter,
            skipinitialspace=True,
        )
        try:
            read = [(source.line, [cell.strip() for cell in row]) for row in lines]
        except csv.Error as error:
            raise source.malformed("a row of cells", str(error)) from None
        (line, header), self.rows = (read[0], read[1:]) if read else ((0, []), [])
        if not self.rows:
            raise source.malformed("a row of values", "the end of the file")
        header, self.rows = _upright(header, self.rows)
        self.header = self.distinct(header)
        for at, row in self.rows:
            if len(row) < len(header) or any(row[len(header) :]):
                expected = f"{len(header)} cells, one per column"
                raise source.malformed(expected, str(len(row)), at)
        cells = [row for _, row in self.rows]
        if MEASURED not in stated and (names := exacb_metrics(self.header, cells[0])):
            stated = {**stated, MEASURED: names, IGNORED: ["version"]}
        try:
            self.columns = columns_of(
                self.header, cells, stated, has_coordinate=has_coordinate
            )
        except UnclearColumns as unclear:
            actual = f"columns {', '.join(map(ascii, self.header))}"
            raise UnclearTable(
                source.name, f"line {line}", str(unclear), actual
            ) from None
        if any(column.is_inverse for column in self.columns.measured):
            source.notes.append("speed-ups are taken as relative times, 1 / speed-up")
        known = {*self.columns.parameters}
        if stated.keys() - ROLES.keys():
            known.add("p")  # no other column is a parameter
        unused = {*self.columns.undeclared, *self.columns.configuration}
        self.jobs = job_columns(self.header, unused, known, self.columns.configuration)
        self.configuration = {
            name: position
            for name, position in {
                **self.columns.configuration,
                **self.held(cells),
            }.items()
            if position not in self.jobs.positions
        }

    def distinct(self, header: Sequence[str]) -> list[str]:
        """Return names, of which the second of two equal ones is numbered."""
        names: list[str] = []
        for name in header:
            count = 1 + sum(before == name for before in header[: len(names)])
            names.append(name if count == 1 or not name else f"{name} ({count})")
        if again := sorted(set(names) - set(header)):
            self.source.notes.append(
                f"columns of one name are told apart: {', '.join(map(ascii, again))}"
            )
        return names

    def held(self, cells: Sequence[Sequence[str]]) -> dict[str, int]:
        """Return the columns of unknown meaning that a scan holds fixed.

        Not those of which no two rows agree, as in a time stamp, nor those of
        fractions, nor counts that follow from what is varied.
        """
        keys = [
            tuple(row[at] for at in self.columns.parameters.values()) for row in cells
        ]
        following = list(self.columns.following)
        held, fractions = dict[str, int](), list[str]()
        unknown = {
            name: [row[at] for row in cells]
            for name, at in self.columns.undeclared.items()
            if at not in self.jobs.positions
        }
        for name in sorted(unknown, key=lambda name: len(set(unknown[name]))):
            column = unknown[name]
            settings = {series.plain_setting(cell) for cell in column}
            if any(isinstance(setting, float) for setting in settings):
                fractions.append(name)
            elif (
                len(settings) > 1
                and self.columns.parameters
                and self.columns.undeclared[name] != self.jobs.tasks_per_node
                and all(isinstance(setting, int) for setting in settings)
                and len(set(zip(keys, column, strict=True))) == len(set(keys))
            ):
                following.append(name)
            elif len(set(column)) < len(column):
                held[name] = self.columns.undeclared[name]
                keys = [(*key, cell) for key, cell in zip(keys, column, strict=True)]
        held = {
            name: at for name, at in self.columns.undeclared.items() if name in held
        }
        scan = list(self.columns.parameters.values())
        measured = {tuple(row[at] for at in scan) for row in cells}
        torn = [
            name
            for name, at in held.items()
            if scan
            and len({(*(row[each] for each in scan), row[at]) for row in cells})
            < len(measured) * len({row[at] for row in cells})
        ]
        if torn:
            self.source.notes.append(
                f"{', '.join(torn)} splits the series, and not each value of it was "
                "measured at all settings; `--column ignore=NAME` leaves a column out"
            )
        for names, why in (
            (fractions, "holds fractions and is no setting and no known metric"),
            (following, "follows from what is varied and splits no series"),
        ):
            if names:
                self.source.notes.append(
                    f"{', '.join(names)} {why}: left out; "
                    "`--column value=NAME` takes a column as measured"
                )
        return held

    def measurements(self) -> Iterator[series.ImportedMeasurement]:
        numbered = self.columns.repetition
        if numbered is not None:
            # The first repetition may be a warm-up, wherever its row stands.
            self.rows.sort(key=lambda row: read_cell(row[1][numbered]).number or 0.0)
        for line, row in self.rows:
            self.line = line
            yield from self.measurements_of(row)

    def measurements_of(
        self, row: Sequence[str]
    ) -> Iterator[series.ImportedMeasurement]:
        coordinate = {
            name: self.setting(row[at]) for name, at in self.columns.parameters.items()
        }
        if processes := self.jobs.processes(row):
            coordinate = {"p": processes, **coordinate}
        configuration = tuple(
            (name, series.plain_setting(row[at]))
            for name, at in self.configuration.items()
            if row[at].lower() not in MISSING
        )
        region = None if self.columns.region is None else row[self.columns.region]
        is_failed = self.is_failed(row)
        for column in self.columns.measured:
            metric_at, unit_at = self.columns.metric, self.columns.unit
            stated = None if metric_at is None else row[metric_at]
            unit = None if unit_at is None else row[unit_at]
            value, its_unit = self.value(row[column.position])
            if column.is_inverse:
                value, its_unit = 1 / value if value else math.nan, None
            yield series.measurement(
                region or series.WHOLE_PROGRAM,
                stated or column.metric,
                self.unit(unit or column.unit, its_unit),
                value,
                coordinate,
                dict(configuration),
                self.source.origin,
                self.jobs.provenance(row),
                failed=is_failed,
            )

    def unit(self, of_column: str | None, of_cell: str | None) -> str | None:
        """Return the unit of a value, which cell and column may both state."""
        if of_cell is None or of_column is None:
            return of_cell or of_column
        if factor_between(of_cell, of_column) is None:
            raise self.wrong(f"a value in {of_column}", of_cell)
        return of_cell

    def is_failed(self, row: Sequence[str]) -> bool:
        """Tell whether a run failed, or does not say how it ended where others do.

        A word that is not understood is refused, unless another column says more.
        """
        outcomes = self.jobs.stated_outcomes(row)
        if any(outcome.has_succeeded is False for outcome in outcomes.values()):
            return True
        for column, outcome in outcomes.items():
            if outcome.has_succeeded is None and not outcome.is_absent:
                ignored, held = (
                    shlex.quote(f"{meaning}={column}")
                    for meaning in (IGNORED, CONFIGURATION)
                )
                raise self.wrong(
                    "how the run ended, as ok, PASS, FAILED or an exit code (if the "
                    f"column says something else, --column {ignored} leaves it out "
                    f"and --column {held} takes it as a setting)",
                    quoted(outcome.words),
                )
        return not all(outcome.has_succeeded for outcome in outcomes.values())

    def setting(self, cell: str) -> float:
        value, _ = self.value(cell)
        if math.isnan(value):
            raise self.wrong("the setting of a parameter", quoted(cell))
        return value

    def value(self, text: str) -> tuple[float, str | None]:
        cell = read_cell(text, has_decimal_comma=self.delimiter == ";")
        if cell.is_missing:
            return math.nan, None
        if cell.number is None:
            is_infinite = text.strip("+-").lower() in {"inf", "infinity"}
            raise self.wrong(
                "a finite number" if is_infinite else "a number", quoted(text)
            )
        if math.isinf(cell.number):
            raise self.wrong("a finite number", quoted(text))
        return cell.number, cell.unit

    def wrong(self, expected: str, actual: str) -> MalformedFile:
        """Return the error that the row that is read is wrong."""
        return self.source.malformed(expected, actual, self.line)


def _upright(
    header: list[str], rows: list[tuple[int, list[str]]]
) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return a table with a row per setting, also of one whose header holds them."""
    names = [row[0] for _, row in rows if row]
    if (
        len(header) < _FEWEST_SETTINGS
        or scale_of(header[0]) is None
        or any(read_cell(cell).number is None for cell in header[1:])
        or any(read_cell(name).number is not None for name in names)
        or any(len(row) != len(header) for _, row in rows)
    ):
        return header, rows
    line = rows[0][0]
    turned = zip(header, *(row for _, row in rows), strict=True)
    (_, *columns) = (list(column) for column in turned)
    return [header[0], *names], [(line, column) for column in columns]


def _delimiter(header: str) -> str:
    most = max(_DELIMITERS, key=header.count)
    return most if most in header else " "
