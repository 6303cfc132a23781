"""Measurements for other programs: tables, Extra-P, gnuplot, LaTeX, Bencher, Parquet.

`scalewatch model` and `import` read CSV, JSON Lines and the lists of medians again:
names in a list hold the settings as `key=value`, so that each is unique.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import IO, Any, Final

import orjson

from scalewatch.errors import MissingExtra
from scalewatch.exporters.listing import Listing, csv_text, latex_text
from scalewatch.wire import TIME

MACHINE: Final = "machine"


@dataclass(frozen=True, slots=True)
class Exported:
    """The repetitions of a metric of a region in one run.

    Parameters
    ----------
    quartiles
        Lower, median and upper, in `unit`.
    values
        All repetitions, in `unit`.
    """

    project: str
    commit: str
    machine: str
    region: str
    metric: str
    unit: str
    coordinate: Mapping[str, Any]
    configuration: Mapping[str, Any]
    quartiles: tuple[float, float, float]
    values: tuple[float, ...]

    @property
    def subject(self) -> tuple[object, ...]:
        """Key of the series: all that its measurements have in common."""
        settings = tuple(self.configuration.items())
        return self.region, self.metric, self.unit, self.machine, settings

    def settings(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the machine and settings of these names, as far as it has them."""
        known = {MACHINE: self.machine, **self.configuration}
        return {name: known[name] for name in names if name in known}


def differing(measured: Sequence[Exported]) -> list[str]:
    """Return the names of settings, the machine among them, that are not all alike."""
    every = [{MACHINE: each.machine, **each.configuration} for each in measured]
    names = dict.fromkeys(name for settings in every for name in sorted(settings))
    absent = object()
    return [
        name
        for name in names
        if len({repr(settings.get(name, absent)) for settings in every}) > 1
    ]


LATENCY: Final = "latency"
"""Bencher's name of a time, which it keeps in nanoseconds."""

SIMULATED: Final = "(simulated)"
"""End of the names of machines whose times are simulated."""

_NANOSECONDS: Final = 1e9

PARQUET: Final = "export --format parquet"
"""The option that needs pyarrow."""

Write = Callable[[Sequence[Exported], IO[bytes]], None]


def write_csv(measured: Sequence[Exported], file: IO[bytes]) -> None:
    """Write a row per repetition."""
    file.write(csv_text(Listing(*_table(measured))).encode())


def write_json_lines(measured: Sequence[Exported], file: IO[bytes]) -> None:
    """Write a measurement per line, as Extra-P reads them.

    Extra-P takes measurements of a call path at the same parameters for repetitions:
    machine and settings begin the call path, as far as they are not all alike.
    """
    names = differing(measured)
    for run in measured:
        group = " ".join(f"{key}={text}" for key, text in run.settings(names).items())
        line = {
            "params": dict(run.coordinate),
            "callpath": f"{group}->{run.region}" if group else run.region,
            "region": run.region,
            "metric": run.metric,
            "value": run.values,
            "unit": run.unit,
            "configuration": {"machine": run.machine, **run.configuration},
        }
        file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))


def write_gnuplot(measured: Sequence[Exported], file: IO[bytes]) -> None:
    """Write a block per series, which gnuplot calls an index; quartiles are errors.

    `plot "FILE" index 0 using 1:3:2:4 with yerrorlines` draws the first one.
    """
    for block, (_, series) in enumerate(groupby(measured, key=lambda e: e.subject)):
        rows = list(series)
        names = sorted(rows[0].coordinate)
        first = rows[0]
        title = ", ".join(
            [
                f"{first.region}, {first.metric} [{first.unit}] on {first.machine}",
                *(f"{name}={value}" for name, value in first.configuration.items()),
            ]
        )
        columns = " ".join([*names, "lower-quartile", "median", "upper-quartile"])
        head = f"# index {block}: {' '.join(title.split())}\n# {columns}\n"
        body = "".join(
            " ".join(
                map(str, [*(row.coordinate[name] for name in names), *row.quartiles])
            )
            + "\n"
            for row in rows
        )
        file.write((f"\n\n{head}{body}" if block else head + body).encode())


def write_latex(measured: Sequence[Exported], file: IO[bytes]) -> None:
    """Write a table with a row per run."""
    parameters = _names(each.coordinate for each in measured)
    settings = _names(each.configuration for each in measured)
    columns = (
        *("region", "metric", "machine", *settings, *parameters),
        *("lower quartile", "median", "upper quartile", "unit"),
    )
    rows = [
        (
            *(each.region, each.metric, each.machine),
            *(each.configuration.get(name) for name in settings),
            *(each.coordinate.get(name) for name in parameters),
            *each.quartiles,
            each.unit,
        )
        for each in measured
    ]
    file.write(latex_text(Listing(columns, rows)).encode())


def write_parquet(measured: Sequence[Exported], file: IO[bytes]) -> None:
    """Write a row per repetition, in columns.

    Raises
    ------
    MissingExtra
        If pyarrow is missing.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - large, and wanted by this format only
        from pyarrow import parquet  # noqa: PLC0415
    except ModuleNotFoundError:
        raise MissingExtra(PARQUET, "pyarrow", "parquet") from None
    names, rows = _table(measured)
    columns = zip(*rows, strict=True) if rows else ([] for _ in names)
    parquet.write_table(
        pa.table([_column(values) for values in columns], names=list(names)), file
    )


def write_bencher(measured: Sequence[Exported], file: IO[bytes]) -> None:
    """Write medians by name and measure, with quartiles as their bounds."""
    benchmarks: dict[str, dict[str, dict[str, float]]] = {}
    for name, run in _named(measured):
        measure, size = run.metric, 1.0
        if run.metric == TIME:
            measure, size = LATENCY, _NANOSECONDS
        low, middle, high = (value * size for value in run.quartiles)
        held = {"value": middle, "lower_value": low, "upper_value": high}
        benchmarks.setdefault(name, {})[measure] = held
    file.write(orjson.dumps(benchmarks, option=orjson.OPT_INDENT_2))


def write_list(measured: Sequence[Exported], file: IO[bytes]) -> None:
    """Write a list of names, units and medians, half the quartiles' range beside."""
    rows: list[dict[str, Any]] = []
    for name, run in _named(measured):
        low, middle, high = run.quartiles
        metric = "" if run.metric == TIME else f"/metric={run.metric}"
        rows.append(
            {
                "name": name + metric,
                "unit": run.unit or "1",
                "value": middle,
                "range": f"± {(high - low) / 2:.6g}",
            }
        )
    file.write(orjson.dumps(rows, option=orjson.OPT_INDENT_2))


def _table(measured: Sequence[Exported]) -> tuple[tuple[str, ...], list[Sequence[Any]]]:
    """Return names of columns, and a row per repetition."""
    parameters = _names(each.coordinate for each in measured)
    settings = _names(each.configuration for each in measured)
    columns = ("project", "commit", "machine", "region", "metric", "unit")
    return (*columns, *parameters, *settings, "repetition", "value"), list(
        _rows(measured, parameters, settings)
    )


def _rows(
    measured: Sequence[Exported], parameters: Sequence[str], settings: Sequence[str]
) -> Iterator[Sequence[Any]]:
    for run in measured:
        place = (
            *(run.project, run.commit, run.machine),
            *(run.region, run.metric, run.unit),
            *(run.coordinate.get(name) for name in parameters),
            *(run.configuration.get(name) for name in settings),
        )
        for repetition, value in enumerate(run.values):
            yield *place, repetition, value


def _names(settings: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for each in settings for name in sorted(each)))


def _column(values: Sequence[Any]) -> list[Any]:
    """Return values of one type: where types differ, their text."""
    types = {type(value) for value in values} - {type(None)}
    if types <= {int, float} or len(types) == 1:
        return list(values)
    return [None if value is None else str(value) for value in values]


def _named(measured: Sequence[Exported]) -> Iterator[tuple[str, Exported]]:
    """Yield each measurement with its name, that of repeated runs numbered.

    A simulated machine is named even where it is the only one.
    """
    names = differing(measured)
    if MACHINE not in names and any(SIMULATED in run.machine for run in measured):
        names.append(MACHINE)
    named = sorted(
        ((_name(run, names), run) for run in measured),
        key=lambda entry: (entry[0], entry[1].metric),
    )
    for _, runs in groupby(named, key=lambda entry: (entry[0], entry[1].metric)):
        for number, (name, run) in enumerate(runs, 1):
            yield (name if number == 1 else f"{name}/run={number}"), run


def _name(run: Exported, names: Iterable[str]) -> str:
    settings = {**run.coordinate, **run.settings(names)}
    return "/".join(
        [run.region, *(f"{key}={value}" for key, value in settings.items())]
    )


WRITERS: Final[Mapping[str, Write]] = {
    "csv": write_csv,
    "jsonl": write_json_lines,
    "gnuplot": write_gnuplot,
    "latex": write_latex,
    "bmf": write_bencher,
    "list": write_list,
    "parquet": write_parquet,
}
"""Formats by name."""
