"""Table of the OpenMP suite: a row for each region, a column per thread count."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from scalewatch.wire import Result, RunReport
from scalewatch_agent.cli.quantities import number, unit_shown

CROWDED: Final = "ᵒ"

Row = tuple[str, str]
"""The region with its size, and its unit."""


def print_openmp(title: str, reports: Sequence[RunReport]) -> None:
    """Print medians over threads, overheads with their uncertainty."""
    cells: dict[Row, dict[int, Result]] = {}
    for report in reports:
        threads = int(report.coordinate["threads"])
        for result in report.results:
            row = _label(result, report.coordinate), result.unit
            cells.setdefault(row, {})[threads] = result
    columns = sorted({int(report.coordinate["threads"]) for report in reports})
    table = Table(title=title, title_justify="left")
    table.add_column("region", overflow="fold")
    for threads in columns:
        table.add_column(f"threads = {threads}", justify="right", no_wrap=True)
    for (label, unit), results in cells.items():
        table.add_row(
            escape(f"{label} [{unit_shown(unit)}]"),
            *(_cell(results.get(threads)) for threads in columns),
        )
    console = Console()
    console.print(table)
    if any(_is_crowded(result) for row in cells.values() for result in row.values()):
        console.print(
            f"{CROWDED} oversubscribed: threads had to share cores.", highlight=False
        )


def _label(result: Result, coordinate: Mapping[str, float]) -> str:
    points = coordinate.get("N")
    return result.region if points is None else f"{result.region}, N = {points:,}"


def _cell(result: Result | None) -> str:
    if result is None:
        return "–"
    if result.status == "failed":
        return "failed"
    mark = CROWDED if _is_crowded(result) else ""
    shown = number(median(result.values), result.unit)
    procedure = result.procedure
    if procedure and procedure.uncertainty is not None:
        shown += f" ± {number(procedure.uncertainty, result.unit)}"
    return f"{shown}{mark}"


def _is_crowded(result: Result) -> bool:
    return bool(result.procedure and result.procedure.oversubscribed)
