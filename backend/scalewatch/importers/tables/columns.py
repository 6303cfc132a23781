"""Meanings of the columns of a table: as stated, else read from their names."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scalewatch.importers import series
from scalewatch.wire import UNITS

REGION: Final = "region"
METRIC: Final = "metric"
MEASURED: Final = "value"
REPETITION: Final = "repetition"
UNIT: Final = "unit"
CONFIGURATION: Final = "configuration"
IGNORED: Final = "ignore"

ROLES: Final[Mapping[str, str]] = {
    REGION: "region callpath call_path function kernel routine operation collective",
    METRIC: "metric counter",
    MEASURED: "value measurement result",
    REPETITION: "repetition rep iteration trial sample",
    UNIT: "unit",
    CONFIGURATION: "",
    IGNORED: "",
}
"""Meanings of a column, beside a parameter, and its usual names in each of them."""

PARAMETERS: Final[Mapping[str, str]] = {
    "p": "p np procs nprocs num_procs processes ranks nranks mpi_ranks tasks "
    "num_tasks mpi_procs",
    "n": "n size problem_size",
    "threads": "threads nthreads num_threads omp_threads omp_num_threads "
    "num_cpus_per_task cpus_per_task threadspertask",
    "nodes": "nodes nnodes num_nodes",
    "x": "x",
    "y": "y",
    "z": "z",
}
"""Parameters and the usual names of their columns."""

_PARAMETER_OF: Final = {
    name: parameter for parameter, names in PARAMETERS.items() for name in names.split()
}

METRICS: Final[Mapping[str, str]] = {
    "time": "time seconds runtime run_time walltime wall_time elapsed latency",
    "memory": "memory mem rss peak_memory",
    "bytes": "bytes bytes_sent",
    "flops": "flops",
}
"""Metrics and the usual names of the columns of their values."""

_RATED: Final = re.compile(r"(GF|GFLOPS|Gflops)_\w+")
"""Rates of HPCG and HPL in tables of JUBE: the unit stands before the name."""

_OF_HPCG: Final[Mapping[str, str]] = {
    **dict.fromkeys(("GB_read", "GB_write", "GB_total", "GB_t_o"), "GB/s"),
    **dict.fromkeys(("MinAllreduce", "MaxAllreduce", "AvgAllreduce"), "s"),
}
"""Units of further columns of JUBE's tables of HPCG."""

_SUFFIXED: Final = re.compile(r"(?P<name>.+)_(?P<unit>[^_\W]+)")
_BRACED: Final = re.compile(r"(?P<name>.*\S|.)\s*+[\[(](?P<unit>[^\[\]()]++)[\])]")


@dataclass(frozen=True, slots=True)
class MeasuredColumn:
    """A column of values, with metric and unit where no other column has them."""

    position: int
    metric: str
    unit: str | None


@dataclass(frozen=True, slots=True)
class Columns:
    """Positions of the columns that matter, by their meaning.

    An `undeclared` column has no known meaning: it belongs to the configuration
    unless its cells exclude that.
    """

    measured: Sequence[MeasuredColumn]
    parameters: Mapping[str, int]
    region: int | None
    metric: int | None
    unit: int | None
    configuration: Mapping[str, int]
    undeclared: Mapping[str, int]


class UnclearColumns(ValueError):
    """The names of the columns leave a meaning open that is needed."""


def parameter_of(name: str) -> str | None:
    """Return the parameter that usually has this name."""
    return _PARAMETER_OF.get(name.lower())


def columns_of(
    header: Sequence[str],
    first_row: Sequence[str],
    stated: Mapping[str, Sequence[str]],
    *,
    has_coordinate: bool = False,
) -> Columns:
    """Return the meaning of each column.

    Parameters
    ----------
    header, first_row
        The table's first two rows.
    stated
        Names of columns by role or, for any other key, by parameter. Once it names
        a parameter, no other column is taken for one.
    has_coordinate
        Whether the coordinate is known without a column.

    Raises
    ------
    UnclearColumns
        If a column is missing, with what was expected as its message.
    """
    meanings = _stated(header, stated)
    _read_usual_names(header, meanings, ROLES)
    if not _parameters(meanings):
        _read_usual_names(header, meanings, PARAMETERS)
    if MEASURED not in meanings.values():
        meanings |= {
            position: MEASURED
            for position, name in enumerate(header)
            if position not in meanings and metric_and_unit(name)
        }
    if not _parameters(meanings) and not has_coordinate:
        position = _only(_is_count, header, first_row, meanings, "p")
        meanings[position] = header[position]
    if MEASURED not in meanings.values():
        position = _only(_is_fraction, header, first_row, meanings, MEASURED)
        meanings[position] = MEASURED
    return _columns(header, meanings)


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


def _read_usual_names(
    header: Sequence[str], meanings: dict[int, str], usual: Mapping[str, str]
) -> None:
    for meaning, names in usual.items():
        for position, name in enumerate(header):
            if (
                meaning not in meanings.values()
                and position not in meanings
                and name.lower() in names.split()
            ):
                meanings[position] = meaning


def _parameters(meanings: Mapping[int, str]) -> dict[str, int]:
    return {
        meaning: position
        for position, meaning in meanings.items()
        if meaning not in ROLES
    }


def _only(
    accepts: Callable[[str], bool],
    header: Sequence[str],
    row: Sequence[str],
    meanings: Mapping[int, str],
    role: str,
) -> int:
    """Return the only column of unknown meaning whose first cell is accepted."""
    fitting = [
        position
        for position in range(len(header))
        if position not in meanings and accepts(row[position])
    ]
    if len(fitting) != 1:
        kind = "values" if role == MEASURED else "a parameter"
        raise UnclearColumns(f"one column of {kind} (say --column {role}=NAME)")
    return fitting[0]


def _columns(header: Sequence[str], meanings: Mapping[int, str]) -> Columns:
    positions = {meaning: position for position, meaning in meanings.items()}
    measured = []
    for position, meaning in sorted(meanings.items()):
        if meaning == MEASURED:
            metric, unit = metric_and_unit(header[position]) or (
                _own_metric(header[position]),
                None,
            )
            measured.append(MeasuredColumn(position, metric, unit))
    return Columns(
        measured=measured,
        parameters=_parameters(meanings),
        region=positions.get(REGION),
        metric=positions.get(METRIC),
        unit=positions.get(UNIT),
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


def metric_and_unit(name: str) -> tuple[str, str | None] | None:
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
            return (metric, unit) if is_time or unit in UNITS[metric] else None
    if braced and parameter_of(braced["name"]) is None:
        return braced["name"], braced["unit"]
    return None


def _own_metric(name: str) -> str:
    return series.VALUE if name.lower() in ROLES[MEASURED].split() else name


def _is_count(cell: str) -> bool:
    return cell.strip().isdecimal()


def _is_fraction(cell: str) -> bool:
    try:
        return not float(cell.replace(",", ".")).is_integer()
    except ValueError:
        return False
