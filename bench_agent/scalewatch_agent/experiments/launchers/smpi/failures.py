"""Failures that SMPI reports, some of which end with exit code 0."""

import re
from pathlib import Path
from typing import Final

from scalewatch_agent.programs import STDERR, complaint

LARGEST: Final = 2**20
"""Bytes of what a job said that are read: its first complaint explains the others."""

SENTENCES: Final = (
    (
        re.compile(r"SMPI-specific compiler|Could not resolve entry point"),
        "the program is not built for SMPI: compile it by {mpicc}, {mpicxx}, {mpif90}",
    ),
    (
        re.compile(r"\[smpi_pmpi/WARNING\] MPI_Abort was called"),
        "the program called MPI_Abort",
    ),
    (
        re.compile("Deadlock detected"),
        "deadlock: processes wait for messages, or for others, that never come",
    ),
    (
        re.compile(r"Memory \w+ of \d+ bytes failed|bad_alloc"),
        "there is not enough memory",
    ),
)
_LOGGED: Final = re.compile(r"\[[^\]]*\d\.\d+\] ")
_COMPLAINT: Final = re.compile(r"/CRITICAL\] (.+)")


def failure_said(folder: Path) -> str | None:
    """Return what the simulator said of the failure of the job in `folder`, if it did.

    What the program itself writes is no complaint of the simulator.
    """
    try:
        with (folder / STDERR).open(errors="replace") as file:
            text = file.read(LARGEST)
    except OSError:
        return None
    said = "\n".join(
        line for line in text.splitlines() if "/CRITICAL] " in line or _is_hint(line)
    )
    for pattern, sentence in SENTENCES:
        if pattern.search(said):
            return sentence + complaint(_own_words(text))
    critical = _COMPLAINT.search(said)
    return critical and f"SMPI: {critical[1][:500]}"


def _own_words(text: str) -> list[str]:
    """Return what the program itself wrote, if the simulator has no backtrace."""
    if "Backtrace" in text:
        return []
    return [line for line in text.splitlines() if not _LOGGED.match(line)]


def _is_hint(line: str) -> bool:
    return line.startswith("Error: Did you compile") or "[smpi_pmpi/WARNING]" in line
