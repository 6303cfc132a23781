"""What simulates the jobs of an experiment, where all that it takes is there."""

import os
from typing import Final

from scalewatch_agent.errors import PlatformUnusable
from scalewatch_agent.experiments.commands import names_in
from scalewatch_agent.experiments.configured import Loaded
from scalewatch_agent.experiments.launchers.smpi.host_speed import host_speed
from scalewatch_agent.experiments.launchers.smpi.platforms import Platform, platform_of
from scalewatch_agent.experiments.launchers.smpi.programs import (
    check_compilers,
    simgrid_version,
)
from scalewatch_agent.experiments.launchers.smpi.smpi import SmpiJobs

MOST_MEMORY: Final = 0.8
"""Share of this host's memory that a simulation may use unless the file says more."""


def simulation(loaded: Loaded) -> SmpiJobs:
    """Return the launcher that simulates the jobs of an experiment.

    Raises
    ------
    ToolMissing
        If SimGrid, or a compiler that the experiment names, is not installed.
    PlatformUnusable
        If the platform is none, or has too few hosts for some job.
    """
    chosen = loaded.experiment.launcher
    platform = platform_of(chosen.platform, loaded.path.parent)
    _check_size(loaded, platform)
    version = simgrid_version()
    steps = (loaded.experiment.prepare, loaded.experiment.compile)
    for step in steps:
        check_compilers(names_in(step.run) if step else frozenset())
    speed = chosen.host_speed
    if chosen.computation == "none":
        speed = "1Gf"  # of no consequence, but SimGrid warns without any
    elif speed == "auto":
        speed = f"{host_speed() / 1e9:.3g}Gf"
    return SmpiJobs(
        launcher=chosen,
        platform=platform,
        version=version,
        speed=speed,
        memory_limit=chosen.memory_limit or int(MOST_MEMORY * _memory()),
    )


def _check_size(loaded: Loaded, platform: Platform) -> None:
    most = max(configured.processes or 1 for configured in loaded.configured)
    if most > platform.hosts:
        raise PlatformUnusable(
            loaded.experiment.launcher.platform,
            f"it has {platform.hosts:,} hosts, and a job has {most:,} processes",
        )


def _memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
