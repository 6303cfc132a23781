"""The machine: its name, its processors, and facts that change when it does.

`python -m scalewatch_agent.machine` prints facts and surroundings as JSON, on whichever
node that runs.
"""

import json
import os
import platform
import re
import shutil
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from scalewatch_agent.programs import answer_of

Facts = dict[str, str | int | bool]

COMPILERS: Final = ("mpicc", "cc", "gcc", "clang", "icx", "nvc")
SLURM: Final = re.compile(
    r"SLURM_(?:CLUSTER_NAME|CPUS_PER_TASK|JOB_ACCOUNT|JOB_CPUS_PER_NODE|JOB_ID|"
    r"JOB_NAME|JOB_NODELIST|JOB_NUM_NODES|JOB_OVERSUBSCRIBE|JOB_PARTITION|JOB_QOS|"
    r"MEM_PER_CPU|"
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
    siblings = (
        _content(TOPOLOGY / f"cpu{cpu}/topology/thread_siblings_list") or str(cpu)
        for cpu in os.sched_getaffinity(0)
    )
    return len(set(siblings))


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
            answer = answer_of([program, "--version"], PATIENCE)
            if answer.returncode == 0 and (lines := answer.stdout.splitlines()):
                return lines[0].strip()[:200]
    return None


def cpu_model() -> str:
    """Return the processor's name, or its architecture where it has none."""
    for line in _content(CPUINFO).splitlines():
        key, _, value = line.partition(":")
        if key.strip() in {"model name", "cpu", "CPU"} and value.strip():
            return value.strip()
    return platform.machine()


def main() -> None:
    """Print what this node is, and what the job finds around itself."""
    print(json.dumps({"hardware": hardware(), "surroundings": surroundings()}))  # noqa: T201 - a program of its own


def _fabrics(root: Path = Path("/sys/class")) -> Iterator[str]:
    """Yield the fast networks of this node, as the kernel names them."""
    for device in sorted((root / "infiniband").glob("*")):
        rate = next(map(_content, sorted(device.glob("ports/*/rate"))), "")
        yield " ".join(filter(None, ("InfiniBand", device.name, rate)))
    for kind, title in (("hfi1", "Omni-Path"), ("cxi", "Slingshot")):
        yield from (f"{title} {device.name}" for device in (root / kind).glob("*"))


def _content(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


if __name__ == "__main__":
    main()
