"""Launchers: what starts the jobs of an experiment, or simulates them.

Each module, or room, holds one launcher and registers it by being imported here; it
needs nothing else. `section` has the registry, `jobs` what goes in and comes out,
`queued` and `scripts` what schedulers have in common.
"""

from scalewatch_agent.experiments.launchers import flux, slurm
from scalewatch_agent.experiments.launchers.local import LocalSection
from scalewatch_agent.experiments.launchers.section import (
    LAUNCHERS,
    Launcher,
    LauncherSection,
)
from scalewatch_agent.experiments.launchers.smpi import smpi

__all__ = [
    "LAUNCHERS",
    "Launcher",
    "LauncherSection",
    "LocalSection",
    "flux",
    "slurm",
    "smpi",
]
