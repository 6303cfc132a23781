"""The machine: its name, its processors, and facts that change when it does.

`python -m scalewatch_agent.machine` prints facts and surroundings as JSON, on whichever
node that runs.
"""

import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

Facts = dict[str, str | int | bool]

COMPILERS: Final = ("mpicc", "cc", "gcc", "clang", "icx", "nvc")
SLURM: Final = re.compile(
    r"SLURM_(?:CLUSTER_NAME|CPUS_PER_TASK|JOB_ACCOUNT|JOB_CPUS_PER_NODE|JOB_ID|"
    r"JOB_NAME|JOB_NODELIST|JOB_NUM_NODES|JOB_PARTITION|JOB_QOS|MEM_PER_CPU|"
    r"MEM_PER_NODE|NPROCS|NTASKS|NTASKS_PER_NODE|RESTART_COUNT|ARRAY_JOB_ID|"
    r"ARRAY_TASK_ID|TASKS_PER_NODE|JOB_CONSTRAINT)"
)
"""Variables that describe a job; others name people, or hold credentials."""

OPENMP: Final = re.compile(r"OMP_[A-Z_]+|KMP_AFFINITY")
PATIENCE: Final = 10
LONGEST: Final = 2000

CPUINFO: Final = Path("/proc/cpuinfo")
TOPOLOGY: Final = Path("/sys/devices/system/cpu")


def machine_name(transport: str) -> str:
    """Return the default name: each transport of a host is a machine of its own."""
    return f"{host_name()}-{transport}"


def host_name() -> str:
    """Return the name of this host, without its domain."""
    return platform.node().partition(".")[0] or "localhost"


def processors() -> int:
    """Return how many processes run here without taking turns."""
    return len(os.sched_getaffinity(0))


def physical_cores() -> int:
    """Return the cores behind them; hardware threads of a core count once.

    Where the system does not tell, each processor counts as a core.
    """
    return len({_siblings(cpu) for cpu in os.sched_getaffinity(0)})


def fingerprint(interconnect: str) -> Facts:
    """Return the facts that decide how fast this machine is, its name excepted."""
    return {
        "cpu": cpu_model(),
        "cores": processors(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "interconnect": interconnect,
        "kernel": f"{platform.system()} {platform.release()}",
    }


def hardware() -> Facts:
    """Return the facts of this node, its fast networks and its compiler among them."""
    facts = fingerprint(", ".join(_fabrics()))
    if not facts["interconnect"]:
        del facts["interconnect"]
    if version := compiler():
        facts["compiler"] = version
    return facts


def surroundings(variables: Mapping[str, str] = os.environ) -> Facts:
    """Return what may differ from job to job: modules, scheduler, OpenMP."""
    facts: Facts = {
        name: value[:LONGEST]
        for name, value in sorted(variables.items())
        if SLURM.fullmatch(name) or OPENMP.fullmatch(name)
    }
    if modules := variables.get("LOADEDMODULES"):
        facts["modules"] = modules.replace(":", " ")[:LONGEST]
    return facts


@cache
def compiler() -> str | None:
    """Return the first line in which the compiler on PATH names its version."""
    for name in COMPILERS:
        if program := shutil.which(name):
            line = _first_line([program, "--version"])
            if line:
                return line
    return None


def cpu_model() -> str:
    """Return the processor's name, or its architecture where it has none."""
    models = (value for key, value in _cpuinfo() if key in {"model name", "cpu", "CPU"})
    return next(models, platform.machine())


def main() -> None:
    """Print what this node is, and what the job finds around itself."""
    print(json.dumps({"hardware": hardware(), "surroundings": surroundings()}))  # noqa: T201 - a program of its own


def _siblings(cpu: int) -> str:
    path = TOPOLOGY / f"cpu{cpu}/topology/thread_siblings_list"
    try:
        return path.read_text().strip()
    except OSError:
        return str(cpu)


def _fabrics(root: Path = Path("/sys/class")) -> Iterator[str]:
    """Yield the fast networks of this node, as the kernel names them."""
    for device in sorted((root / "infiniband").glob("*")):
        rate = _content(next(iter(sorted(device.glob("ports/*/rate"))), None))
        yield " ".join(filter(None, ("InfiniBand", device.name, rate)))
    for kind, title in (("hfi1", "Omni-Path"), ("cxi", "Slingshot")):
        yield from (f"{title} {device.name}" for device in (root / kind).glob("*"))


def _content(path: Path | None) -> str:
    try:
        return path.read_text().strip() if path else ""
    except OSError:
        return ""


def _first_line(command: list[str]) -> str | None:
    try:
        answer = subprocess.run(  # noqa: S603 - a compiler found on PATH
            command,
            capture_output=True,
            check=False,
            errors="replace",
            timeout=PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = answer.stdout.splitlines()
    return lines[0].strip()[:200] if answer.returncode == 0 and lines else None


def _cpuinfo() -> Iterator[tuple[str, str]]:
    try:
        lines = CPUINFO.read_text(errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        key, _, value = line.partition(":")
        if value.strip():
            yield key.strip(), value.strip()


if __name__ == "__main__":
    main()
