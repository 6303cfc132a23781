"""Traces and calibrations as tables for people: efficiencies, times in MPI, t_max."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from scalewatch.wire import RunReport
from scalewatch_agent.traces import results
from scalewatch_agent.traces.calibration.cells import WIDE
from scalewatch_agent.traces.calibration.table import Calibration

MOST_LOCATIONS: Final = 15
FACTORS: Final = (
    ("parallel efficiency", "useful_mean", "runtime"),
    ("load balance", "useful_mean", "useful_max"),
    ("communication efficiency", "useful_max", "runtime"),
    ("serialisation efficiency", "useful_max", "ideal_runtime"),
    ("transfer efficiency", "ideal_runtime", "runtime"),
)
"""Each the quotient of two metrics of the program."""


def print_traces(reports: Sequence[RunReport]) -> None:
    """Print efficiencies and the longest locations, a column for each sound run."""
    sound = [each for each in reports if all(r.status == "ok" for r in each.results)]
    if not sound:
        return
    ordered = sorted(sound, key=lambda report: report.coordinate.get("p", 1))
    values = [
        {(each.region, each.metric): each.values[0] for each in report.results}
        for report in ordered
    ]
    console = Console()
    table = _table("%", ordered)
    for title, above, below in FACTORS:
        pairs = [
            (of.get((results.PROGRAM, above)), of.get((results.PROGRAM, below)))
            for of in values
        ]
        shares = (
            "–" if first is None or not second else f"{100 * first / second:.2f}"
            for first, second in pairs
        )
        table.add_row(title, *shares)
    console.print(table)
    times = {
        region: value
        for each in values
        for (region, metric), value in each.items()
        if metric == "mpi_time" and region != results.PROGRAM
    }
    table = _table("mpi_time, s over all processes", ordered)
    longest = sorted(times, key=lambda region: -times[region])
    for region in (results.PROGRAM, *longest[:MOST_LOCATIONS]):
        cells = (each.get((region, "mpi_time")) for each in values)
        table.add_row(
            escape(region), *("–" if each is None else f"{each:.4g}" for each in cells)
        )
    console.print(table)
    if len(longest) > MOST_LOCATIONS:
        left = len(longest) - MOST_LOCATIONS
        console.print(f"{left} shorter locations are not shown.", highlight=False)
    for remark in _remarks(ordered[-1]):
        console.print(remark, highlight=False)


def _remarks(report: RunReport) -> Iterator[str]:
    """Say what lacks a best time, and what the path that decides leads through."""
    facts = report.job.environment if report.job else {}
    at = f"p = {report.coordinate.get('p', 1)}"
    named = str(facts.get(results.UNCALIBRATED, "")).split(", ")
    functions = [name for name in named if name]
    if report.configuration.get("calibration") != "none" and functions:
        times = {
            each.region: each.values[0]
            for each in report.results
            if each.metric == "mpi_time" and each.region != results.PROGRAM
        }
        uncalibrated = sum(
            time
            for region, time in times.items()
            if results.function_of(region) in functions
        )
        share = 100 * uncalibrated / (sum(times.values()) or 1)
        yield (
            f"Not calibrated, so that all of it is overhead: {', '.join(functions)}, "
            f"{share:.1f} % of the time in MPI at {at}."
        )
    if beyond := facts.get(results.EXTRAPOLATED):
        yield (
            "Beyond the calibrated table, so that best times are extrapolated: "
            f"{beyond}."
        )
    if path := facts.get(results.CRITICAL_PATH):
        sums: dict[str, float] = defaultdict(float)
        for result in report.results:
            sums[result.metric] += result.values[0]
        share = 100 * sums["path_computing"] / (sums["runtime"] or 1.0)
        yield (
            f"The path that decides the run time at {at} computes for {share:.1f} % of "
            f"it ({path}); the rest is in calls."
        )


def _table(title: str, reports: Sequence[RunReport]) -> Table:
    table = Table()
    table.add_column(title, overflow="fold")
    for report in reports:
        table.add_column(f"p = {report.coordinate.get('p', 1)}", justify="right")
    return table


MOST_SIZES: Final = 6


def print_calibration(calibration: Calibration, path: Path) -> None:
    """Print a row for each function and number of processes."""
    console = Console()
    rows = defaultdict(list)
    for cell in calibration.cells:
        rows[cell.function, cell.processes].append(cell)
    table = Table(title=f"t_max in µs, {calibration.title}", title_justify="left")
    for heading in ("function", "p", "bytes: t_max"):
        table.add_column(heading, overflow="fold")
    for (function, processes), cells in rows.items():
        cells.sort(key=lambda cell: cell.bytes)
        step = max(1, -(-len(cells) // MOST_SIZES))
        shown = [*cells[:-1:step], cells[-1]]
        texts = (
            f"{cell.bytes:,}: {cell.best * 1e6:.3g}{'!' if cell.is_wide else ''}"
            for cell in shown
        )
        table.add_row(function, str(processes), "  ".join(texts))
    console.print(table)
    wide = sum(cell.is_wide for cell in calibration.cells)
    if wide:
        console.print(
            f"{wide} of {len(calibration.cells)} cells (!) have blocks that differ by "
            f"more than {WIDE:g}: other programs were running.",
            highlight=False,
        )
    console.print(f"Kept in {path}", highlight=False, soft_wrap=True)
