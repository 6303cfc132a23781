"""Tables with a header: comma, semicolon, tab, bar or blank separated."""

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from scalewatch.importers import series
from scalewatch.importers.source import Source, quoted, says_something
from scalewatch.importers.tables.batch_jobs import (
    MISSING,
    exacb_metrics,
    job_columns,
)
from scalewatch.importers.tables.columns import (
    IGNORED,
    MEASURED,
    PARAMETERS,
    ROLES,
    MeasuredColumn,
    UnclearColumns,
    columns_of,
)
from scalewatch.outcomes import judge_value
from scalewatch.wire import UNITS

_USUAL: Final = frozenset(" ".join(PARAMETERS.values()).split())

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
    return (
        delimiter != " "
        and len(below) == len(cells)
        and any(isinstance(series.plain_setting(cell), int | float) for cell in below)
    )


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
    table = _Table(source, stated, has_coordinate=has_coordinate)
    measurements = table.measurements()
    if table.undeclared:
        # Which of these columns are held fixed is known behind the last row.
        measurements = iter(list(measurements))
    if dropped := [
        name for name, column in table.undeclared.items() if column.is_fractional
    ]:
        names = ", ".join(dropped)
        source.notes.append(
            f"fractions in {names} are no settings and no known metric: left out; "
            "`--column value=NAME` takes a column as measured"
        )
    for measurement in measurements:
        configuration = tuple(
            (name, setting)
            for name, setting in measurement.subject.configuration
            if name not in table.undeclared or table.undeclared[name].is_held
        )
        subject = measurement.subject._replace(configuration=configuration)
        yield measurement._replace(subject=subject)


class _Undeclared:
    """A column of unknown meaning, as its cells show it."""

    def __init__(self, position: int) -> None:
        self.position = position
        self.is_fractional = False
        self.is_repeated = False
        self.seen = set[str]()

    @property
    def is_held(self) -> bool:
        """Whether a scan can hold it fixed."""
        return self.is_repeated and not self.is_fractional

    def observe(self, cell: str) -> None:
        if not self.is_repeated:
            self.is_repeated = cell in self.seen
            self.seen.add(cell)
        self.is_fractional |= isinstance(series.plain_setting(cell), float)


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
        self.rows = csv.reader(
            filter(says_something, source),
            delimiter=self.delimiter,
            skipinitialspace=True,
        )
        self.header = self.next_row() or []
        line = source.line
        first = self.next_row()
        if first is None:
            raise source.malformed("a row of values", "the end of the file")
        self.first = self.checked(first)
        if MEASURED not in stated and (names := exacb_metrics(self.header, self.first)):
            stated = {**stated, MEASURED: names, IGNORED: ["version"]}
        try:
            self.columns = columns_of(
                self.header, self.first, stated, has_coordinate=has_coordinate
            )
        except UnclearColumns as unclear:
            actual = f"columns {', '.join(map(ascii, self.header))}"
            raise source.malformed(str(unclear), actual, line) from None
        self.undeclared = {
            name: _Undeclared(position)
            for name, position in self.columns.undeclared.items()
        }
        known = {*self.columns.parameters}
        if stated.keys() - ROLES.keys():
            known.add("p")  # no other column is a parameter
        unused = {*self.undeclared, *self.columns.configuration}
        self.jobs = job_columns(self.header, unused, known)
        self.configuration = {
            name: position
            for name, position in {
                **self.columns.configuration,
                **self.columns.undeclared,
            }.items()
            if position not in self.jobs.positions
        }

    def next_row(self) -> list[str] | None:
        try:
            row = next(self.rows, None)
        except csv.Error as error:
            raise self.source.malformed("a row of cells", str(error)) from None
        return None if row is None else [cell.strip() for cell in row]

    def checked(self, row: list[str]) -> list[str]:
        """Return a row that has as many cells as the header."""
        if len(row) < len(self.header) or any(row[len(self.header) :]):
            expected = f"{len(self.header)} cells, one per column"
            raise self.source.malformed(expected, str(len(row)))
        return row

    def measurements(self) -> Iterator[series.ImportedMeasurement]:
        row: list[str] | None = self.first
        while row is not None:
            yield from self.measurements_of(self.checked(row))
            row = self.next_row()

    def measurements_of(
        self, row: Sequence[str]
    ) -> Iterator[series.ImportedMeasurement]:
        for undeclared in self.undeclared.values():
            undeclared.observe(row[undeclared.position])
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
            metric, unit, size = self.metric(row, column)
            subject = series.SeriesIdentity(
                region=region or series.WHOLE_PROGRAM,
                metric=metric,
                unit=unit,
                configuration=configuration,
                parameters=tuple(coordinate),
                origin=self.source.origin,
            )
            value = self.value(row[column.position]) * size
            yield series.ImportedMeasurement(
                subject,
                tuple(coordinate.values()),
                [math.nan if is_failed else value],
                self.jobs.provenance(row),
            )

    def is_failed(self, row: Sequence[str]) -> bool:
        """Tell whether a run failed, or does not say how it ended where others do.

        A word that is not understood is refused, unless another column says more.
        """
        outcomes = self.jobs.stated_outcomes(row)
        if any(outcome.has_succeeded is False for outcome in outcomes):
            return True
        for outcome in outcomes:
            if outcome.has_succeeded is None and not outcome.is_absent:
                raise self.source.malformed(
                    "how the run ended, as ok, PASS, FAILED or an exit code "
                    "(name the column otherwise if it is about something else)",
                    quoted(outcome.words),
                )
        return not all(outcome.has_succeeded for outcome in outcomes)

    def metric(
        self, row: Sequence[str], column: MeasuredColumn
    ) -> tuple[str, str | None, float]:
        """Return the metric of a value, its base unit, and how many make the value."""
        metric_at, unit_at = self.columns.metric, self.columns.unit
        metric = column.metric if metric_at is None else row[metric_at] or column.metric
        unit = column.unit if unit_at is None else row[unit_at] or column.unit
        units = UNITS.get(metric, {})
        if unit is not None and unit in units:
            return metric, next(iter(units)), units[unit]
        seconds = series.seconds_of(unit)
        return metric, unit if seconds is None else "s", seconds or 1.0

    def setting(self, cell: str) -> float:
        value = self.value(cell)
        if math.isnan(value):
            raise self.source.malformed("the setting of a parameter", quoted(cell))
        return value

    def value(self, cell: str) -> float:
        if cell.lower() in MISSING or judge_value(cell):
            return math.nan
        # Where a semicolon separates the cells, a comma may stand for the point.
        plain = cell.replace(",", ".") if self.delimiter == ";" else cell
        try:
            value = float(plain)
        except ValueError:
            raise self.source.malformed("a number", quoted(cell)) from None
        if math.isinf(value):
            raise self.source.malformed("a finite number", quoted(cell))
        return value


def _delimiter(header: str) -> str:
    most = max(_DELIMITERS, key=header.count)
    return most if most in header else " "
