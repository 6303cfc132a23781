"""Calibrations that the agent keeps, one for each machine and library."""

import re
from pathlib import Path
from typing import Final

from scalewatch_agent.errors import CalibrationUnusable
from scalewatch_agent.experiments.launchers.jobs import JobLauncher
from scalewatch_agent.folders import calibrations_folder
from scalewatch_agent.traces.calibration.table import Calibration, read_calibration

AUTO: Final = "auto"
"""The calibration of the machine and the library in use."""

_UNUSUAL: Final = re.compile(r"[^\w.+-]+")


def library_of(launcher: JobLauncher) -> str:
    """Return the library whose calls a launcher's jobs make."""
    facts = launcher.facts
    return str(facts.get("mpi") or facts.get("simulator") or "MPI")


def kept_calibration(machine: str, library: str) -> Path:
    """Return the file of the newest calibration of a library on a machine."""
    name = _UNUSUAL.sub("-", f"{machine}-{library}").strip("-")
    return calibrations_folder() / f"{name}.json"


def calibration_for(
    wanted: str | None, machine: str, library: str
) -> Calibration | None:
    """Return the table in a file, the one that is kept (`AUTO`), or none.

    Raises
    ------
    CalibrationUnusable
        If it is not there.
    """
    if wanted is None:
        return None
    if wanted != AUTO:
        return read_calibration(Path(wanted))
    path = kept_calibration(machine, library)
    if not path.exists():
        reason = f"there is none of {library} on {machine}: scalewatch-agent calibrate"
        raise CalibrationUnusable(AUTO, reason)
    return read_calibration(path)
