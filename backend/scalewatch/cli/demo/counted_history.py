"""The demo's first project: the work of a library, counted through its history.

Counts are exact on any machine, so that its verdicts are true before any time is.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import httpx2
from rich.console import Console
from rich.markup import escape

from scalewatch.cli.demo.sweeps import NOT_INSTALLED
from scalewatch.cli.processes import child, program

EXAMPLE: Final = Path("examples/count")
"""Where a checkout has the library; the installed package has none."""

PROJECT: Final = "count-library"
TOOLS: Final = ("git", "gcc")
QUICK: Final = 3
"""Commits of the quick demo; the last of them changes a growth."""


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
            reason = "no MPI" if code == NOT_INSTALLED else "the reason is above"
            console.print(f"[red]Not counted:[/] {PROJECT}; {reason}.")
            return
        if number == 1:
            push = (program("scalewatch"), "expectations", "push")
            _run(*push, EXAMPLE / "library.toml", *server)


def _run(*words: str | Path) -> str:
    """Run a command that has to succeed; return what it says."""
    return subprocess.run(  # noqa: S603, the commands are ours
        list(map(str, words)), check=True, capture_output=True, text=True
    ).stdout
