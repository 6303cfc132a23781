"""Prints what a script measures and writes the same lines to `results/<script>.md`.

A results file holds the docstring of its script, the command, the date, the machine and
its load average at the start, the tables, and last the figures of the scoreboard. It is
written once a script has ended, so that a run that fails leaves the file of the run
before.
"""

import os
import platform
import shlex
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks.goals import Goal
from benchmarks.options import BENCHMARKS

FOLDER: Final = Path(__file__).with_name("results")
BESIDE: Final = " · "
"""Stands between command, date and machine."""

MISSED: Final = "**no**"
FIGURES: Final = ("figure", "rival", "goal", "ours", "reached")

Row = Callable[..., None]
"""Adds one row to a table: as many cells as the table has columns."""


class Results:
    """Tables and sentences of one script."""

    def __init__(self, script: str, docstring: str) -> None:
        self.script = script
        self.failures: list[str] = []
        self._figures: list[tuple[str, ...]] = []
        self._missed: list[str] = []
        self._lines: list[str] = []
        today = datetime.now(UTC).date().isoformat()
        self._busy = f"load average {os.getloadavg()[0]:.1f}"
        self._print(f"# {script.replace('_', ' ').capitalize()}")
        self.say(docstring.strip())
        self.say(BESIDE.join((f"`{command(script)}`", today, machine(), self._busy)))

    def heading(self, text: str) -> None:
        """Begin a section."""
        self.say(f"## {text}")

    def say(self, text: str) -> None:
        """Add a paragraph."""
        self._print(f"\n{text}")

    def table(self, *columns: str, words: int = 1) -> Row:
        """Begin a table, and return what adds a row to it.

        Parameters
        ----------
        columns
            Their names.
        words
            How many of the first columns hold words; the others hold numbers, which
            are aligned to the right.
        """
        rules = ["---" if i < words else "---:" for i in range(len(columns))]
        self._print(f"\n{_line(columns)}\n{_line(rules)}")

        def row(*cells: object) -> None:
            if len(cells) != len(columns):
                raise ValueError(cells)
            self._print(_line(cells))

        return row

    def figure(self, goal: Goal, ours: float | str, rival: float | None = None) -> None:
        """Tell a figure of the scoreboard."""
        reached = goal.is_reached(ours, rival)
        self._figures.append(
            (
                goal.figure,
                goal.rival_text(rival),
                goal.text(),
                goal.form.format(ours),
                "–" if reached is None else "yes" if reached else MISSED,
            )
        )
        if reached is False:
            reason = goal.reason or f"not explained; {self._busy} when it was measured"
            self._missed.append(f"- {goal.figure}: {reason}.")

    def fail(self, sentence: str) -> None:
        """Say what must not be; the command then ends with 1."""
        self.failures.append(sentence)

    def end(self) -> None:
        """Print the figures of the scoreboard."""
        if self._figures:
            self.heading("Scoreboard")
            row = self.table(*FIGURES, words=len(FIGURES))
            for figure in self._figures:
                row(*figure)
        if self._missed:
            self.heading("Not reached")
            self.say("\n".join(self._missed))

    def write(self) -> None:
        """Write all that was printed to the results file."""
        FOLDER.mkdir(exist_ok=True)
        text = "\n".join(self._lines) + "\n"
        (FOLDER / f"{self.script}.md").write_text(text, "utf-8")

    def _print(self, text: str) -> None:
        print(text, flush=True)
        self._lines.append(text)


def command(script: str) -> str:
    """Return what runs this script as it was run, without the others."""
    options = [word for word in sys.argv[1:] if word not in BENCHMARKS]
    return shlex.join(["python", "-m", "benchmarks", *options, script])


def machine() -> str:
    """Return the processors and the memory of this machine, and the Python."""
    models = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        if line.startswith("model name")
    ]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} × {models[0] if models else platform.machine()}, "
        f"{memory:.0f} GiB, Python {platform.python_version()}"
    )


def _line(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"
