"""Meanings of the columns of a table: as stated, else read from their names."""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count, pairwise
from shlex import quote
from typing import Final

import numpy as np

from scalewatch.importers import series
from scalewatch.outcomes import is_about_outcome, states_outcomes
from scalewatch.quantities import parse_unit
from scalewatch.texts.cells import read_cell, read_label
from scalewatch.texts.scales import (
    PARAMETERS,
    RESOURCES,
    counted_by,
    is_about_scale,
    parameter_of,
    scale_of,
    words_of,
)
from scalewatch.wire import UNITS
from scalewatch.wire.fields import told_direction

REGION: Final = "region"
METRIC: Final = "metric"
MEASURED: Final = "value"
REPETITION: Final = "repetition"
UNIT: Final = "unit"
CONFIGURATION: Final = "configuration"
IGNORED: Final = "ignore"

ROLES: Final[Mapping[str, str]] = {
    REGION: "region callpath call_path function kernel routine operation collective "
    "name kernel_name",
    METRIC: "metric counter",
    MEASURED: "value measurement result",
    REPETITION: "repetition rep iteration trial sample run",
    UNIT: "unit",
    CONFIGURATION: "",
    IGNORED: "",
}
"""Meanings of a column, beside a parameter, and its usual names in each of them."""

METRICS: Final[Mapping[str, str]] = {
    "time": "time seconds runtime run_time walltime wall_time elapsed latency",
    "memory": "memory mem rss peak_memory",
    "bytes": "bytes bytes_sent",
    "flops": "flops",
}
"""Metrics and the usual names of the columns of their values."""

_WHOLE: Final = frozenset({"memory", "bytes"})
"""Metrics of whole numbers, if no unit says otherwise."""

_RATED: Final = re.compile(r"(GF|GFLOPS|Gflops)_\w+")
"""Rates of HPCG and HPL in tables of JUBE: the unit stands before the name."""

_OF_HPCG: Final[Mapping[str, str]] = {
    **dict.fromkeys(("GB_read", "GB_write", "GB_total", "GB_t_o"), "GB/s"),
    **dict.fromkeys(("MinAllreduce", "MaxAllreduce", "AvgAllreduce"), "s"),
}
"""Units of further columns of JUBE's tables of HPCG."""

_RESOURCES: Final = frozenset({"p", "nodes", "gpus"})
_ORDER: Final = ("p", "gpus", "n", "threads", "nodes")
_IDEALS: Final = frozenset(
    {"ideal", "linear", "perfect", "theoretical", "expected", "reference", "target"}
    | {"rpeak"}
)
_ACTUAL: Final = frozenset({"actual", "measured", "observed", "real"})
_ASIDE: Final = frozenset(
    {"path", "file", "filename", "dir", "directory", "date", "index"}
    | {"timestamp", "hostname", "scientific", "ntimes"}
)
_NUMBERING: Final = frozenset({"job", "jobid", "id", "seed", "pid", "port"})
"""Words of columns whose numbers differ in every row, and measure nothing."""

_ONE_OF_MANY: Final = frozenset({"rank", "mpi rank", "thread", "pe"})
_FEW_RANKS: Final = 4

RESTARTS: Final = "restarts"
"""Dependent setting that counts how often a job was restarted."""

RESTARTED: Final = "it says whether times are whole"
_RESTARTS: Final = frozenset({"restart", "restarts", "requeue", "requeues", "requeued"})

_VERSIONS: Final = frozenset({"version", "release"})
_SOFTWARE: Final = frozenset({"rocm", "cuda", "gcc", "compiler", "driver", "python"})
"""Words of columns of versions, whose fractions measure nothing."""

_DEVIATIONS: Final = frozenset(
    {"std", "sd", "stdev", "stddev", "dev", "deviation", "var", "variance", "ci", "±"}
    | {"sigma", "stderr", "err", "uncertainty", "cv", "iqr", "mad", "rsd"}
    | {"abweichung", "standardabweichung", "streuung", "fehler", "écart", "desviación"}
)
_SIGNS_OF_SPREAD: Final = frozenset({"±", "+-", "+/-"})
_EXTREMES: Final = frozenset({"min", "max", "minimum", "maximum"})
_MEANS: Final = frozenset({"avg", "average", "mean", "median"})
_SHARES: Final = frozenset({"percent", "pct", "percentage"})
_MEMORY: Final = frozenset({"memory", "mem", "rss", "maxrss", "hwm"})
_PEAKS: Final = frozenset({"rss", "maxrss", "hwm"})
_TIMES: Final = frozenset(
    {"time", "wall", "wtime", "elapsed", "runtime", "walltime", "duration", "latency"}
    | {"seconds", "cputime", "zeit", "laufzeit", "rechenzeit", "dauer", "temps"}
    | {"durée", "tiempo", "tempo", "duración"}
)
"""Words of times, in the languages that tables are often written in."""

_DERIVED: Final = re.compile(
    r"speed[ _-]?ups?|accélération|beschleunigung|aceleración|accelerazione"
    r"|efficienc(?:y|ies)|effizienz|efficacité|eficiencia|efficienza",
    re.IGNORECASE,
)
SPEEDUP: Final = "speed-up"
EFFICIENCY: Final = "efficiency"
RELATIVE_TIME: Final = "relative time"
"""Metric of the times that speed-ups alone tell: the base has 1."""

_SYMBOL: Final = re.compile(
    r"\$?(?P<kind>[TSE])(?:_?\{?[pPN]\}?|\s?\([pPnN]\))(?:\s*[\[(](?P<unit>[^\[\]()]+)[\])])?\$?"
)
"""Names of times, speed-ups and efficiencies in papers: `T(p)`, `S_p`, `Ep`."""

_SPEEDUP: Final = re.compile(
    r"speed[ _-]?up|accélération|beschleunigung|aceleración|accelerazione",
    re.IGNORECASE,
)
_REPEATED: Final = re.compile(
    r"(?:run|rep|repetition|repeat|trial|try|iteration|sample|measurement)"
    r"[ _#-]?\d{1,4}"
    r"(?:\s?[\[(][^\[\]()]+[\])])?",
    re.IGNORECASE,
)
"""Names of columns that hold repetitions: `run 1`, `run 2`, `run 3`."""

_NUMBERED: Final = re.compile(r"\(\d+\)\Z")
"""The end of the second of two names that are alike, `time (2)`."""

_PARTS: Final = re.compile(r"[\W_]+")
_FEWEST_ROWS: Final = 2
_ROUNDED: Final = 0.05
"""Part by which what follows from a result may be off, as it is rounded."""

_LONGEST_RUN: Final = 1e7
"""Seconds, a third of a year: longer times are in another unit."""

_NEARLY: Final = 0.5
"""Power of the scale beyond which an ideal rises or falls with it."""

_BRACED_END: Final = re.compile(r"[\[(][^\[\]()]*+[\])]\Z")
_UNIT_OF_IDEAL: Final = re.compile(
    r"[\[(](?:ideal|linear|perfect)[\])]\Z", re.IGNORECASE
)
_UNADDRESSABLE: Final = frozenset("/?#")
_SUFFIXED: Final = re.compile(r"(?P<name>.+)_(?P<unit>[^_\W]+)")
_UNITS_BEHIND: Final[Mapping[str, str]] = {
    unit.lower(): unit
    for unit in (
        *("s", "ms", "us", "ns", "sec", "secs", "seconds", "J", "kJ", "Wh", "kWh"),
        *("W", "kW", "kB", "MB", "GB", "KiB", "MiB", "GiB", "MFLOPS", "GFLOPS"),
        "TFLOPS",
    )
}
"""Units that names of columns end in, by their lower case: `energy_j`; no `min`."""

_AMOUNTS: Final = frozenset(
    {"size", "length", "message", "msg", "block", "buffer", "input", "limit", "bytes"}
)
"""Words of amounts that are set and not measured."""

_WITH_UNIT: Final = re.compile(r"(?P<name>.+?)(?:,| in)\s(?P<unit>\S+)")
_BRACED: Final = re.compile(r"(?P<name>.*\S|.)\s*+[\[(](?P<unit>[^\[\]()]++)[\])]")


@dataclass(frozen=True, slots=True)
class MeasuredColumn:
    """A column of values, with metric and unit where no other column has them.

    One that `derived` from times holds speed-ups or efficiencies, of which relative
    times are made.
    """

    position: int
    metric: str
    unit: str | None
    derived: str | None = None


@dataclass(frozen=True, slots=True)
class Columns:
    """Positions of the columns that matter, by their meaning.

    Columns of counts that are `following` others, as nodes do GPUs, split nothing. An
    `undeclared` column has no known meaning: it belongs to the configuration
    unless its cells exclude that. `reasons` tell why a column has its meaning.
    """

    measured: Sequence[MeasuredColumn]
    parameters: Mapping[str, int]
    region: int | None
    metric: int | None
    unit: int | None
    configuration: Mapping[str, int]
    undeclared: Mapping[str, int]
    following: Mapping[str, int] = field(default_factory=dict)
    repetition: int | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)

    def in_unit(self, unit: str | None) -> "Columns":
        """Return them with a unit for values of which nothing says what they are."""
        measured = [
            each
            if each.derived or each.unit or told_direction(each.metric, "")
            else replace(each, unit=unit)
            for each in self.measured
        ]
        return replace(self, measured=measured)


class Content:
    """The cells of a column, taken together.

    Attributes
    ----------
    is_number
        Whether all cells that are not missing are numbers, and some are.
    is_whole
        Whether they are whole and none is a share.
    has_clocks
        Whether some are written as 0:16:03, which may be a duration or a time of day.
    numbers
        The numbers, None where there is none.
    cells
        The texts.
    """

    def __init__(self, cells: Sequence[str], *, has_decimal_comma: bool) -> None:
        read = [read_cell(cell, has_decimal_comma=has_decimal_comma) for cell in cells]
        there = [cell for cell in read if not cell.is_missing]
        numbers = [
            cell.number
            for cell in there
            if cell.number is not None and not (cell.unit and scale_of(cell.unit))
        ]
        self.is_number = bool(numbers) and len(numbers) == len(there)
        self.has_clocks = any(":" in cell for cell in cells)
        self.numbers = [cell.number for cell in read]
        self.cells = cells
        if not self.is_number and there:
            labels = [
                None if cell.is_missing else read_label(text)
                for cell, text in zip(read, cells, strict=True)
            ]
            if sum(label is not None for label in labels) == len(there):
                self.numbers, self.is_whole = labels, True
                return
        self.is_whole = self.is_number and all(
            cell.number == int(cell.number) and cell.unit is None
            for cell in there
            if cell.number is not None and math.isfinite(cell.number)
        )

    def labelled(self) -> str | None:
        """Return the scale that all cells name: `1 node (48 cores)`, `2 nodes`."""
        if self.is_number or not self.is_whole:
            return None
        named = {counted_by(cell) for cell in self.cells}
        return named.pop() if len(named) == 1 else None

    def is_value(self) -> bool:
        """Tell whether it may hold results."""
        return self.is_number and not self.is_whole


FOLLOWS: Final = "it follows from the scale"
CALLED: Final = "its name"
ONLY: Final = "the only column of whole numbers that is left"
FIRST: Final = "the first column, which rises from row to row"
"""Reasons of meanings that others ask for."""


class UnclearColumns(ValueError):
    """The names of the columns leave a meaning open that is needed."""


def is_aside(name: str) -> bool:
    """Tell whether a column is no result of a run: ideals, paths, jobs, indices."""
    words = words_of(name)
    is_of_queue = "queue" in words and not _TIMES.isdisjoint(words)
    return not name or is_ideal(name) or is_of_queue or not _ASIDE.isdisjoint(words)


def is_ideal(name: str) -> bool:
    """Tell whether a column is called an ideal: `Ideal FOM`, `Problem 1 (Linear)`."""
    braced = _BRACED_END.search(name)
    behind = set(words_of(braced[0].strip("([ )]"))) if braced else set()
    if behind and behind <= _IDEALS:
        return True
    return not _IDEALS.isdisjoint(words_of(name))


def is_version(name: str) -> bool:
    """Tell whether a column is called like software, of which it has versions."""
    return name.lower() in _SOFTWARE or not _VERSIONS.isdisjoint(words_of(name))


def is_derived(name: str) -> bool:
    """Tell whether a column follows from times: speed-ups and efficiencies."""
    symbol = _SYMBOL.fullmatch(name)
    return bool(_DERIVED.search(name) or (symbol and symbol["kind"] != "T"))


def columns_of(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    stated: Mapping[str, Sequence[str]],
    *,
    has_coordinate: bool = False,
    has_decimal_comma: bool = False,
) -> Columns:
    """Return the meaning of each column.

    Parameters
    ----------
    header, rows
        The names, all different, and the cells.
    stated
        Names of columns by role or, for any other key, by parameter. Once it names
        a parameter, no other column is taken for one.
    has_coordinate
        Whether the coordinate is known without a column.
    has_decimal_comma
        Whether a comma stands for the point.

    Raises
    ------
    UnclearColumns
        If a column is missing, with what was expected as its message.
    """
    contents = [
        Content([row[at] for row in rows], has_decimal_comma=has_decimal_comma)
        for at in range(len(header))
    ]
    following: dict[str, int] = {}
    meanings = _Meanings(header, contents)
    meanings.take(_stated(header, stated), "stated")
    meanings.read_usual_names(ROLES)
    if not meanings.parameters():
        meanings.read_usual_names(PARAMETERS)
        meanings.read_scales()
        meanings.refuse_numbering()
        following = {
            meanings.by_column[at]: at
            for at in _following(contents, meanings.by_column)
        }
        meanings.leave_out(following.values(), FOLLOWS)
    for at, name in enumerate(header):
        if _RESTARTS.intersection(words_of(name)) and contents[at].is_number:
            following[RESTARTS] = at
            meanings.leave_out([at], RESTARTED)
    meanings.leave_out_asides()
    if MEASURED not in meanings.by_column.values():
        meanings.read_values()
    if not meanings.parameters() and not has_coordinate:
        meanings.read_unnamed_scale()
    elif not stated.keys() - ROLES.keys():
        meanings.read_amount()
    meanings.refuse_falling()
    if MEASURED not in meanings.by_column.values():
        position = _only_values(header, contents, meanings.by_column)
        meanings.take({position: MEASURED}, "the only column of numbers that is left")
    is_stated = MEASURED in stated
    columns = _columns(header, contents, meanings.by_column, is_stated=is_stated)
    _refuse_other_units(header, contents, columns.measured)
    return replace(
        columns,
        measured=_by_base(contents, _by_ideal(header, contents, columns), columns),
        following=following,
        reasons={header[at]: why for at, why in meanings.reasons.items()},
    )


class _Meanings:
    """The meanings of columns that are known until now, each with the reason."""

    def __init__(self, header: Sequence[str], contents: Sequence[Content]) -> None:
        self.header, self.contents = header, contents
        self.by_column: dict[int, str] = {}
        self.reasons: dict[int, str] = {}

    def take(self, meanings: Mapping[int, str], why: str) -> None:
        """Take meanings of columns, for one reason."""
        self.by_column |= meanings
        self.reasons |= dict.fromkeys(meanings, why)

    def leave_out(self, columns: Iterable[int], why: str) -> None:
        """Take columns for none that matters."""
        self.take(dict.fromkeys(columns, IGNORED), why)

    def parameters(self) -> dict[str, int]:
        """Return the columns of parameters."""
        return _parameters(self.by_column)

    def unknown(self) -> list[int]:
        """Return the columns of which no meaning is known."""
        return [at for at in range(len(self.header)) if at not in self.by_column]

    def read_usual_names(self, usual: Mapping[str, str]) -> None:
        """Take the first column that has one of the usual names of a meaning."""
        for meaning, names in usual.items():
            named = (
                at for at in self.unknown() if self.header[at].lower() in names.split()
            )
            at = next(named, None)
            is_of_numbers = meaning in {"n", MEASURED}
            if is_of_numbers and at is not None and not self.has_numbers(at):
                continue  # sizes are also small and large, results also good
            if (
                at is not None
                and self.header[at].lower() == "run"
                and (self.differs(at) or not self.contents[at].is_whole)
            ):
                continue  # a number of the row, or how it ended
            if at is not None and meaning not in self.by_column.values():
                self.take({at: meaning}, CALLED)

    def differs(self, at: int) -> bool:
        """Tell whether no two cells of a column are alike."""
        cells = self.contents[at].cells
        return len({*cells}) == len(cells)

    def has_numbers(self, at: int) -> bool:
        """Tell whether some cell of a column is a number."""
        return any(number is not None for number in self.contents[at].numbers)

    def read_scales(self) -> None:
        """Take columns of counts that are called like what programs scale over."""
        scales: dict[str, int] = {}
        for at in self.unknown():
            parameter = scale_of(self.header[at]) or self.contents[at].labelled()
            is_free = parameter not in self.by_column.values()
            if parameter is not None and is_free and self.contents[at].is_whole:
                scales.setdefault(parameter, at)
        varied = [*scales.values(), *self.parameters().values()]
        rows = len(self.contents[0].numbers) if self.contents else 0
        if rows <= 1 or any(len(set(self.contents[at].numbers)) > 1 for at in varied):
            self.take({at: parameter for parameter, at in scales.items()}, CALLED)

    def refuse_numbering(self) -> None:
        """Refuse columns that number processes or threads of one run from 0 on.

        Raises
        ------
        UnclearColumns
            If a parallel scale has a setting of 0.
        """
        for parameter, at in self.parameters().items():
            if parameter in RESOURCES and self.numbers_from_zero(at):
                name = self.header[at]
                raise UnclearColumns(
                    f"how many there were, where {name!r} numbers them "
                    f"(`--column {quote(f'repetition={name}')} --at {parameter}=8` "
                    "takes them as values of one run)"
                )

    def refuse_falling(self) -> None:
        """Refuse `N` as the size of a problem, if times fall with it.

        Raises
        ------
        UnclearColumns
            If it may as well count processes.
        """
        parameters = self.parameters()
        size = parameters.get("n", 0)
        name = self.header[size]
        times = [at for at in self.values() if is_time_name(self.header[at])]
        is_stated = self.reasons.get(size) != CALLED
        if parameters.keys() != {"n"} or name.lower() != "n" or is_stated or not times:
            return
        rows = [self.contents[at].numbers for at in (size, *times)]
        known = sorted(row for row in zip(*rows, strict=True) if None not in row)
        if len(known) > _FEWEST_ROWS and all(
            (np.diff(column) < 0).all() for column in [*zip(*known, strict=True)][1:]
        ):
            raise UnclearColumns(
                f"what {name} counts, as times fall with it "
                f"(`--column p={name}` or `--column n={name}` says it)"
            )

    def numbers_from_zero(self, at: int) -> bool:
        """Tell whether a column holds 0, 1, 2, … in some order.

        One called `rank`, and not `ranks`, may also begin with 1.
        """
        numbers = {number for number in self.contents[at].numbers if number is not None}
        is_rank = self.header[at].lower() in _ONE_OF_MANY and len(numbers) > _FEW_RANKS
        first = min(numbers, default=0.0) if is_rank else 0.0
        counted = {first + n for n in range(len(numbers))}
        return len(numbers) > 1 and first <= 1 and numbers == counted

    def leave_out_asides(self) -> None:
        """Leave out ideals, paths and numbers, and columns that repeat another one."""
        header, contents = self.header, self.contents
        self.leave_out(
            [at for at in self.unknown() if is_aside(header[at])],
            "an ideal, a path, a date or a number of rows",
        )
        self.leave_out(
            [
                at
                for at in self.unknown()
                if _is_copy(at, header, contents, self.by_column)
            ],
            "it repeats another column",
        )

    def read_values(self) -> None:
        """Take columns of results: times and rates, or what else has fractions."""
        header, contents = self.header, self.contents
        if any(_direction(header[at]) is not None for at in self.unknown()):
            versions = [at for at in self.unknown() if is_version(header[at])]
            self.take(dict.fromkeys(versions, CONFIGURATION), CALLED)
        measured = [
            at
            for at in self.unknown()
            if not (_is_about_scale(header[at]) or is_derived(header[at]))
            and not (_is_amount(header[at]) and contents[at].is_whole)
            and (metric_and_unit(header[at]) or _is_measured(header[at], contents[at]))
        ]
        self.take(dict.fromkeys(measured, MEASURED), "its name, unit or fractions")
        self.leave_out(
            _spreads(header, measured), "a spread or an extreme beside its mean"
        )
        self.leave_out_relative()
        if all(is_in_bytes(header[at]) for at in self.values()):
            # A table is hardly ever about memory alone.
            counts = [
                at
                for at in self.unknown()
                if contents[at].is_number
                and not _is_about_scale(header[at])
                and not is_derived(header[at])
                and not is_about_outcome(header[at])
                and _NUMBERING.isdisjoint(words_of(header[at]))
                and len(set(contents[at].numbers)) == len(contents[at].numbers) > 1
                and self.parameters()
                and not self.is_proportional(at)
            ]
            if counts:
                self.take(dict.fromkeys(counts, MEASURED), "it differs in every row")
        if MEASURED not in self.by_column.values():
            derived = [
                at
                for at in self.unknown()
                if is_derived(header[at]) and contents[at].is_number
            ]
            speedups = [at for at in derived if is_speedup(header[at])]
            self.take(
                dict.fromkeys(speedups or derived, MEASURED),
                "it has no time beside it, and tells a relative one",
            )

    def leave_out_relative(self) -> None:
        """Leave out speed-ups and efficiencies that only their numbers tell.

        They are 1 or 100 % in the row of the base, and follow from a time or a rate
        beside them, as `S` and `E` follow from `t`.
        """
        values = self.values()
        results = [at for at in values if _direction(self.header[at]) is not None]
        for at in sorted({*values} - {*results}):
            numbers = self.contents[at].numbers
            has_base = not {1.0, 100.0}.isdisjoint(numbers)
            follows = (each for each in results if has_base and self.follows(at, each))
            if (result := next(follows, None)) is not None:
                self.leave_out([at], f"it follows from {self.header[result]}")

    def follows(self, at: int, result: int) -> bool:
        """Tell whether a column is relative to a result, also per unit of a scale."""
        relative, results, *scales = (
            np.array(self.contents[each].numbers, float)
            for each in (at, result, *self.parameters().values())
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            constants = [
                relative * scale * results**power
                for scale in (np.ones(len(results)), *scales)
                for power in (1, -1)
            ]
        return len(results) >= _FEWEST_ROWS and any(
            np.isfinite(each).all() and np.ptp(each) <= _ROUNDED * abs(np.median(each))
            for each in constants
        )

    def is_proportional(self, at: int) -> bool:
        """Tell whether a column is in proportion to a parameter, as nodes are to p."""
        return any(
            len(
                {
                    round(number / scale, 9)
                    for number, scale in zip(
                        self.contents[at].numbers,
                        self.contents[parameter].numbers,
                        strict=True,
                    )
                    if number is not None and scale
                }
            )
            == 1
            for parameter in self.parameters().values()
        )

    def values(self) -> list[int]:
        """Return the columns of results."""
        return [at for at, meaning in self.by_column.items() if meaning == MEASURED]

    def read_amount(self) -> None:
        """Take the only amount that varies as a scale where no other one varies."""
        varies = [len(set(content.numbers)) > 1 for content in self.contents]
        amounts = [
            at
            for at in self.unknown()
            if varies[at] and self.contents[at].is_whole and _is_amount(self.header[at])
        ]
        if len(amounts) == 1 and not any(
            varies[at] for at in self.parameters().values()
        ):
            self.take({amounts[0]: addressable_name(self.header[amounts[0]])}, ONLY)

    def is_profile(self) -> bool:
        """Tell whether each row is another region, as in the profile of one run."""
        named = [at for at, meaning in self.by_column.items() if meaning == REGION]
        cells = [cell for at in named for cell in self.contents[at].cells]
        return len({*cells}) == len(cells) > 1

    def read_unnamed_scale(self) -> None:
        """Take the only column of counts as a scale, or a first one that only rises.

        Raises
        ------
        UnclearColumns
            If there is none.
        """
        header, contents = self.header, self.contents
        counts = [
            at
            for at in self.unknown()
            if contents[at].is_whole
            and not is_derived(header[at])
            and not self.numbers_from_zero(at)
        ]
        first = contents[0].numbers if contents else []
        if len(counts) == 1 and not self.is_profile():
            self.take({counts[0]: addressable_name(header[counts[0]])}, ONLY)
        elif (
            _rises(first)
            and self.by_column.get(0) in {None, MEASURED}
            and not self.numbers_from_zero(0)
            and _direction(header[0]) is None
            and any(at for at in self.values())
        ):
            self.take({0: addressable_name(header[0])}, FIRST)
        else:
            varied = (
                at
                for at in counts
                if len(set(contents[at].numbers)) > 1
                and _NUMBERING.isdisjoint(words_of(header[at]))
            )
            at = None if self.is_profile() else next(varied, None)
            way = (
                f"--column {quote(f'p={header[at]}')}" if at is not None else "--at p=8"
            )
            raise UnclearColumns(f"one column of a parameter (`{way}` says one)")


def _stated(
    header: Sequence[str], stated: Mapping[str, Sequence[str]]
) -> dict[int, str]:
    meanings = {}
    for meaning, names in stated.items():
        for name in names:
            if name not in header:
                raise UnclearColumns(f"a column {name!r}")
            meanings[header.index(name)] = meaning
    return meanings


def _parameters(meanings: Mapping[int, str]) -> dict[str, int]:
    """Return columns of parameters, those first that others follow from."""
    positions = {
        meaning: position
        for position, meaning in meanings.items()
        if meaning not in ROLES
    }
    return dict(
        sorted(
            positions.items(),
            key=lambda at: _ORDER.index(at[0]) if at[0] in _ORDER else len(_ORDER),
        )
    )


def _following(contents: Sequence[Content], meanings: Mapping[int, str]) -> list[int]:
    """Return the resources that follow from a finer one, as nodes do from GPUs."""
    levels = {at: len(set(contents[at].numbers)) for at in meanings}
    if any(meanings[at] == "threads" and levels[at] > 1 for at in meanings):
        return []  # processes and threads tell only together how many nodes they fill
    resources = [at for at, meaning in meanings.items() if meaning in _RESOURCES]
    return [
        at
        for at in resources
        if levels[at] > 1
        and any(
            len(set(zip(contents[finer].numbers, contents[at].numbers, strict=True)))
            == levels[finer]
            > levels[at]
            for finer in resources
        )
    ]


def _is_copy(
    at: int,
    header: Sequence[str],
    contents: Sequence[Content],
    meanings: Mapping[int, str],
) -> bool:
    """Tell whether a column repeats the numbers of one before it.

    A time may be as large as a setting by chance.
    """
    numbers = contents[at].numbers
    if not contents[at].is_number or len(numbers) <= 1:
        return False
    is_metric = metric_and_unit(header[at]) is not None
    return any(
        contents[before].numbers == numbers
        and (
            words_of(header[before]) == words_of(header[at])
            or (len(set(numbers)) > 1 and before not in meanings and not is_metric)
        )
        for before in range(at)
    )


def _is_measured(name: str, content: Content) -> bool:
    """Tell whether a column holds results, by its name or else by fractions."""
    if not content.is_number or scale_of(name) or is_derived(name):
        return False
    if is_about_outcome(name):
        return False
    if None in content.numbers and states_outcomes(name, content.cells):
        return False
    is_told = _direction(name) is not None or not _PEAKS.isdisjoint(words_of(name))
    has_fractions = not (content.is_whole or content.has_clocks)
    return has_fractions or is_told or not _ACTUAL.isdisjoint(words_of(name))


def _spreads(header: Sequence[str], measured: Sequence[int]) -> list[int]:
    """Return deviations, extremes beside means, and all of these beside repetitions."""
    names = {
        at: {"±"}
        if header[at] in _SIGNS_OF_SPREAD
        # As in std::thread.
        else set(_PARTS.split(header[at].lower().replace("::", "")))
        for at in measured
    }
    spreads = {at for at, words in names.items() if words & _DEVIATIONS}
    if any(words & _MEANS for words in names.values()):
        spreads |= {at for at, words in names.items() if words & _EXTREMES}
    if any(_REPEATED.fullmatch(header[at]) for at in measured):
        spreads |= {at for at, words in names.items() if words & (_EXTREMES | _MEANS)}
    return sorted(spreads) if len(spreads) < len(measured) else []


def _is_about_scale(name: str) -> bool:
    """Tell whether a column counts resources, also per node or as a share."""
    braced = _BRACED.fullmatch(name)
    is_rate = is_rate_name(name) or (braced and parse_unit(braced["unit"]).is_rate)
    return is_about_scale(name) and not is_rate


def is_in_bytes(name: str) -> bool:
    """Tell whether a column counts bytes, by its unit or a word."""
    braced = _BRACED.fullmatch(name)
    unit = braced["unit"] if braced else (_metric_of(name)[1] or "")
    is_bytes = dict(parse_unit(unit).dimension) == {"B": 1}
    return is_bytes or not {*_MEMORY, "bytes"}.isdisjoint(words_of(name))


def _direction(name: str) -> str | None:
    """Return whether less or more of a time, a rate or of memory is better."""
    metric, unit = _metric_of(name)
    is_bytes = dict(parse_unit(unit or "").dimension) == {"B": 1}
    return told_direction(metric, "" if is_bytes else unit or "")


def _rises(numbers: Sequence[float | None]) -> bool:
    """Tell whether numbers only rise, as settings do that a table goes through."""
    known = [number for number in numbers if number is not None]
    return len(known) == len(numbers) > _FEWEST_ROWS and all(
        before < after for before, after in pairwise(known)
    )


def _only_values(
    header: Sequence[str], contents: Sequence[Content], meanings: Mapping[int, str]
) -> int:
    """Return the only column of numbers whose meaning is unknown, fractions first."""
    unknown = [at for at in range(len(contents)) if at not in meanings]
    fitting = [at for at in unknown if contents[at].is_value()]
    fitting = fitting or [at for at in unknown if contents[at].is_number]
    if len(fitting) != 1:
        some = (
            f" (`--column {quote(f'value={header[fitting[0]]}')}` says one)"
            if fitting
            else ""
        )
        raise UnclearColumns(f"one column of values{some}")
    return fitting[0]


def _columns(
    header: Sequence[str],
    contents: Sequence[Content],
    meanings: Mapping[int, str],
    *,
    is_stated: bool,
) -> Columns:
    positions = {meaning: position for position, meaning in meanings.items()}
    measured = list[MeasuredColumn]()
    for position, meaning in sorted(meanings.items()):
        if meaning == MEASURED:
            metric, unit = _metric_of(header[position])
            if metric in _WHOLE and unit is None and not contents[position].is_whole:
                metric = header[position]  # gigabytes, perhaps, but no bytes
            derived = None
            if is_derived(header[position]) and not is_stated:
                derived = SPEEDUP if is_speedup(header[position]) else EFFICIENCY
                metric, unit = _DERIVED.sub(RELATIVE_TIME, metric), None
            if is_repeated := _REPEATED.fullmatch(header[position]):
                metric = series.VALUE if unit is None else "time"
            known = {each.metric for each in measured}
            if metric in known and METRIC not in positions and not is_repeated:
                metric = _told_apart(header[position], metric, known)
            measured.append(MeasuredColumn(position, metric, unit, derived))
    return Columns(
        measured=measured,
        parameters=_parameters(meanings),
        region=positions.get(REGION),
        metric=positions.get(METRIC),
        unit=positions.get(UNIT),
        repetition=positions.get(REPETITION),
        configuration={
            header[position]: position
            for position, meaning in meanings.items()
            if meaning == CONFIGURATION
        },
        undeclared={
            name: position
            for position, name in enumerate(header)
            if position not in meanings and name
        },
    )


def _refuse_other_units(
    header: Sequence[str],
    contents: Sequence[Content],
    measured: Sequence[MeasuredColumn],
) -> None:
    """Refuse times without a unit that are too long for seconds.

    Raises
    ------
    UnclearColumns
        If all of a column are.
    """
    for column in measured:
        name = header[column.position]
        numbers = [number for number in contents[column.position].numbers if number]
        known = metric_and_unit(name)
        is_told = known is not None and known[1] is not None
        is_time = column.metric == "time" or (column.unit == "s" and not is_told)
        if is_time and not is_told and numbers and min(numbers) > _LONGEST_RUN:
            raise UnclearColumns(
                f"the unit of {name!r}, whose times are too long for seconds "
                f"(`sed 's/{name}/{name} (ns)/g' FILE | scalewatch model -` says one)"
            )


def _told_apart(name: str, metric: str, known: Collection[str]) -> str:
    """Return another name for what a second column of a metric has."""
    plain = _nameable(_BRACED_END.sub("", name).strip())
    numbered = (f"{metric} ({number})" for number in count(2))
    return next(each for each in chain([plain], numbered) if each not in known)


def metric_and_unit(  # noqa: C901, PLR0911 - a way to write a unit each
    name: str,
) -> tuple[str, str | None] | None:
    """Return metric and unit of a name like time, time_us or "time [us]", if known."""
    if unit := "GFLOP/s" if _RATED.fullmatch(name) else _OF_HPCG.get(name):
        return name, unit
    braced = _BRACED.fullmatch(name)
    parts = braced or _SUFFIXED.fullmatch(name)
    for metric, names in METRICS.items():
        if name.lower() in names.split():
            return metric, "s" if name.lower() == "seconds" else None
        if parts and parts["name"].lower() in names.split():
            unit = parts["unit"]
            is_time = metric == "time" and series.seconds_of(unit) is not None
            if is_time or unit in UNITS[metric]:
                return metric, unit
    if braced and parameter_of(braced["name"]) is None:
        unit = braced["unit"]
        if ":" in unit:  # the form of durations, (hh:mm:ss)
            return braced["name"], None
        if is_rate_name(braced["name"]) and not parse_unit(unit).is_rate:
            return f"{_nameable(braced['name'])} ({unit})", braced["name"]
        if unit.lower() not in {"n", "p"}:  # a variable, as in T(N)
            return braced["name"], unit
    worded = _WITH_UNIT.fullmatch(name)
    if worded and parse_unit(worded["unit"]).is_known:
        return worded["name"], worded["unit"]
    unit = _UNITS_BEHIND.get(parts["unit"].lower()) if parts and not braced else None
    if (
        parts
        and unit
        and not (
            parts["name"].endswith("per") or _is_amount(name) or scale_of(parts["name"])
        )
    ):
        return parts["name"], unit
    return None


def _is_amount(name: str) -> bool:
    return not _AMOUNTS.isdisjoint(words_of(name))


def _metric_of(name: str) -> tuple[str, str | None]:
    """Return metric and unit of a column of values, whatever it is called."""
    if numbered := _NUMBERED.search(name):
        metric, unit = _metric_of(name[: numbered.start()].rstrip())
        return f"{metric} {numbered[0]}", unit or ("s" if metric == "time" else None)
    if known := _of_symbol(name) or metric_and_unit(name):
        return known
    words = words_of(name)
    if "%" in name or _SHARES.intersection(words):
        return _nameable(name.replace("%", "")), "%"
    if is_rate_name(name) or ("/" in name and parse_unit(name).is_known):
        return _nameable(name), name
    if _TIMES.intersection(words) or name.lower().startswith(("t_", "t(")):
        return _nameable(name), "s"
    is_value = name.lower() in ROLES[MEASURED].split()
    return series.VALUE if is_value else _nameable(name), None


def _of_symbol(name: str) -> tuple[str, str | None] | None:
    """Return metric and unit of a name as papers have it."""
    symbol = _SYMBOL.fullmatch(name)
    if symbol is None:
        return None
    if symbol["kind"] != "T":
        return RELATIVE_TIME, None
    return _BRACED_END.sub("", name).strip() if symbol["unit"] else name, (
        symbol["unit"] or "s"
    )


def is_speedup(name: str) -> bool:
    """Tell whether a column that is derived holds speed-ups."""
    symbol = _SYMBOL.fullmatch(name)
    return bool(_SPEEDUP.search(name) or (symbol and symbol["kind"] == "S"))


def is_time_name(name: str) -> bool:
    """Tell whether a column of this name holds times."""
    metric, unit = _metric_of(name)
    return metric == "time" or series.seconds_of(unit) is not None


def is_rate_name(name: str) -> bool:
    """Tell whether a name is itself the unit of a rate: GFLOP/s, Photons/s, glups."""
    unit = parse_unit(name)
    return unit.is_rate and (unit.is_known or "/" in name)


def _nameable(name: str) -> str:
    """Return a name of a column as addresses can hold it."""
    plain = " ".join(name.replace("/", " per ").replace("#", " ").split())
    if _NUMBERED.search(plain):
        return plain
    plain = plain.strip(" ?")
    return plain[1:-1] if plain[:1] == "(" and plain[-1:] == ")" else plain


def addressable_name(name: str) -> str:
    """Return a column's name as that of a setting, which addresses can hold."""
    return name if _UNADDRESSABLE.isdisjoint(name) else _nameable(name)


def _by_base(
    contents: Sequence[Content],
    measured: Sequence[MeasuredColumn],
    columns: Columns,
) -> Sequence[MeasuredColumn]:
    """Name columns that say nothing and are all 1 in one row: relative to that row.

    Those that rise with the scale are speed-ups.
    """
    unnamed = [
        each
        for each in measured
        if each.derived is None and told_direction(each.metric, each.unit or "") is None
    ]
    if len(unnamed) < _FEWEST_ROWS or len(unnamed) < len(measured):
        return measured
    held = [contents[each.position].numbers for each in unnamed]
    has_base = any(all(cell == 1 for cell in row) for row in zip(*held, strict=True))
    rise = all(known[0] < known[-1] for row in held if (known := _known(row)))
    if not has_base or not rise or not columns.parameters:
        return measured
    return [replace(each, metric=f"speedup {each.metric}") for each in measured]


def _known(numbers: Sequence[float | None]) -> list[float]:
    return [number for number in numbers if number is not None and number == number]  # noqa: PLR0124


def _by_ideal(
    header: Sequence[str], contents: Sequence[Content], columns: Columns
) -> Sequence[MeasuredColumn]:
    """Name columns that say neither time nor rate by what the ideal beside them does.

    An ideal in proportion to the scale is one of a rate, an inverse one of a time. Of
    several the one is meant whose name has the same other words.
    """
    scales = list(columns.parameters.values())
    slopes = {
        _case(name): _slope(contents[scales[0]].numbers, contents[at].numbers)
        for at, name in reversed([*enumerate(header)])
        if is_ideal(name) and len(scales) == 1
    }
    return [_named_by(each, header[each.position], slopes) for each in columns.measured]


def _named_by(
    column: MeasuredColumn, name: str, slopes: Mapping[tuple[str, ...], float]
) -> MeasuredColumn:
    """Return a column as a rate or a time, if the ideals say that it is one."""
    case = _case(name)
    only = next(iter(slopes.values())) if len(slopes) == 1 and not case else 0.0
    slope = slopes.get(case, only)
    if told_direction(column.metric, column.unit or "") or abs(slope) < _NEARLY:
        return column
    kind = "rate" if slope > 0 else "time"
    unit = column.unit or ("s" if kind == "time" else None)
    return replace(column, metric=" ".join((*case, kind)), unit=unit)


def _case(name: str) -> tuple[str, ...]:
    """Return the words of a name but for those of measured and ideal."""
    text = _UNIT_OF_IDEAL.sub("", name) if is_ideal(name) else name
    return tuple(
        word
        for word in _nameable(_BRACED_END.sub("", text)).replace("-", " ").split()
        if word.lower() not in _ACTUAL | _IDEALS | {"fom"}
    )


def _slope(scales: Sequence[float | None], values: Sequence[float | None]) -> float:
    """Return the power of the scale with which values go from first to last."""
    pairs = [
        (scale, value)
        for scale, value in zip(scales, values, strict=True)
        if scale and value and scale > 0 and value > 0
    ]
    if len(pairs) < _FEWEST_ROWS or pairs[0][0] == pairs[-1][0]:
        return 0.0
    (first, low), (last, high) = pairs[0], pairs[-1]
    return math.log(high / low) / math.log(last / first)
