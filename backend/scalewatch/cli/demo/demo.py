"""`scalewatch demo`: from a real MPI run on this machine to the match table.

Runs the product's own commands as processes, the server and agent sweeps for each
release of an MPI library and transport, and knows them only by their command lines and
over HTTP, like any user.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import click
import httpx2
from rich.console import Console
from rich.markup import escape

from scalewatch import private_files
from scalewatch.cli.demo import sweeps
from scalewatch.cli.demo.dashboard import await_analysis, print_match_tables, serving
from scalewatch.cli.processes import child, program

EXIT_CANNOT_MEASURE: Final = 4

GALLERY: Final = Path("examples/gallery.py")
"""Case studies, which a checkout has."""

EXAMPLE: Final = Path("examples/count")
"""Where a checkout has the library; the installed package has none."""

PROJECT: Final = "count-library"
TOOLS: Final = ("git", "gcc")
QUICK: Final = 3
"""Commits of the quick demo; the last of them changes a growth."""

EPILOG: Final = """
\b
Examples:
  scalewatch demo
  SCALEWATCH_PORT=8001 scalewatch demo --quick
  scalewatch demo --fresh --no-serve
  scalewatch demo --reference --minutes 0
  scalewatch demo --gallery --minutes 0
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
@click.option(
    "--quick", is_flag=True, help="Two releases, 50 repetitions, few processes."
)
@click.option("--fresh", is_flag=True, help="Measure again what is already there.")
@click.option(
    "--minutes",
    type=click.FloatRange(min=0),
    default=8.5,
    show_default=True,
    help="Time to measure; the releases that are left wait for the next call.",
)
@click.option(
    "--reference",
    is_flag=True,
    help="Load two more projects, of published and of simulated machines.",
)
@click.option(
    "--gallery",
    is_flag=True,
    help="Run case studies of real codes, some of them simulated (minutes).",
)
@click.option("--no-serve", is_flag=True, help="Stop the dashboard at the end.")
def command(*, port: int, home: Path, no_serve: bool, **choices: Any) -> None:
    """Measure MPI on this machine, model it, judge it and show it.

    Begins with the work of a small library, counted through ten commits of which three
    make it grow faster: exact on any machine (in a checkout, with gcc and git). Then
    takes six releases of MPICH and three of Open MPI from PyPI, each a commit of its
    project, and measures run times and memory of each over shared memory and over
    TCP, the newest first; then serves the dashboard. What an earlier call has
    measured is kept, and what cannot be installed is left out. With fewer than six
    cores processes share them: such times are shown, and judged by nobody.

    With --reference there are two more projects to look at, at larger scales: data
    drawn from published models of Juqueen, Juropa and Piz Daint, and collectives
    simulated on a torus, a fat tree and a dragonfly. Every page says so.

    With --gallery there are real codes, each with what its authors expect: a
    wavefront, a multigrid solver and the integer sort of the NAS benchmarks, simulated
    at up to 256 processes, clusters in subspaces, and a solver with OpenMP.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        # A polite kill or a closed terminal stops the children as Ctrl-C does.
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup's wish
            signal.signal(number, signal.default_int_handler)
    console = Console(highlight=False)
    home = home.resolve()
    private_files.make_folder(home)
    quick, fresh = choices["quick"], choices["fresh"]
    planned = sweeps.all_sweeps(quick=quick)
    with serving(port, home, console) as dashboard:
        link = f"Dashboard: [bold]{dashboard.base_url}[/]"
        console.print(link, "")
        reference = load_reference(dashboard) if choices["reference"] else []
        if choices["gallery"]:
            show_gallery(dashboard, home, console, fresh=fresh)
        count_history(dashboard, home, console, quick=quick, fresh=fresh)
        wanted = [s for s in planned if fresh or not sweeps.is_measured(s, dashboard)]
        effort = SweepEffort(
            repetitions=50 if quick else 400,
            budget=0.03 if quick else 0.5,
            seconds=60 * choices["minutes"],
        )
        outcome = _measure(wanted, dashboard, home, console, effort)
        await_analysis(dashboard, console)
        print_match_tables(dashboard, planned, console)
        for line in _missing(outcome):
            console.print(line, soft_wrap=True)
        for project in reference:
            address = f"{dashboard.base_url}/p/{project}"
            console.print(
                f"For reference, not measured here: {address}", soft_wrap=True
            )
        if reference:
            console.print()
        if not no_serve:
            console.print(f"{link}  (Ctrl-C stops it)")
            try:
                signal.pause()
            except KeyboardInterrupt:
                click.echo("\nStopping the dashboard …")
    if outcome.failed:
        sys.exit(EXIT_CANNOT_MEASURE)


def busy_notice(load: float, processors: int) -> str | None:
    """Return what a machine that others keep busy does to a demo; None of an idle one.

    Parameters
    ----------
    load
        Processes that ran or waited to run, over the last minute.
    """
    if load < processors:
        return None
    return (
        f"[yellow]This machine is busy with something else:[/] load {load:.1f} on "
        f"{processors} processors. Times that this disturbs have no verdict."
    )


def load_reference(dashboard: httpx2.Client) -> list[str]:
    """Post the runs of all reference machines; return their projects.

    Those that are there do no harm.
    """
    # Models and reports take a second to load.
    from scalewatch.cli.demo import (  # noqa: PLC0415
        published_machines,
        simulated_machines,
    )

    for runs in (
        published_machines.published_runs(),
        simulated_machines.simulated_runs(),
    ):
        bodies = (run.model_dump_json(by_alias=True, exclude_none=True) for run in runs)
        dashboard.post(
            "/api/v1/runs",
            content="\n".join(bodies),
            headers={"Content-Type": "application/x-ndjson"},
        ).raise_for_status()
    return [published_machines.PROJECT, simulated_machines.PROJECT]


def show_gallery(
    dashboard: httpx2.Client, home: Path, console: Console, *, fresh: bool
) -> None:
    """Run the case studies of a checkout, which the installed package does not have."""
    if not GALLERY.is_file():
        console.print(
            "[yellow]Left out:[/] the gallery, whose case studies are in the "
            "repository: clone it, and run `scalewatch demo --gallery` there.",
            soft_wrap=True,
        )
        return
    words = ["--server", str(dashboard.base_url), "--home", str(home)]
    words += ["--fresh"] if fresh else []
    with child(sys.executable, GALLERY, *words, environment={}) as running:
        if code := running.wait():
            console.print(f"[red]The gallery ended[/] with exit code {code}.")


def count_history(
    dashboard: httpx2.Client, home: Path, console: Console, *, quick: bool, fresh: bool
) -> None:
    """Count the commits that the dashboard does not have, the oldest first."""
    if not EXAMPLE.is_dir():
        return
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        console.print(
            f"[yellow]Left out:[/] {PROJECT}; counting needs {' and '.join(missing)}."
        )
        return
    library = home / "library"
    server = ("--server", str(dashboard.base_url))
    if not library.exists():
        _run(sys.executable, EXAMPLE / "history.py", library)
    git = ("git", "-C", library)
    commits = _run(*git, "rev-list", "--reverse", "main").split()
    wanted = commits[:QUICK] if quick else commits
    for number, sha in enumerate(wanted, start=1):
        report = f"/api/v1/projects/{PROJECT}/report"
        if not fresh:
            answer = dashboard.get(report, params={"commit": sha})
            if answer.status_code != httpx2.codes.NOT_FOUND:
                continue
        title = f"The work of {PROJECT}, commit {number} of {len(wanted)}"
        console.rule(escape(title), align="left", style="dim")
        _run(*git, "checkout", "--quiet", sha)
        with child(
            *(program("scalewatch-agent"), "count", library / "library.yaml"),
            *("--fresh", "--folder", home / "counts", *server),
            environment={"SCALEWATCH_AGENT_HOME": str(home / "agent")},
        ) as agent:
            code = agent.wait()
        if code:
            reason = "no MPI" if code == sweeps.NOT_INSTALLED else "the reason is above"
            console.print(f"[red]Not counted:[/] {PROJECT}; {reason}.")
            return
        if number == 1:
            push = (program("scalewatch"), "expectations", "push")
            _run(*push, EXAMPLE / "library.toml", *server)


@dataclass(frozen=True, slots=True)
class SweepEffort:
    """How hard to try.

    Parameters
    ----------
    repetitions
        Of each operation, unless its time budget ends first.
    budget
        Seconds per operation.
    seconds
        After which no further sweep is begun.
    """

    repetitions: int
    budget: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """Sweeps that are not measured, by the reason."""

    failed: list[sweeps.DemoSweep] = field(default_factory=list)
    not_installed: list[sweeps.Release] = field(default_factory=list)
    left: list[sweeps.DemoSweep] = field(default_factory=list)


def _measure(
    wanted: Sequence[sweeps.DemoSweep],
    dashboard: httpx2.Client,
    home: Path,
    console: Console,
    effort: SweepEffort,
) -> Unmeasured:
    """Run the sweeps one after the other, as long as there is time."""
    notice = busy_notice(os.getloadavg()[0], os.cpu_count() or 1)
    if wanted and notice:
        console.print(notice, soft_wrap=True)
    outcome = Unmeasured()
    deadline = time.monotonic() + effort.seconds
    began = time.monotonic()
    for done, sweep in enumerate(wanted):
        if sweep.release in outcome.not_installed:
            continue
        now = time.monotonic()
        if now > deadline:
            outcome.left.append(sweep)
            continue
        # The time passed and expected, as far as the sweeps so far tell.
        outlook = f"{_minutes(deadline - now)} min at most"
        if done:
            passed = now - began
            expected = min(passed * len(wanted) / done, passed + deadline - now)
            outlook = f"{_minutes(passed)} of about {_minutes(expected)} min"
        title = f"{done + 1} of {len(wanted)}: {sweep} · {outlook}"
        console.rule(escape(title), align="left", style="dim")
        code = sweeps.measure(
            sweep,
            dashboard,
            home,
            repetitions=effort.repetitions,
            budget=effort.budget,
        )
        if code == sweeps.NOT_INSTALLED:
            outcome.not_installed.append(sweep.release)
        elif code:
            outcome.failed.append(sweep)
        console.print(f"{time.monotonic() - now:.0f} s", "", style="dim")
    return outcome


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"


def _missing(outcome: Unmeasured) -> Iterator[str]:
    """Yield a line for each reason for which sweeps are not measured."""
    if outcome.not_installed:
        names = ", ".join(map(str, outcome.not_installed))
        yield f"[yellow]Left out:[/] {escape(names)}; the reason is above."
    if outcome.failed:
        names = "; ".join(map(str, outcome.failed))
        yield f"[red]Not measured:[/] {escape(names)}; the reason is above."
    if outcome.left:
        yield (
            f"The time was up before {len(outcome.left)} of the sweeps; "
            "the same command goes on with them."
        )


def _run(*words: str | Path) -> str:
    """Run a command that has to succeed; return what it says."""
    return subprocess.run(  # noqa: S603, the commands are ours
        list(map(str, words)), check=True, capture_output=True, text=True
    ).stdout
