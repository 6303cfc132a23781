"""Tables with a header: comma, semicolon, tab, bar or blank separated."""

import csv
import math
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from typing import Final

from scalewatch.errors import BadSetting, MalformedFile, UnclearTable
from scalewatch.importers import series
from scalewatch.importers.formats import BASE_TIME
from scalewatch.importers.source import (
    LEFT_OUT,
    ReadColumn,
    ReadTable,
    Source,
    quoted,
    says_something,
)
from scalewatch.importers.tables.batch_jobs import (
    exacb_metrics,
    job_columns,
)
from scalewatch.importers.tables.columns import (
    CONFIGURATION,
    EFFICIENCY,
    IGNORED,
    MEASURED,
    ROLES,
    SPEEDUP,
    UnclearColumns,
    addressable_name,
    columns_of,
    is_derived,
    is_in_bytes,
    is_speedup,
    is_time_name,
)
from scalewatch.importers.tables.derived import (
    as_shares,
    base_of,
    contradictions,
    relative_time,
)
from scalewatch.importers.tables.shapes import (
    HEADER,
    Row,
    UnclearHeader,
    beside,
    unfolded,
    upright,
)
from scalewatch.outcomes import is_absent, is_missing, judge_value
from scalewatch.quantities import factor_between, parse_unit
from scalewatch.texts.cells import Cell, read_cell, read_label, uses_decimal_comma
from scalewatch.texts.scales import PARAMETERS, RESOURCES, scale_of

_USUAL: Final = frozenset(" ".join(PARAMETERS.values()).split())

_COLUMN: Final = re.compile(r"[a-z][\w.-]{0,40}")
"""A name of a column, in lower case, that is no prose."""

_MOST_TITLES: Final = 3
"""Lines above a table that are its title."""

_FEWEST_NAMED: Final = 2
"""Lines of names of a table that has two of them."""

_UNIT_BEHIND: Final = re.compile(r"[\[(][^\[\]()]++[\])]\Z")
_UNIT_OF_TITLE: Final = re.compile(
    r"(?:\bin |[\[(](?:times? in |in )?)(?P<unit>[^\W\d][\w/]*)(?![\w/])"
)
_BARE_PREFIX: Final = re.compile(r"\d++(?:\.\d++)? ?[kKMGT]")
"""A number of bytes of which only the prefix is written: `64K`, `12000K`."""

_GAP: Final = re.compile(r" {2,}")
_DELIMITERS: Final = ",;\t|"
_OF_EFFICIENCY: Final = "base / (scale · efficiency)"
FOOTNOTE: Final = re.compile(
    r"\\?[*†‡§]|\[\d+\]|\(\d+\)|(?:notes?|source)\b", re.IGNORECASE
)
_TOTALS: Final = frozenset(
    {"total", "sum", "summe", "gesamt", "mean", "average", "avg", "median", "geomean"}
)


def is_table(head: str) -> bool:
    """Tell whether a text begins with a header, and not with prose.

    A header names a parameter, or has as many cells as the row below, which has a
    number.
    """
    lines = [*filter(says_something, head.lstrip("\ufeff").splitlines())]
    if not lines:
        return False
    start, delimiter = _start(lines)
    header, *rows = lines[start:]
    cells = [cell.strip(' "').lower() for cell in _split(header, delimiter)]
    below = _split(rows[0], delimiter) if rows else []
    if delimiter == " " and (_is_text(cells, below) or _is_aligned(header, below)):
        return False
    if all(isinstance(series.plain_setting(cell), int | float) for cell in cells):
        return False  # a row whose header is missing, or stands in a comment
    if len(cells) > 1 and not _USUAL.isdisjoint(cells):
        return True
    has_number = any(map(_is_number, below)) or any(
        map(_is_number, _split("".join(rows[1:2]), delimiter))
    )
    if delimiter == " " and len(cells) > 1 and all(map(_is_number, below)):
        is_indexed = len(below) == len(cells) + 1
        return any(map(scale_of, cells)) and (is_indexed or len(below) == len(cells))
    # A row that is too short is refused by its line, and not the table as none.
    is_named = len(cells) > 2 and all(map(_COLUMN.fullmatch, cells))
    return delimiter != " " and has_number and (len(below) == len(cells) or is_named)


def read(
    source: Source,
    stated: Mapping[str, Sequence[str]],
    *,
    has_coordinate: bool = False,
) -> Iterator[series.ImportedMeasurement]:
    """Yield one measurement per value of a table whose cells a sign separates.

    Parameters
    ----------
    source
        The table, a row a line.
    stated
        Names of columns by meaning, see `tables.columns.columns_of`.
    has_coordinate
        Whether the coordinate may be known without a column.
    """
    source.peek()
    above = [*filter(says_something, source.head().splitlines())]
    start, delimiter = _start(above)
    lines = csv.reader(
        filter(says_something, source), delimiter=delimiter, skipinitialspace=True
    )
    try:
        rows = [(source.line, [cell.strip() for cell in row]) for row in lines]
    except csv.Error as error:
        raise source.malformed("a row of cells", str(error)) from None
    yield from read_rows(
        source,
        rows[start:],
        stated,
        has_coordinate=has_coordinate,
        title=" ".join(above[:start]).strip(" ,;\t|#"),
        delimiter=delimiter,
    )


def read_rows(  # noqa: PLR0913 - all that is said of a table
    source: Source,
    rows: Sequence[Row],
    stated: Mapping[str, Sequence[str]],
    *,
    has_coordinate: bool = False,
    title: str = "",
    delimiter: str = "",
) -> Iterator[series.ImportedMeasurement]:
    """Yield one measurement per value of a table.

    A column of unknown meaning belongs to the configuration, unless no two rows
    agree in it, as in a time stamp, or it holds fractions, as a deviation does.

    Parameters
    ----------
    source
        The file that it stands in, to which notes and meanings are added.
    rows
        Header and rows, each with its line.
    stated
        Names of columns by meaning, see `tables.columns.columns_of`.
    has_coordinate
        Whether the coordinate may be known without a column.
    title
        The heading or the line above the table.
    delimiter
        The sign that separates the cells, if one does.
    """
    for name, part in [("", rows)] if stated else beside(rows):
        table = _Table(
            source,
            part,
            stated,
            name or title,
            delimiter,
            has_coordinate=has_coordinate,
        )
        yield from table.measurements()


class _Table:
    """A table that is read row by row."""

    def __init__(  # noqa: PLR0913 - all that is said of a table
        self,
        source: Source,
        rows: Sequence[Row],
        stated: Mapping[str, Sequence[str]],
        title: str,
        delimiter: str,
        *,
        has_coordinate: bool,
    ) -> None:
        self.source, self.title = source, title
        self.is_weak = "weak" in title.lower()
        self.share = 1.0
        self.left_out: dict[str, str] = {}
        self.marks: list[str] = []
        self.dependent: dict[str, int] = {}
        stated = {**stated}
        self.base_time = _base_time(stated.pop(BASE_TIME, ()))
        line = self.read_rows(rows, stated)
        cells = [row for _, row in self.rows]
        self.has_comma = uses_decimal_comma(chain(*cells), delimiter)
        if MEASURED not in stated and (names := exacb_metrics(self.header, cells[0])):
            stated = {**stated, MEASURED: names, IGNORED: ["version"]}
        try:
            self.columns = columns_of(
                self.header,
                cells,
                stated,
                has_coordinate=has_coordinate,
                has_decimal_comma=self.has_comma,
            )
        except UnclearColumns as unclear:
            raise self.unclear(line, str(unclear), self.header) from None
        self.columns = self.columns.in_unit(_unit_in(title))
        known = {*self.columns.parameters}
        if stated.keys() - ROLES.keys():
            known.add("p")  # no other column is a parameter
        unused = {*self.columns.undeclared, *self.columns.configuration}
        self.dependent |= self.columns.following
        held = self.columns.configuration
        self.jobs = job_columns(self.header, unused, known, held, cells)
        self.configuration = {
            name: position
            for name, position in {
                **self.columns.configuration,
                **self.held(cells),
            }.items()
            if position not in self.jobs.positions
        }
        self.units = self.units_of_cells()
        self.base = self.relative_base()
        self.check_derived()
        source.tables.append(self.described(line))

    def read_rows(self, rows: Sequence[Row], stated: dict[str, Sequence[str]]) -> int:
        """Take the header and the rows; return the line of the header."""
        (line, header), *below = _without_index(_with_one_header(rows or [(0, [])]))
        below = self.without_remarks(header, below)
        header, self.rows = unfolded(header, below)
        if not self.rows:
            raise self.source.malformed("a row of values", "the end of the file")
        for at, row in self.rows:
            if len(row) < len(header) or any(row[len(header) :]):
                expected = f"{len(header)} cells, one per column"
                raise self.source.malformed(expected, str(len(row)), at)
        is_in_header = (key for key, names in stated.items() if [*names] == [HEADER])
        in_header = next(is_in_header, None)
        try:
            shape = upright(header, self.rows, self.title, in_header)
        except UnclearHeader as unclear:
            raise self.unclear(line, str(unclear), header) from None
        if in_header is not None:
            del stated[in_header]
        if shape.value and MEASURED not in stated:
            stated[MEASURED] = [shape.value]
        if shape.note:
            self.source.notes.append(shape.note)
        self.header, self.rows = self.distinct(shape.header), shape.rows
        return line

    def without_remarks(self, header: Sequence[str], rows: Sequence[Row]) -> list[Row]:
        """Return the rows without footnotes and totals at their end; note these."""
        left = [*rows]
        while left and (_is_footnote(left[-1][1]) or _is_total(left, len(header))):
            line, row = left.pop()
            mark = FOOTNOTE.match(row[0])
            if mark and judge_value(" ".join(row)[mark.end() :]):
                self.marks.append(mark[0].lstrip("\\"))
            self.source.notes.append(
                f"line {line} ({quoted(row[0])} …) is a footnote or a total: left out"
            )
        return left

    def unclear(self, line: int, expected: str, header: Sequence[str]) -> UnclearTable:
        """Return the error that a table does not say what its columns are."""
        actual = f"columns {', '.join(map(ascii, header))}"
        return UnclearTable(self.source.name, f"line {line}", expected, actual)

    def described(self, line: int) -> ReadTable:
        """Return each column with its meaning and the reason for it."""
        columns = self.columns
        meanings = {at: parameter for parameter, at in columns.parameters.items()}
        meanings |= {
            each.position: f"values, {each.metric}" for each in columns.measured
        }
        meanings |= dict.fromkeys(self.configuration.values(), "held fixed")
        meanings |= dict.fromkeys(self.dependent.values(), "a dependent setting")
        meanings |= dict.fromkeys(self.jobs.positions, "how or where the run was")
        roles = {"region": columns.region, "metric": columns.metric}
        meanings |= {at: name for name, at in roles.items() if at is not None}
        reasons = {**self.left_out, **columns.reasons}
        return ReadTable(
            f"{self.source.name}, line {line}",
            self.title,
            tuple(
                ReadColumn(name, meanings.get(at, LEFT_OUT), reasons.get(name, ""))
                for at, name in enumerate(self.header)
            ),
        )

    def numbers(self, at: int) -> list[float | None]:
        """Return the numbers of a column, None where there is none."""
        return [self.cell(row[at]).number for _, row in self.rows]

    def units_of_cells(self) -> dict[int, str]:
        """Return the only unit of each column's cells: a failed run has none."""
        units = {
            each.position: {
                cell.unit
                for _, row in self.rows
                if not (cell := self.cell(row[each.position])).is_missing
            }
            for each in self.columns.measured
        }
        return {
            at: unit
            for at, known in units.items()
            if len(known) == 1
            for unit in known
            if unit is not None
        }

    def cell(self, text: str) -> Cell:
        return read_cell(text, has_decimal_comma=self.has_comma)

    def scale(self) -> list[float] | None:
        """Return the parallel scale of each row, if the table has just one."""
        parallel = [
            at for name, at in self.columns.parameters.items() if name in RESOURCES
        ]
        if not parallel:
            return None
        cells = [row[parallel[0]] for _, row in self.rows]
        labels = [read_label(cell) for cell in cells]
        known = [label for label in labels if label]
        return known if len(known) == len(cells) else None

    def relative_base(self) -> float:
        """Return the scale that relative times are relative to, and say so."""
        derived = [each for each in self.columns.measured if each.derived]
        scales = self.scale()
        if not derived:
            return 1.0
        kind = str(derived[0].derived)
        numbers = self.numbers(derived[0].position)
        base = base_of(kind, scales, numbers) if scales else 1.0
        self.share = as_shares(numbers) if kind == EFFICIENCY else 1.0
        if kind == EFFICIENCY and scales is None:
            raise self.source.malformed(
                "a parallel scale beside an efficiency", "none", self.rows[0][0]
            )
        plural = "speed-ups" if kind == SPEEDUP else "efficiencies"
        at = f" ({base:g} is the base)" if scales else ""
        how = f"1 / {kind}" if kind == SPEEDUP or self.is_weak else _OF_EFFICIENCY
        self.source.notes.append(
            f"{plural} are taken as relative times, {how}{at}; "
            "`--base-time 139.1s` makes them absolute"
            if self.base_time is None
            else f"{plural} are taken as times, of {self.base_time:g} s at the base"
        )
        return base

    def check_derived(self) -> None:
        """Note the speed-ups and efficiencies that contradict the times beside them."""
        times = [
            each.position
            for each in self.columns.measured
            if each.derived is None and is_time_name(self.header[each.position])
        ]
        scales = self.scale()
        if len(times) != 1 or scales is None:
            return
        held = [*self.configuration.values()]
        others = [
            at for name, at in self.columns.parameters.items() if name not in RESOURCES
        ]
        groups = [tuple(row[at] for at in (*held, *others)) for _, row in self.rows]
        for at, name in enumerate(self.header):
            if not is_derived(name):
                continue
            kind = SPEEDUP if is_speedup(name) else EFFICIENCY
            values = self.numbers(at)
            wrong = contradictions(kind, scales, self.numbers(times[0]), values, groups)
            if wrong:
                first, said = next(iter(wrong.items()))
                more = f", as {len(wrong) - 1} more do" if len(wrong) > 1 else ""
                self.source.notes.append(
                    f"line {self.rows[first][0]}: {name} {self.rows[first][1][at]} "
                    f"contradicts the times, which say {said:.3g}{more}; times count"
                )
            self.left_out[name] = "checked by the times" + (
                ", which contradict it" if wrong else ""
            )

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
        following = list[str]()
        held, fractions = dict[str, int](), list[str]()
        unknown = {
            name: [row[at] for row in cells]
            for name, at in self.columns.undeclared.items()
            if at not in self.jobs.positions and not is_derived(name)
        }
        for name in sorted(unknown, key=lambda name: len(set(unknown[name]))):
            column = unknown[name]
            settings = {series.plain_setting(cell) for cell in column}
            if any(isinstance(setting, float) for setting in settings):
                fractions.append(name)
            elif (
                len(settings) > 1
                and self.columns.parameters
                and all(isinstance(setting, int) for setting in settings)
                and not _are_flags(column)
                and self.columns.undeclared[name] != self.jobs.tasks_per_node
                and len(set(zip(keys, column, strict=True))) == len(set(keys))
            ):
                following.append(name)
            elif len(set(column)) < len(column) or _are_flags(column):
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
        layout = [
            name
            for name in torn
            if held[name] == self.jobs.tasks_per_node
            and 1 in Counter(unknown[name]).values()
        ]
        following += layout  # no scan of its own: processes and nodes say as much
        for name in layout:
            torn.remove(name)
            del held[name]
        for name in [name for name in torn if scale_of(name) == "nodes"]:
            self.left_out[name] = "it tells where each run was"
            torn.remove(name)
            del held[name]
        if torn:
            self.source.notes.append(
                f"{', '.join(torn)} splits the series, and not each value of it was "
                "measured at all settings; `--column ignore=NAME` leaves a column out"
            )
        self.dependent |= {
            name: self.columns.undeclared[name]
            for name in following
            if all(read_label(cell) for cell in unknown[name])
        }
        why = "holds fractions and is no setting and no known metric"
        self.left_out |= dict.fromkeys(fractions, f"it {why}")
        if fractions:
            self.source.notes.append(
                f"{', '.join(fractions)} {why}: left out; "
                "`--column value=NAME` takes a column as measured"
            )
        if self.dependent:
            self.source.notes.append(
                f"{', '.join(self.dependent)} follows from what is varied: kept as a "
                "dependent setting, which splits no series; `--column value=NAME` "
                "takes a column as measured"
            )
        return held

    def measurements(self) -> Iterator[series.ImportedMeasurement]:
        numbered = self.columns.repetition
        if numbered is not None:
            # The first repetition may be a warm-up, wherever its row stands.
            self.rows.sort(key=lambda row: read_cell(row[1][numbered]).number or 0.0)
        for line, row in self.rows:
            self.line = self.source.line = line  # where an end by error is sought
            yield from self.measurements_of(row)

    def measurements_of(
        self, row: Sequence[str]
    ) -> Iterator[series.ImportedMeasurement]:
        coordinate = {
            name: self.setting(row[at], self.header[at])
            for name, at in self.columns.parameters.items()
        }
        if processes := self.jobs.processes(row):
            coordinate = {"p": processes, **coordinate}
        configuration = tuple(
            (addressable_name(name), series.plain_setting(row[at]))
            for name, at in self.configuration.items()
            if not is_missing(row[at])
        )
        dependent = tuple(
            (addressable_name(name), label)
            for name, at in self.dependent.items()
            if (label := read_label(row[at])) is not None
        )
        region = None if self.columns.region is None else row[self.columns.region]
        is_failed = self.is_failed(row)
        for column in self.columns.measured:
            metric_at, unit_at = self.columns.metric, self.columns.unit
            stated = None if metric_at is None else row[metric_at]
            unit = None if unit_at is None else row[unit_at]
            text = row[column.position]
            if _BARE_PREFIX.fullmatch(text) and is_in_bytes(column.metric):
                text += "iB"  # as Slurm writes memory
            value, its_unit = self.value(text)
            if math.isnan(value):
                its_unit = self.units.get(column.position)
            if column.derived:
                value, its_unit = self.relative(column.derived, value, coordinate)
            measurement = series.measurement(
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
            yield measurement._replace(dependent=dependent)

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
        if any(cell.rstrip("\\ ").endswith(tuple(self.marks)) for cell in row):
            return True  # a footnote says so
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

    def relative(
        self, kind: str, value: float, coordinate: Mapping[str, float]
    ) -> tuple[float, str | None]:
        """Return the time, or the relative one, that a speed-up tells."""
        scale = next(
            (coordinate[name] for name in RESOURCES if name in coordinate), 1.0
        )
        share = value * self.share
        time = relative_time(kind, share, scale, self.base, is_weak=self.is_weak)
        return (time, None) if self.base_time is None else (time * self.base_time, "s")

    def setting(self, cell: str, name: str) -> float:
        is_prefixed = _BARE_PREFIX.fullmatch(cell) and is_in_bytes(name)
        if (label := read_label(f"{cell}i" if is_prefixed else cell)) is not None:
            return label
        value, _ = self.value(cell)
        if math.isnan(value):
            raise self.wrong("the setting of a parameter", quoted(cell))
        return value

    def value(self, text: str) -> tuple[float, str | None]:
        cell = self.cell(text)
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


def _start(lines: Sequence[str]) -> tuple[int, str]:
    """Return how many lines are a title, and the sign between the cells below it."""
    for at, (line, following) in enumerate(pairwise(lines[: _MOST_TITLES + 2])):
        delimiter = _delimiter(line)
        cells, below = _split(line, delimiter), _split(following, delimiter)
        if delimiter != " " and sum(map(bool, cells)) > 1 and len(below) == len(cells):
            are_titles = all(
                sum(map(bool, _split(title, delimiter))) == 1 for title in lines[:at]
            )
            return (at, delimiter) if are_titles else (0, _delimiter(lines[0]))
    return 0, _delimiter(lines[0])


def _with_one_header(rows: Sequence[Row]) -> Sequence[Row]:
    """Return a table whose second line names, too, with one line of names.

    Of units: `time` over `s` is `time [s]`; of groups: `CPU` over `time` is `CPU time`.
    """
    if len(rows) <= _FEWEST_NAMED:
        return rows
    (line, names), (_, second), (_, third), *_ = rows
    if (
        len(names) != len(second)
        or any(map(_is_number, (*names, *second)))
        or sum(map(_is_number, third)) * 2 < len(names)
    ):
        return rows
    units = [_unbracketed(cell) for cell in second]
    are_units = [is_absent(unit) or parse_unit(unit).is_known for unit in units]
    if all(are_units) and not all(map(is_absent, units)):
        merged = [
            name if is_absent(unit) or "[" in name else f"{name} [{unit}]"
            for name, unit in zip(names, units, strict=True)
        ]
    elif ("" in names or len({*names}) < len(names)) and all(
        map(_either, names, second)
    ):
        groups: Iterator[str] = accumulate(names, _named_or_before)
        merged = [*map(_grouped, groups, second)]
    else:
        return rows
    return [(line, merged), *rows[2:]]


def _either(name: str, below: str) -> bool:
    return bool(name or below)


def _grouped(group: str, name: str) -> str:
    """Return the name of a column below that of its group, the unit behind both."""
    if not name or group.lower() in {"", name.lower()}:
        return name or group
    unit = _UNIT_BEHIND.search(group)
    if unit is None:
        return f"{group} {name}"
    return f"{group[: unit.start()].rstrip()} {name} {unit[0]}"


def _named_or_before(before: str, name: str) -> str:
    """Return a name, of an empty one the one before: groups stand over columns."""
    return name or before


def _unbracketed(cell: str) -> str:
    """Return what a cell as `[s]`, `[-]` or `GB` states of the unit of its column."""
    return cell.strip("[]() ")


def _without_index(rows: Sequence[Row]) -> Sequence[Row]:
    """Return a table without the numbers of rows that no name stands above."""
    (line, header), *below = rows
    firsts = [row[0] for _, row in below if len(row) == len(header) + 1]
    known = [int(first) for first in firsts if first.isdecimal() and len(first) < 8]
    is_indexed = len(below) > 1 and len(known) == len(below) and known[0] in {0, 1}
    if not is_indexed or known != [*range(known[0], known[0] + len(known))]:
        return rows
    return [(line, header), *((at, row[1:]) for at, row in below)]


def _are_flags(cells: Sequence[str]) -> bool:
    """Tell whether numbers are 0 in most rows: what is set elsewhere may matter."""
    return len({*cells}) > 1 and 2 * sum(cell == "0" for cell in cells) >= len(cells)


def _unit_in(title: str) -> str | None:
    """Return the unit of times or rates that a title states: `(time in seconds)`."""
    units = (match["unit"] for match in _UNIT_OF_TITLE.finditer(title))
    known = (unit for unit in units if dict(parse_unit(unit).dimension).get("s"))
    return next((unit for unit in known if parse_unit(unit).is_known), None)


def _is_number(cell: str) -> bool:
    return read_cell(cell.strip(' "')).number is not None


def _is_footnote(row: Sequence[str]) -> bool:
    return FOOTNOTE.match(row[0]) is not None and not any(
        read_cell(cell).number is not None for cell in row
    )


def _is_total(rows: Sequence[Row], columns: int) -> bool:
    """Tell whether the last row has a word like `Total` in a column of numbers."""
    *before, (_, last) = rows
    named = [at for at, cell in enumerate(last) if cell.lower() in _TOTALS]
    return (
        len(named) == 1
        and len(last) == columns
        and len(before) > 1
        and all(
            read_label(row[named[0]]) is not None
            for _, row in before
            if named[0] < len(row)
        )
    )


def _is_aligned(header: str, below: Sequence[str]) -> bool:
    """Tell whether names of several words are as many as the cells of the row below."""
    names = _GAP.split(header.strip())
    return len(header.split()) > len(names) == len(below) > 1


def _is_text(cells: Sequence[str], below: Sequence[str]) -> bool:
    """Tell words from a header of them, by the words of the line below.

    Words over a rule are aligned columns. Those with numbers are a sentence, unless
    they end in one, and as many words follow that begin otherwise.
    """
    is_over_rule = bool(below) and not "".join(below).strip("-=")
    numbers = [read_cell(cell).number is not None for cell in cells]
    is_sentence = any(numbers) and (len(below) != len(cells) or not numbers[-1])
    is_repeated = [word.lower() for word in below[:1]] == cells[:1]
    return is_over_rule or is_repeated or is_sentence


def _split(line: str, delimiter: str) -> list[str]:
    """Return the cells of a line, of which quoted ones may hold the delimiter."""
    if delimiter == " ":
        return line.split()
    return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])


def _base_time(stated: Sequence[str]) -> float | None:
    """Return the seconds that are stated for the base of relative times."""
    if not stated:
        return None
    cell = read_cell(stated[0])
    seconds = series.seconds_of(cell.unit or "s")
    if cell.number is None or not cell.number > 0 or seconds is None:
        raise BadSetting(BASE_TIME, stated[0], "a time, like 139.1s")
    return cell.number * seconds


def _delimiter(header: str) -> str:
    most = max(_DELIMITERS, key=header.count)
    return most if most in header else " "
