"""Findings as a table: coloured on a terminal, plain text in a pipe."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scalewatch.cli.notation import PLAIN, RICH, Notation
from scalewatch.importers import Series
from scalewatch.modelling import Finding, Verdict

Row = tuple[Series, Finding]

COLOURS: Final[Mapping[Verdict, str]] = {
    Verdict.MATCH: "#009E73",
    Verdict.APPROXIMATE: "#E69F00",
    Verdict.MISMATCH: "#D55E00",
    Verdict.UNDECIDED: "bright_black",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A heading and what stands below it."""

    heading: str
    text: Callable[[Row], str]
    is_number: bool = False
    is_coloured: bool = False


def print_table(
    all_series: Sequence[Series], findings: Sequence[Finding], console: Console
) -> None:
    """Print one row per series, in their order, and a line that sums them up."""
    rows = list(zip(all_series, findings, strict=True))
    if console.is_terminal:
        notation = PLAIN if console.options.ascii_only else RICH
        console.print(_coloured(rows, columns_of(rows, notation)))
    else:
        for line in _plain(rows, columns_of(rows, PLAIN)):
            console.file.write(f"{line}\n")
    console.file.write(f"{summary(findings)}\n")


def summary(findings: Sequence[Finding]) -> str:
    """Return how many findings there are of each kind."""
    counts = Counter(map(_kind, findings))
    kinds = (*map(str, Verdict), "without expectation", "without model")
    told = ", ".join(f"{counts[kind]} {kind}" for kind in kinds if counts[kind])
    return f"{len(findings)} series: {told}"


def columns_of(rows: Sequence[Row], notation: Notation) -> list[Column]:
    """Return the columns that tell something about these rows."""
    columns = [Column("region", lambda row: _printable(row[0].region))]
    if told := _told_configuration(rows):
        columns.append(Column("configuration", lambda row: _configuration(row, told)))
    columns += [
        Column("metric", _metric),
        Column("model", lambda row: notation.model_text(row[1].model)),
        Column("growth", lambda row: notation.growth_text(row[1].growth)),
        Column(
            notation.adjusted_r2,
            lambda row: notation.number_text(row[1].adjusted_r2, 4),
            is_number=True,
        ),
        Column(
            "SMAPE %",
            lambda row: notation.number_text(row[1].smape, 2),
            is_number=True,
        ),
    ]
    if any(finding.expectation is not None for _, finding in rows):
        columns += _verdict_columns(notation)
    columns += _forecast_columns(rows, notation)
    if any(map(_reason, rows)):
        columns.append(Column("reason", _reason))
    return columns


def _verdict_columns(notation: Notation) -> list[Column]:
    return [
        Column("expected", lambda row: notation.growth_text(row[1].expectation)),
        Column(
            notation.divergence, lambda row: notation.growth_text(row[1].divergence)
        ),
        Column("verdict", lambda row: notation.verdict_text(row[1]), is_coloured=True),
    ]


def _forecast_columns(rows: Sequence[Row], notation: Notation) -> list[Column]:
    headings = dict.fromkeys(
        _target(forecast.at) for _, finding in rows for forecast in finding.forecasts
    )

    def column(heading: str) -> Column:
        def text(row: Row) -> str:
            at = {_target(forecast.at): forecast for forecast in row[1].forecasts}
            return notation.forecast_text(at.get(heading))

        return Column(f"at {heading}", text, is_number=True)

    return [column(heading) for heading in headings]


def _coloured(rows: Sequence[Row], columns: Sequence[Column]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(
            column.heading,
            justify="right" if column.is_number else "left",
            overflow="fold",
        )
    for row in rows:
        colour = COLOURS[row[1].verdict]
        table.add_row(
            *(
                Text(column.text(row), style=colour if column.is_coloured else "")
                for column in columns
            )
        )
    return table


def _plain(rows: Sequence[Row], columns: Sequence[Column]) -> Iterator[str]:
    """Yield lines whose cells are lined up by blanks, whatever their width."""
    cells = [[column.heading for column in columns]]
    cells += [[column.text(row) for column in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        padded = (
            text.rjust(width) if column.is_number else text.ljust(width)
            for text, width, column in zip(line, widths, columns, strict=True)
        )
        yield "  ".join(padded).rstrip()


def _kind(finding: Finding) -> str:
    if finding.model is None:
        return "without model"
    return "without expectation" if finding.expectation is None else finding.verdict


def _reason(row: Row) -> str:
    """Return why there is no model or no verdict, if an expectation asked for one."""
    finding = row[1]
    if finding.model is not None and finding.expectation is None:
        return ""
    return finding.reason or ""


def _metric(row: Row) -> str:
    series = row[0]
    unit = f" [{series.unit}]" if series.unit else ""
    return _printable(f"{series.metric}{unit}")


def _told_configuration(rows: Sequence[Row]) -> list[str]:
    """Return what is not the same in all series."""
    settings: dict[str, set[object]] = {}
    for series, _ in rows:
        for name, setting in series.configuration.items():
            settings.setdefault(name, set()).add(setting)
    return [
        name
        for name, different in settings.items()
        if len(different) > 1
        or not all(name in series.configuration for series, _ in rows)
    ]


def _configuration(row: Row, told: Sequence[str]) -> str:
    held = row[0].configuration
    return _printable(
        ", ".join(f"{name}={held[name]}" for name in told if name in held)
    )


def _target(at: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {setting:.10g}" for name, setting in at.items())


def _printable(text: str) -> str:
    """Return a name without what would steer the terminal."""
    return "".join(each if each.isprintable() else "\ufffd" for each in text)
