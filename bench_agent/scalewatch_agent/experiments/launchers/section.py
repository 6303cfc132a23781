"""What starts the jobs of an experiment: this host's mpiexec, Slurm, or a simulator."""

import re
from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from scalewatch.wire import wrong
from scalewatch_agent.experiments.sections import Command, FileSection
from scalewatch_agent.mpi.installation import PACKAGES, REQUIREMENT
from scalewatch_agent.mpi.mpiexec import TRANSPORTS

BYTES: Final = {"MB": 10**6, "MiB": 2**20, "GB": 10**9, "GiB": 2**30}
_BYTES: Final = re.compile(rf"(\d+(?:\.\d+)?) ?({'|'.join(BYTES)})")
_SPEED: Final = re.compile(r"\d+(\.\d+)?(e\d+)?[kMGT]?f")

Collective = Literal[
    "allgather",
    "allgatherv",
    "allreduce",
    "alltoall",
    "alltoallv",
    "barrier",
    "bcast",
    "gather",
    "reduce",
    "reduce_scatter",
    "scatter",
]


def _bytes(value: object) -> object:
    match = _BYTES.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise wrong(f"write a number and one of {', '.join(BYTES)}, as 2 GiB")
    return int(float(match[1]) * BYTES[match[2]])


def _speed(value: str) -> str:
    if value != "auto" and not _SPEED.fullmatch(value):
        raise wrong("write auto, or operations a second, as 10Gf")
    return value


class Launcher(FileSection):
    """What starts the jobs: this host's mpiexec, Slurm, or SMPI, which simulates."""

    kind: Literal["local", "slurm", "smpi"] = "local"
    transport: Literal["shm", "tcp"] = "shm"
    mpi: str | None = None
    mpiexec: str | None = None
    # Slurm
    options: tuple[str, ...] = Field(default=(), strict=False)
    setup: Command | None = None
    srun_mpi: str | None = None
    at_once: int = Field(default=100, ge=1)
    poll: float = Field(default=10.0, gt=0)
    check_size: bool = True
    # SMPI
    platform: str = "torus"
    computation: Literal["measured", "none"] = "measured"
    host_speed: Annotated[str, AfterValidator(_speed)] = "auto"
    collectives: dict[Collective, str] = Field({})
    memory_limit: Annotated[int, BeforeValidator(_bytes)] | None = None

    @field_validator("mpi")
    @classmethod
    def _is_exact(cls, mpi: str | None) -> str | None:
        match = REQUIREMENT.fullmatch(mpi) if mpi else None
        if mpi is not None and (match is None or match["name"] not in PACKAGES):
            names = ", ".join(PACKAGES)
            raise wrong(f"write NAME==VERSION, NAME being one of {names}")
        return mpi

    @property
    def algorithms(self) -> Mapping[str, str]:
        """The algorithms of collectives that the file chooses."""
        return {str(name): algorithm for name, algorithm in self.collectives.items()}

    @property
    def interconnect(self) -> str:
        """What connects the processes of this host."""
        return TRANSPORTS[self.transport]
