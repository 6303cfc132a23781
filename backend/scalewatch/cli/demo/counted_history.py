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
    if not library.exists():
        _run(sys.executable, EXAMPLE / "history.py", library)
    commits = _git(library, "rev-list", "--reverse", "main").split()
    wanted = commits[:QUICK] if quick else commits
    for number, sha in enumerate(wanted, start=1):
        if not fresh and _is_counted(dashboard, sha):
            continue
        title = f"The work of {PROJECT}, commit {number} of {len(wanted)}"
        console.rule(escape(title), align="left", style="dim")
        _git(library, "checkout", "--quiet", sha)
        code = _count(dashboard, home, library)
        if code:
            reason = "no MPI" if code == NOT_INSTALLED else "the reason is above"
            console.print(f"[red]Not counted:[/] {PROJECT}; {reason}.")
            return
        if number == 1:
            _run(
                *(program("scalewatch"), "expectations", "push"),
                *(EXAMPLE / "library.toml", "--server", str(dashboard.base_url)),
            )


def _is_counted(dashboard: httpx2.Client, sha: str) -> bool:
    answer = dashboard.get(f"/api/v1/projects/{PROJECT}/report", params={"commit": sha})
    return answer.status_code != httpx2.codes.NOT_FOUND


def _count(dashboard: httpx2.Client, home: Path, library: Path) -> int:
    """Count what is checked out; return the agent's exit code."""
    with child(
        *(program("scalewatch-agent"), "count", library / "library.yaml", "--fresh"),
        *("--folder", home / "counts", "--server", str(dashboard.base_url)),
        environment={"SCALEWATCH_AGENT_HOME": str(home / "agent")},
    ) as agent:
        return agent.wait()


def _git(folder: Path, *words: str) -> str:
    return _run("git", "-C", folder, *words)


def _run(*words: str | Path) -> str:
    """Run a command that has to succeed; return what it says."""
    return subprocess.run(  # noqa: S603, the commands are ours
        list(map(str, words)), check=True, capture_output=True, text=True
    ).stdout
