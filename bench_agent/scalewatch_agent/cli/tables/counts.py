"""Counts as a table for people: a row for each region, a column for each setting."""

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from scalewatch.wire import Result, RunReport

FOR_A_VERDICT: Final = 5
"""Settings that a verdict takes."""

MOST_COLUMNS: Final = 8
"""Settings that are shown; the first and the last ones of more."""

NAMES: Final = (20, 12)
"""Width of a region and of where it is, at least."""

COLUMN: Final = 12
"""Width of a setting, about."""


def print_counts(reports: Sequence[RunReport]) -> None:
    """Print what each job has counted."""
    console = Console()
    shown = list(reports)
    half = max(1, min(MOST_COLUMNS, (console.width - sum(NAMES)) // COLUMN) // 2)
    if len(shown) > 2 * half:
        shown = [*shown[:half], *shown[-half:]]
    table = Table()
    for heading, width in zip(("region", "where"), NAMES, strict=True):
        table.add_column(heading, overflow="fold", min_width=width)
    for report in shown:
        table.add_column(_at(report), justify="right", no_wrap=True)
    counted = [
        {(each.region, each.metric): each for each in report.results}
        for report in shown
    ]
    for key in dict.fromkeys(key for results in counted for key in results):
        cells = [results.get(key) for results in counted]
        where = next((each for each in cells if each and each.location), None)
        region, metric = key
        label = region if metric == "count" else f"{region}, {metric}"
        table.add_row(
            escape(label), escape(_where(where)), *(_cell(each) for each in cells)
        )
    console.print(table)
    if len(shown) < len(reports):
        left = len(reports) - len(shown)
        console.print(f"{left} settings between are not shown.", highlight=False)


def _at(report: RunReport) -> str:
    return "\n".join(f"{name} = {value}" for name, value in report.coordinate.items())


def _where(result: Result | None) -> str:
    if result is None or result.location is None:
        return ""
    return f"{result.location.file}:{result.location.line}"


def _cell(result: Result | None) -> str:
    if result is None:
        return "–"
    return "failed" if result.status == "failed" else f"{result.values[0]:,.0f}"
