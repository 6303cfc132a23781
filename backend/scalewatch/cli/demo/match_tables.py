"""The match tables of the newest releases, on the terminal."""

import csv
import io
from collections.abc import Mapping, Sequence

import httpx2
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scalewatch.cli.demo.releases import Release
from scalewatch.cli.demo.sweeps import METRICS, DemoSweep
from scalewatch.cli.files.notation import COLOURS
from scalewatch.figures.notation import SHARED_CORES
from scalewatch.modelling import Verdict
from scalewatch.services.shared_cores import crowded_sentence


def print_match_tables(
    dashboard: httpx2.Client, sweeps: Sequence[DemoSweep], console: Console
) -> None:
    """Print the match tables of the newest release of each library."""
    newest: dict[str, Release] = {}
    for sweep in sweeps:
        newest.setdefault(sweep.release.library, sweep.release)
    for release in newest.values():
        for metric in METRICS.values():
            page = dashboard.get(
                f"/p/{release.library}",
                params={"commit": release.tag, "metric": metric, "format": "csv"},
            )
            if page.is_success:
                title = f"{release}: {metric} of MPI operations"
                cells = list(csv.DictReader(io.StringIO(page.text)))
                console.print(_match_table(title, cells), *_shared_cores(cells), "")


def _shared_cores(listed: Sequence[Mapping[str, str]]) -> list[str]:
    """Return why series of a listing cannot be judged here, if some cannot."""
    crowded = sum(cell["reason"].startswith(SHARED_CORES) for cell in listed)
    if not crowded:
        return []
    said = crowded_sentence(crowded, len(listed))
    wanted = "five settings with a core for each process: six cores or more"
    return [f"{said} A verdict on times takes {wanted}."]


def _match_table(title: str, listed: Sequence[Mapping[str, str]]) -> Table:
    """Return a match table as text, regions × machines, from its listing."""
    cells = {(cell["region"], cell["machine"]): cell for cell in listed}
    machines = sorted({machine for _, machine in cells})
    table = Table(title=title, title_justify="left")
    for heading in ("Region", "Expectation", *machines):
        table.add_column(heading)
    for region in dict.fromkeys(region for region, _ in cells):
        row = [cells.get((region, machine)) for machine in machines]
        expected = next(cell["expectation"] for cell in row if cell)
        table.add_row(region, f"O({expected})", *map(_cell, row))
    return table


def _cell(cell: Mapping[str, str] | None) -> Text:
    if cell is None or not cell["verdict"]:
        return Text("not measured", style="dim")
    verdict = Verdict(cell["verdict"])
    growth = f"  O({cell['growth']})" if cell["growth"] else ""
    return Text(f"{verdict.symbol} {verdict}{growth}", style=COLOURS[verdict])
