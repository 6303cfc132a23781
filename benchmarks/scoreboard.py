"""Puts the scoreboard of `README.md` together from the results files.

Figures of a script without a results file stay in the README as they stand there.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.options import BENCHMARKS
from benchmarks.results import BESIDE, FOLDER, MISSED

README: Final = Path(__file__).with_name("README.md")
COLUMNS: Final = "| figure | rival | goal | ours | command | date | machine | reached |"
NOT_REACHED: Final = "## Not reached"
COMMAND: Final = "`python -m benchmarks "


def write() -> None:
    """Renew the table and what is not reached; what stands above stays."""
    head, kept = README.read_text("utf-8").split(COLUMNS)
    rows, missed = [], []
    for script in BENCHMARKS:
        path = FOLDER / f"{script}.md"
        if path.exists():
            text = path.read_text("utf-8")
            found = list(_rows(text))
        else:
            text, found = kept, [row for row in _table(kept) if _is_of(script, row)]
        rows += found
        figures = {row[0] for row in found if row[-1] == MISSED}
        missed += [
            line
            for line in text.partition(NOT_REACHED)[2].splitlines()
            if line.startswith("- ") and line[2:].partition(": ")[0] in figures
        ]
    lines = [COLUMNS, f"|{'---|' * (COLUMNS.count('|') - 1)}"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    lines += ["", NOT_REACHED, "", *(missed or ["Nothing."])]
    README.write_text(head + "\n".join(lines) + "\n", "utf-8")


def _rows(text: str) -> Iterator[list[str]]:
    """Yield the rows of the scoreboard that a results file gives."""
    about = next(
        line
        for line in text.splitlines()
        if line.startswith(COMMAND) and BESIDE in line
    )
    command, date, machine, busy = about.split(BESIDE)
    words = command.removeprefix(COMMAND).strip("`")
    script = words.split()[-1]
    for figure, rival, goal, ours, reached in _table(
        text.partition("## Scoreboard")[2]
    ):
        link = f"[`{words}`](results/{script}.md)"
        yield [figure, rival, goal, ours, link, date, f"{machine}, {busy}", reached]


def _table(text: str) -> Iterator[list[str]]:
    """Yield the rows of the first table, without its header."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    for line in lines:
        cells = line.strip("| ").split(" | ")
        if not cells[0].startswith(("figure", "---")):
            yield cells


def _is_of(script: str, row: list[str]) -> bool:
    """Tell whether a row of the README is of a script, by its command."""
    return row[4].split("`")[1].split()[-1] == script
