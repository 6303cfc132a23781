"""The dashboard as a child process, and its match tables on the terminal."""

import csv
import io
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import click
import httpx2
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scalewatch import private_files
from scalewatch.cli.demo.sweeps import METRICS, DemoSweep, Release
from scalewatch.cli.processes import child, program

STARTING_SECONDS: Final = 60.0
ANALYSIS_SECONDS: Final = 120.0
EXIT_CANNOT_SERVE: Final = 3


@contextmanager
def serving(port: int, home: Path, console: Console) -> Iterator[httpx2.Client]:
    """Serve the dashboard from `home` and return a client that reads it.

    Ends the program with a clear line where the port is taken or it does not start.
    """
    with socket.socket() as probe:
        # As the server does: a port that merely rests after its last use is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            click.echo(
                f"Port {port} cannot be used ({error.strerror}): another program is "
                f"there. Choose a free one, for example SCALEWATCH_PORT={port + 1}.",
                err=True,
            )
            sys.exit(EXIT_CANNOT_SERVE)
    log = home / "server.log"
    database = {"SCALEWATCH_HOME": str(home)}
    serve = (program("scalewatch"), "serve", "--port", str(port))
    with (
        private_files.open_file(log, "w") as output,
        child(*serve, environment=database, output=output) as server,
        httpx2.Client(
            base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False
        ) as client,
    ):
        with console.status("Starting the dashboard …"):
            deadline = time.monotonic() + STARTING_SECONDS
            while True:
                with suppress(httpx2.TransportError):
                    if client.get("/healthz").is_success:
                        break
                if server.poll() is not None or time.monotonic() > deadline:
                    click.echo(
                        f"The dashboard did not start; {log} says why:", err=True
                    )
                    click.echo("\n".join(log.read_text().splitlines()[-5:]), err=True)
                    sys.exit(EXIT_CANNOT_SERVE)
                time.sleep(0.1)
        yield client


def await_analysis(dashboard: httpx2.Client, console: Console) -> None:
    """Wait until all that was posted is analysed, but not for ever."""
    deadline = time.monotonic() + ANALYSIS_SECONDS
    with console.status("Modelling …"):
        while time.monotonic() < deadline:
            status = dashboard.get("/api/v1/status").raise_for_status().json()
            if not status["jobs"]["open"]:
                return
            time.sleep(0.2)


def print_match_tables(
    dashboard: httpx2.Client, sweeps: Sequence[DemoSweep], console: Console
) -> None:
    """Print the match tables of the newest release of each library."""
    # Verdicts and their words take a second to load.
    from scalewatch.figures.notation import DISTURBED, NO_EVIDENCE  # noqa: PLC0415
    from scalewatch.services.shared_cores import crowded_sentence  # noqa: PLC0415

    newest: dict[str, Release] = {}
    for sweep in sweeps:
        newest.setdefault(sweep.release.library, sweep.release)
    for release in newest.values():
        for metric in METRICS.values():
            page = dashboard.get(
                f"/p/{release.library}",
                params={"commit": release.tag, "metric": metric, "format": "csv"},
            )
            if not page.is_success:
                continue
            cells = list(csv.DictReader(io.StringIO(page.text)))
            title = f"{release}: {metric} of MPI operations"
            console.print(_match_table(title, cells))
            reasons = [cell["reason"] for cell in cells]
            if n := sum(each.startswith(NO_EVIDENCE) for each in reasons):
                console.print(
                    f"{crowded_sentence(n, len(cells))} A verdict on times takes five "
                    "settings with a core for each process: six cores or more."
                )
            if n := sum(DISTURBED in each for each in reasons):
                console.print(
                    f"This machine was busy with something else in {n:,} of "
                    f"{len(cells):,} series: measure again when it is idle."
                )
            console.print()


def _match_table(title: str, listed: Sequence[Mapping[str, str]]) -> Table:
    """Return a match table as text, regions × machines, from its listing."""
    from scalewatch.cli.files.findings_table import COLOURS  # noqa: PLC0415 - as above
    from scalewatch.modelling import Verdict  # noqa: PLC0415

    def text(cell: Mapping[str, str] | None) -> Text:
        if cell is None or not cell["verdict"]:
            return Text("not measured", style="dim")
        verdict = Verdict(cell["verdict"])
        growth = f"  O({cell['growth']})" if cell["growth"] else ""
        return Text(f"{verdict.symbol} {verdict}{growth}", style=COLOURS[verdict])

    cells = {(cell["region"], cell["machine"]): cell for cell in listed}
    machines = sorted({machine for _, machine in cells})
    table = Table(
        *("Region", "Expectation", *machines), title=title, title_justify="left"
    )
    for region in dict.fromkeys(region for region, _ in cells):
        row = [cells.get((region, machine)) for machine in machines]
        expected = next(cell["expectation"] for cell in row if cell)
        table.add_row(region, f"O({expected})", *map(text, row))
    return table
