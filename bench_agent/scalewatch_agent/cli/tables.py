"""Runs as tables for people, and measured values in the unit that reads best."""

from collections.abc import Callable, Sequence
from statistics import median
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from scalewatch.wire import Result, RunReport

SHOWN: Final = {
    "s": (1e6, "µs", ",.2f"),
    "B": (1, "B", ",.0f"),
    "B/s": (1e-6, "MB/s", ",.0f"),
    "1": (100, "%", ".0f"),
}
"""By unit: the factor to what is shown, its name, and its format."""

FOR_A_VERDICT: Final = 5
"""Settings that a verdict takes."""

MOST_COLUMNS: Final = 8
"""Settings that are shown; the first and the last ones of more."""

NAMES: Final = (20, 12)
"""Width of a region and of where it is, at least."""

COLUMN: Final = 12
"""Width of a setting, about."""

BARRIER: Final = "ᵇ"
CROWDED: Final = "ᵒ"


def number(value: float, unit: str) -> str:
    """Return the number that is shown for a value."""
    factor, _, form = SHOWN.get(unit, (1, unit, ",.4g"))
    return format(value * factor, form)


def unit_shown(unit: str) -> str:
    """Return the unit in which `number` shows."""
    return SHOWN[unit][1] if unit in SHOWN else unit


def quantity(value: float, unit: str) -> str:
    """Return number and unit; whole numbers without one are counts, others shares."""
    if unit == "1" and value.is_integer():
        return f"{value:,.0f}"
    return f"{number(value, unit)} {unit_shown(unit)}"


def print_table(title: str, reports: Sequence[RunReport]) -> None:
    """Print the median of each region and metric at each process count."""
    table = Table(title=title, title_justify="left")
    table.add_column("region", overflow="fold")
    sizes = {report.configuration["message_bytes"] for report in reports}
    for report in reports:
        heading = f"p = {report.coordinate['p']}"
        if len(sizes) > 1:
            heading += f"\n{report.configuration['message_bytes']:,} B"
        table.add_column(heading, justify="right", no_wrap=True)
    measured = [
        {(each.region, each.metric, each.unit): each for each in report.results}
        for report in reports
    ]
    for key in dict.fromkeys(key for results in measured for key in results):
        region, metric, unit = key
        words = region if metric in {"time", "memory"} else f"{region}, {metric}"
        cells = (_cell(results.get(key), _synchronised, "") for results in measured)
        table.add_row(escape(f"{words} [{unit_shown(unit)}]"), *cells)
    remark = f"{BARRIER} synchronised by barriers, since processes had to share cores."
    is_shown = any(map(_is_barrier_synchronised, _results_of(reports)))
    _print(table, remark if is_shown else "")


def print_counts(reports: Sequence[RunReport]) -> None:
    """Print what each job has counted: a row for each region, a column per setting."""
    shown = list(reports)
    half = max(1, min(MOST_COLUMNS, (Console().width - sum(NAMES)) // COLUMN) // 2)
    if len(shown) > 2 * half:
        shown = [*shown[:half], *shown[-half:]]
    table = Table()
    for heading, width in zip(("region", "where"), NAMES, strict=True):
        table.add_column(heading, overflow="fold", min_width=width)
    for report in shown:
        at = "\n".join(f"{name} = {value}" for name, value in report.coordinate.items())
        table.add_column(at, justify="right", no_wrap=True)
    counted = [
        {(each.region, each.metric): each for each in report.results}
        for report in shown
    ]
    for key in dict.fromkeys(key for results in counted for key in results):
        region, metric = key
        results = [results.get(key) for results in counted]
        places = (each.location for each in results if each and each.location)
        where = next((f"{place.file}:{place.line}" for place in places), "")
        label = region if metric == "count" else f"{region}, {metric}"
        cells = (_cell(each, _count) for each in results)
        table.add_row(escape(label), escape(where), *cells)
    left = len(reports) - len(shown)
    _print(table, f"{left} settings between are not shown." if left else "")


def print_openmp(title: str, reports: Sequence[RunReport]) -> None:
    """Print medians over threads, overheads with their uncertainty."""
    rows: dict[tuple[str, str], dict[int, Result]] = {}
    for report in reports:
        threads, points = int(report.coordinate["threads"]), report.coordinate.get("N")
        for result in report.results:
            label = (
                result.region if points is None else f"{result.region}, N = {points:,}"
            )
            rows.setdefault((label, result.unit), {})[threads] = result
    columns = sorted({int(report.coordinate["threads"]) for report in reports})
    table = Table(title=title, title_justify="left")
    table.add_column("region", overflow="fold")
    for threads in columns:
        table.add_column(f"threads = {threads}", justify="right", no_wrap=True)
    for (label, unit), results in rows.items():
        table.add_row(
            escape(f"{label} [{unit_shown(unit)}]"),
            *(_cell(results.get(threads), _uncertain) for threads in columns),
        )
    is_shown = any(map(_is_crowded, _results_of(reports)))
    remark = f"{CROWDED} oversubscribed: threads had to share cores."
    _print(table, remark if is_shown else "")


def _cell(
    result: Result | None, shown: Callable[[Result], str], missing: str = "–"
) -> str:
    if result is None:
        return missing
    return "failed" if result.status == "failed" else shown(result)


def _synchronised(result: Result) -> str:
    mark = BARRIER if _is_barrier_synchronised(result) else ""
    return f"{number(median(result.values), result.unit)}{mark}"


def _is_barrier_synchronised(result: Result) -> bool:
    return bool(result.procedure and result.procedure.synchronisation == "barrier")


def _count(result: Result) -> str:
    return f"{result.values[0]:,.0f}"


def _uncertain(result: Result) -> str:
    shown = number(median(result.values), result.unit)
    if result.procedure and result.procedure.uncertainty is not None:
        shown += f" ± {number(result.procedure.uncertainty, result.unit)}"
    return shown + CROWDED * _is_crowded(result)


def _is_crowded(result: Result) -> bool:
    return bool(result.procedure and result.procedure.oversubscribed)


def _results_of(reports: Sequence[RunReport]) -> list[Result]:
    return [result for report in reports for result in report.results]


def _print(table: Table, remark: str) -> None:
    console = Console()
    console.print(table)
    if remark:
        console.print(remark, highlight=False)
