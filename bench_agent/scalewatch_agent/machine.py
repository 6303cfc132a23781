"""The fingerprint of this machine: facts that change when it does."""

import os
import platform
from collections.abc import Iterator
from pathlib import Path

from scalewatch_agent.mpi.mpiexec import TRANSPORTS, Transport
from scalewatch_agent.processors import processors

CPUINFO = Path("/proc/cpuinfo")


def machine_name(transport: Transport) -> str:
    """Return the default name: each transport of a host is a machine of its own."""
    return f"{host_name()}-{transport}"


def host_name() -> str:
    """Return the name of this host, without its domain."""
    return platform.node().partition(".")[0] or "localhost"


def fingerprint(transport: Transport) -> dict[str, str | int]:
    """Return the facts that decide how fast this machine is, its name excepted."""
    return {
        "cpu": cpu_model(),
        "cores": processors(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "interconnect": TRANSPORTS[transport],
        "kernel": f"{platform.system()} {platform.release()}",
    }


def cpu_model() -> str:
    """Return the processor's name, or its architecture where it has none."""
    models = (value for key, value in _cpuinfo() if key in {"model name", "cpu", "CPU"})
    return next(models, platform.machine())


def _cpuinfo() -> Iterator[tuple[str, str]]:
    try:
        lines = CPUINFO.read_text(errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        key, _, value = line.partition(":")
        if value.strip():
            yield key.strip(), value.strip()
