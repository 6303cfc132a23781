"""Measurements for other programs: tables, Extra-P, gnuplot and LaTeX.

What is written as CSV or JSON Lines can be read by `scalewatch model` and posted by
`scalewatch import`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import IO, Any, Final

import orjson

from scalewatch.errors import MissingExtra
from scalewatch.exporters.listing import Listing, csv_text, latex_text
from scalewatch.exporters.metric_lists import write_bencher, write_list
from scalewatch.exporters.series_groups import Exported, differing

PARQUET: Final = "export --format parquet"
"""What needs another package."""

Write = Callable[[Sequence[Exported], IO[bytes]], None]


def write_csv(measured: Sequence[Exported], file: IO[bytes]) -> None:
    """Write a row per repetition."""
    file.write(csv_text(Listing(*_table(measured))).encode())


def write_json_lines(measured: Sequence[Exported], file: IO[bytes]) -> None:
    """Write a measurement per line, as Extra-P reads them.

    Extra-P takes measurements of a call path at the same parameters for repetitions:
    machine and settings begin the call path, as far as they are not all alike.
    """
    told = differing(measured)
    for each in measured:
        group = " ".join(f"{key}={text}" for key, text in each.settings(told).items())
        line = {
            "params": dict(each.coordinate),
            "callpath": f"{group}->{each.region}" if group else each.region,
            "region": each.region,
            "metric": each.metric,
            "value": each.values,
            "unit": each.unit,
            "configuration": {"machine": each.machine, **each.configuration},
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
        head = f"# index {block}: {_line(title)}\n# {columns}\n"
        body = "".join(
            f"{' '.join(map(str, _numbers(each, names)))}\n" for each in rows
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
            *(f"{value:.4g}" for value in each.quartiles),
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
    for each in measured:
        place = (
            *(each.project, each.commit, each.machine),
            *(each.region, each.metric, each.unit),
            *(each.coordinate.get(name) for name in parameters),
            *(each.configuration.get(name) for name in settings),
        )
        for repetition, value in enumerate(each.values):
            yield *place, repetition, value


def _names(settings: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for each in settings for name in sorted(each)))


def _column(values: Sequence[Any]) -> list[Any]:
    """Return values of one type: where types differ, their text."""
    types = {type(value) for value in values} - {type(None)}
    if types <= {int, float} or len(types) == 1:
        return list(values)
    return [None if value is None else str(value) for value in values]


def _numbers(each: Exported, names: Sequence[str]) -> Iterator[float]:
    yield from (each.coordinate[name] for name in names)
    yield from each.quartiles


def _line(text: str) -> str:
    return " ".join(text.split())
