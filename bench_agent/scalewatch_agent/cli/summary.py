"""Summary of a sweep: a table for people, JSON for programs."""

import json
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from scalewatch.wire import Result, RunReport
from scalewatch_agent.cli.quantities import number, unit_shown
from scalewatch_agent.delivery.deliver import Delivery
from scalewatch_agent.delivery.upload import Delivered, Refused, Undelivered

BARRIER = "ᵇ"


def print_table(title: str, reports: Sequence[RunReport]) -> None:
    """Print the median of each region and metric at each process count."""
    console = Console()
    table = Table(title=title, title_justify="left")
    table.add_column("region", overflow="fold")
    sizes = {report.configuration["message_bytes"] for report in reports}
    for report in reports:
        heading = _heading(report, several_sizes=len(sizes) > 1)
        table.add_column(heading, justify="right", no_wrap=True)
    remarks = [
        {(each.region, each.metric, each.unit): each for each in report.results}
        for report in reports
    ]
    for key in dict.fromkeys(key for results in remarks for key in results):
        table.add_row(
            escape(_label(*key)), *(_cell(results.get(key)) for results in remarks)
        )
    console.print(table)
    shown = [result for report in reports for result in report.results]
    if any(_is_barrier_synchronised(result) for result in shown):
        console.print(
            f"{BARRIER} synchronised by barriers, since processes had to share cores.",
            highlight=False,
        )


def run_summary(report: RunReport, state: Mapping[str, Any]) -> str:
    """Return a run and what became of it as one line of JSON."""
    return json.dumps(
        {
            "id": str(report.id),
            "project": report.project,
            "commit": report.commit.sha,
            "machine": report.machine.name,
            "p": report.coordinate.get("p"),
            "coordinate": report.coordinate,
            **state,
            "results": [_result(result) for result in report.results],
        }
    )


def delivery_state(delivery: Delivery) -> Mapping[str, Any]:
    """Return what became of a run, for programs."""
    match delivery.answer:
        case Delivered(receipt):
            return {"state": "delivered", "run": receipt.get("run")}
        case Refused():
            return {"state": "refused", "reason": delivery.answer.reason}
        case Undelivered(reason):
            return {
                "state": "kept",
                "reason": f"{delivery.server} {reason}",
                "path": str(delivery.entry.path),
            }


def _result(result: Result) -> Mapping[str, Any]:
    if result.status == "failed":
        return {"region": result.region, "status": "failed", "reason": result.reason}
    procedure = result.procedure
    return {
        "region": result.region,
        "metric": result.metric,
        "unit": result.unit,
        "status": "ok",
        "median": median(result.values),
        "repetitions": len(result.values),
        "procedure": procedure and procedure.model_dump(exclude_none=True),
    }


def _heading(report: RunReport, *, several_sizes: bool) -> str:
    heading = f"p = {report.coordinate['p']}"
    if several_sizes:
        heading += f"\n{report.configuration['message_bytes']:,} B"
    return heading


def _label(region: str, metric: str, unit: str) -> str:
    words = region if metric in {"time", "memory"} else f"{region}, {metric}"
    return f"{words} [{unit_shown(unit)}]"


def _cell(result: Result | None) -> str:
    if result is None:
        return ""
    if result.status == "failed":
        return "failed"
    mark = BARRIER if _is_barrier_synchronised(result) else ""
    return f"{number(median(result.values), result.unit)}{mark}"


def _is_barrier_synchronised(result: Result) -> bool:
    return bool(result.procedure and result.procedure.synchronisation == "barrier")
