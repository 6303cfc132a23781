"""The gallery: case studies of real codes as projects, run small on this machine.

`scalewatch demo --gallery` starts it in a checkout; by itself it posts to any server:

    python examples/gallery.py --server http://127.0.0.1:8000
"""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
import httpx2
from rich.console import Console
from rich.markup import escape

from scalewatch.cli.processes import child, program

EXAMPLES: Final = Path(__file__).parent
PATIENCE: Final = 60
"""Seconds that a server may take to answer."""

EXPERIMENTS: Final = ("run", "count")
"""Commands of the agent that take an experiment file, and keep a folder."""

SIMULATION: Final = ("smpirun", "gcc")


@dataclass(frozen=True, slots=True)
class Study:
    """A code with its experiment and its expectations.

    Parameters
    ----------
    title
        Its finding, in a sentence.
    project
        Where its runs go.
    command
        Command of the agent, its experiment and its options.
    expectations
        Files of expectations.
    tools
        Programs that have to be installed.
    """

    title: str
    project: str
    command: tuple[str, ...]
    expectations: tuple[str, ...]
    tools: tuple[str, ...]


WAVEFRONT: Final = Study(
    "A wavefront grows like the root of p (simulated)",
    "sweep-example",
    ("run", "sweep/sweep.yaml", "--set", "mode=blocking"),
    ("sweep/scalewatch.toml",),
    SIMULATION,
)
MULTIGRID: Final = Study(
    "Multigrid adds a level whenever p doubles (simulated)",
    "multigrid-example",
    ("run", "multigrid/multigrid.yaml", "--set", "n=16"),
    ("multigrid/scalewatch.toml",),
    SIMULATION,
)
SUBSPACES: Final = Study(
    "Clusters in subspaces take 2^k",
    "mafia-example",
    ("run", "mafia.yaml", "--repeats", "3"),
    ("mafia/published.toml", "mafia/counts.toml"),
    ("gcc",),
)
SORT: Final = Study(
    "The integer sort of the NAS benchmarks does not share all work (simulated)",
    "nas-example",
    ("count", "nas/is.yaml"),
    ("nas/scalewatch.toml",),
    (*SIMULATION, "apt-get"),
)
THREADS: Final = Study(
    "A solver with OpenMP follows from bandwidth and constructs",
    "openmp-example",
    ("openmp", "--project", "openmp-example", "--commit", "gallery"),
    ("openmp.toml",),
    ("gcc",),
)
STUDIES: Final = (WAVEFRONT, MULTIGRID, SUBSPACES, SORT, THREADS)


def load_gallery(
    dashboard: httpx2.Client,
    home: Path,
    console: Console,
    *,
    studies: Sequence[Study] = STUDIES,
    fresh: bool = False,
) -> None:
    """Run the studies that the dashboard does not have, and name their pages."""
    for study in studies:
        missing = [tool for tool in study.tools if shutil.which(tool) is None]
        if missing:
            reason = f"it needs {' and '.join(missing)}"
        elif fresh or not _is_there(dashboard, study):
            console.rule(escape(study.title), align="left", style="dim")
            reason = _run(study, dashboard, home)
        else:
            reason = ""
        if reason:
            console.print(f"[yellow]Left out:[/] {study.project}; {reason}.")
        else:
            link = f"{dashboard.base_url}/p/{study.project}"
            console.print(f"{escape(study.title)}: {link}", soft_wrap=True)


def _is_there(dashboard: httpx2.Client, study: Study) -> bool:
    answer = dashboard.get(f"/api/v1/projects/{study.project}/report")
    return answer.status_code != httpx2.codes.NOT_FOUND


def _run(study: Study, dashboard: httpx2.Client, home: Path) -> str:
    """Run a study and push its expectations; return what went wrong, if anything."""
    server = ("--server", str(dashboard.base_url))
    command, *words = study.command
    if command in EXPERIMENTS:
        experiment, *options = words
        folder = home / "gallery" / study.project
        words = [
            str(EXAMPLES / experiment),
            *options,
            "--fresh",
            "--folder",
            str(folder),
        ]
    agent_home = {"SCALEWATCH_AGENT_HOME": str(home / "agent")}
    agent = program("scalewatch-agent")
    with child(agent, command, *words, *server, environment=agent_home) as running:
        if code := running.wait():
            return f"the agent ended with exit code {code}, and said why"
    for file in study.expectations:
        push = (program("scalewatch"), "expectations", "push", EXAMPLES / file)
        with child(*push, *server, environment={}) as running:
            if running.wait():
                return f"its expectations in {file} were refused"
    return ""


@click.command()
@click.option("--server", default="http://127.0.0.1:8000", show_default=True)
@click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(".demo"),
    show_default=True,
    help="Folder for jobs and MPI libraries.",
)
@click.option("--fresh", is_flag=True, help="Run again what the server has already.")
def main(*, server: str, home: Path, fresh: bool) -> None:
    """Run the case studies and post them to a server."""
    with httpx2.Client(base_url=server, timeout=PATIENCE, trust_env=False) as dashboard:
        console = Console(highlight=False)
        load_gallery(dashboard, home.resolve(), console, fresh=fresh)


if __name__ == "__main__":
    main()
