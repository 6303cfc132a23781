"""The environment of a job: compiler, network, modules, scheduler variables.

`python -m scalewatch_agent.environment` prints it as JSON, on whichever node that runs.
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

from scalewatch_agent.machine import cpu_model
from scalewatch_agent.processors import processors

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


def hardware() -> Facts:
    """Return the facts that decide how fast this node is."""
    facts: Facts = {
        "cpu": cpu_model(),
        "cores": processors(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": f"{platform.system()} {platform.release()}",
    }
    network = ", ".join(_fabrics())
    if network:
        facts["interconnect"] = network
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


def main() -> None:
    """Print what this node is, and what the job finds around itself."""
    print(json.dumps({"hardware": hardware(), "surroundings": surroundings()}))  # noqa: T201 - a program of its own


if __name__ == "__main__":
    main()
