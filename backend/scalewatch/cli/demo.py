"""`scalewatch demo`: from a real MPI run on this machine to the match table.

Runs the product's own commands as processes, the server and one agent sweep for each
MPI library and transport, and knows them only by their command lines and over HTTP,
like any user.
"""

import csv
import io
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import click
import httpx2
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from scalewatch.cli.dashboard import serving
from scalewatch.cli.findings_table import COLOURS
from scalewatch.cli.sweeps import SWEEPS, Sweep, is_delivered, is_measured
from scalewatch.modelling import Verdict

ANALYSIS_SECONDS: Final = 120.0
EXIT_CANNOT_MEASURE: Final = 4


EPILOG: Final = """
\b
Examples:
  scalewatch demo
  SCALEWATCH_PORT=8001 scalewatch demo --quick
  scalewatch demo --fresh --no-serve
"""


@click.command("demo", epilog=EPILOG)
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=8000,
    envvar="SCALEWATCH_PORT",
    show_default=True,
    show_envvar=True,
    help="Port of the dashboard.",
)
@click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".demo"),
    show_default=True,
    help="Folder for the demo's database and MPI libraries.",
)
@click.option("--quick", is_flag=True, help="Open MPI only, with 50 repetitions.")
@click.option("--fresh", is_flag=True, help="Measure again what is already there.")
@click.option("--no-serve", is_flag=True, help="Stop the dashboard at the end.")
def command(*, port: int, home: Path, quick: bool, fresh: bool, no_serve: bool) -> None:
    """Measure MPI on this machine, model it, judge it and show it.

    Runs the MPI suite at 2, 4, 8, 16 and 32 processes for Open MPI and MPICH, each
    over shared memory and over TCP, and serves the dashboard. What an earlier call
    has measured is kept.
    """
    _end_like_ctrl_c(signal.SIGTERM, signal.SIGHUP)
    console = Console(highlight=False)
    home = home.resolve()
    home.mkdir(parents=True, exist_ok=True)
    sweeps = [sweep for sweep in SWEEPS if not quick or sweep.library == "openmpi"]
    with serving(port, home, console) as dashboard:
        link = f"Dashboard: [bold]{dashboard.base_url}[/]"
        console.print(link, "")
        wanted = [s for s in sweeps if fresh or not is_measured(s, dashboard)]
        failed = _measure(wanted, dashboard, home, console, 50 if quick else 400)
        _await_analysis(dashboard, console)
        _show(dashboard, sweeps, failed, console)
        if not no_serve:
            console.print(f"{link}  (Ctrl-C stops it)")
            _wait_for_ctrl_c()
    if failed:
        sys.exit(EXIT_CANNOT_MEASURE)


def _end_like_ctrl_c(*signals: signal.Signals) -> None:
    """Let a polite kill or a closed terminal stop the children as Ctrl-C does."""
    for number in signals:
        signal.signal(number, signal.default_int_handler)


def _wait_for_ctrl_c() -> None:
    try:
        signal.pause()
    except KeyboardInterrupt:
        click.echo("\nStopping the dashboard …")


def _measure(
    sweeps: Sequence[Sweep],
    dashboard: httpx2.Client,
    home: Path,
    console: Console,
    repetitions: int,
) -> list[Sweep]:
    """Run the sweeps one after the other; return those that failed."""
    failed = []
    for number, sweep in enumerate(sweeps, start=1):
        title = f"{number} of {len(sweeps)}: {sweep}"
        console.rule(escape(title), align="left", style="dim")
        started = time.monotonic()
        if not is_delivered(sweep, dashboard, home, repetitions=repetitions):
            failed.append(sweep)
        console.print(f"{time.monotonic() - started:.0f} s", "", style="dim")
    return failed


def _await_analysis(dashboard: httpx2.Client, console: Console) -> None:
    deadline = time.monotonic() + ANALYSIS_SECONDS
    with console.status("Modelling …"):
        while time.monotonic() < deadline:
            status = dashboard.get("/api/v1/status").raise_for_status().json()
            if not status["jobs"]["open"]:
                return
            time.sleep(0.2)


def _show(
    dashboard: httpx2.Client,
    sweeps: Sequence[Sweep],
    failed: Sequence[Sweep],
    console: Console,
) -> None:
    for library, release in dict.fromkeys((s.library, s.release) for s in sweeps):
        page = dashboard.get(
            f"/p/{library}", params={"commit": f"v{release}", "format": "csv"}
        )
        if page.is_success:
            title = f"{library} {release}: time of MPI operations"
            console.print(_match_table(title, page.text), "")
    if failed:
        names = ", ".join(map(str, failed))
        console.print(f"[red]Not measured:[/] {escape(names)}; the reason is above.")


def _match_table(title: str, listing: str) -> Table:
    """Return a match table as text, regions × machines, from its listing in CSV."""
    cells = {
        (cell["region"], cell["machine"]): cell
        for cell in csv.DictReader(io.StringIO(listing))
    }
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
