"""What the bench agent sends: the only module that agent and server share.

A report is strict: a field of another type, an unknown field, NaN or infinity is
refused with the name of the field.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Final, Literal, Self
from uuid import UUID

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

UNITS: Final[Mapping[str, Mapping[str, float]]] = {
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9},
    "memory": {
        "B": 1.0,
        "kB": 1e3,
        "MB": 1e6,
        "GB": 1e9,
        "KiB": 2.0**10,
        "MiB": 2.0**20,
        "GiB": 2.0**30,
    },
    "bytes": {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9},
    "flops": {"flop": 1.0, "Mflop": 1e6, "Gflop": 1e9},
}
"""Known metrics: their units, each with its size in the first one."""

COUNTED_PARAMETERS: Final = frozenset({"p", "n", "threads", "nodes"})
"""Parameters that count things, hence whole numbers from 1."""

Name = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f/?#]+$"),
]
"""A name that can stand in a URL path once it is percent-encoded."""

Sha = Annotated[
    str, StringConstraints(min_length=1, max_length=64, pattern=r"^[0-9A-Za-z._+-]+$")
]
"""A commit hash or a release tag."""

Finite = Annotated[float, Field(allow_inf_nan=False)]
Setting = int | Finite
Text = Annotated[str, StringConstraints(max_length=10_000)]


class Report(BaseModel):
    """Base of everything an agent sends."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, validate_by_name=True
    )


class Commit(Report):
    """The version of the code that was measured."""

    sha: Sha = Field(examples=["v5.0.2"])
    parents: tuple[Sha, ...] = ()
    branch: Name | None = None
    committed_at: datetime | None = None
    message: Text | None = None
    tag: Name | None = None


class Machine(Report):
    """The platform it ran on; a changed fingerprint is a new state of the machine."""

    name: Name = Field(examples=["jureca"])
    fingerprint: dict[Name, str | bool | int | Finite | None] = {}


class Job(Report):
    """How the scheduler, or the agent itself, ran it."""

    scheduler: Name | None = None
    id: Text | None = None
    nodes: Annotated[int, Field(ge=1)] | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None


class Procedure(Report):
    """How the repetitions of a result were taken."""

    synchronisation: Literal["window", "round-time", "barrier", "none"] = "none"
    oversubscribed: bool = Field(
        default=False, description="More processes than cores."
    )
    repetitions_asked: Annotated[int, Field(ge=1)] | None = None
    warm_ups: Annotated[int, Field(ge=0)] | None = None
    late: Annotated[int, Field(ge=0)] | None = Field(
        None, description="Repetitions discarded because a process started late."
    )
    clock_error: Annotated[Finite, Field(ge=0)] | None = Field(
        None, description="Largest uncertainty of a clock offset, in seconds."
    )


class Result(Report):
    """All repetitions of one metric of one region."""

    region: Name = Field(examples=["MPI_Allreduce"])
    metric: Name = Field(examples=["time"])
    unit: Annotated[str, StringConstraints(max_length=40)] = Field(examples=["s"])
    better: Literal["lower", "higher"] = "lower"
    values: Annotated[
        tuple[Finite, ...], Field(description="One number per repetition.")
    ] = ()
    status: Literal["ok", "failed"] = "ok"
    reason: Text | None = Field(None, description="Why it failed, in words.")
    procedure: Procedure | None = None

    @model_validator(mode="after")
    def _is_known_unit(self) -> Self:
        known = UNITS.get(self.metric)
        if known is not None and self.unit not in known:
            raise ValueError(
                f"unit {self.unit!r} is unknown for metric {self.metric!r}; "
                f"known are {', '.join(known)}"
            )
        return self

    @model_validator(mode="after")
    def _has_sound_values_unless_failed(self) -> Self:
        if self.status == "ok" and not self.values:
            raise ValueError("values are empty; a result that is ok needs at least one")
        if self.metric in UNITS and any(value < 0 for value in self.values):
            raise ValueError(f"values hold a negative {self.metric}")
        if self.status == "failed" and not self.reason:
            raise ValueError("reason is missing; a failed result says why")
        return self


class RunReport(Report):
    """One execution of a suite: a commit on a machine at one coordinate."""

    schema_version: Literal[1] = Field(alias="schema")
    id: UUID = Field(description="Made by the agent; makes posting idempotent.")
    project: Name = Field(examples=["mpich"])
    suite: Name = Field(examples=["mpi-collectives"])
    commit: Commit
    machine: Machine
    coordinate: Annotated[dict[Name, Setting], Field(min_length=1)]
    configuration: dict[Name, str | bool | int | Finite] = {}
    job: Job | None = None
    results: Annotated[tuple[Result, ...], Field(min_length=1)]

    @field_validator("coordinate")
    @classmethod
    def _is_positive(cls, coordinate: dict[str, Setting]) -> dict[str, Setting]:
        for parameter, setting in coordinate.items():
            if setting <= 0:
                raise ValueError(f"{parameter} is {setting}; it must be positive")
            if parameter in COUNTED_PARAMETERS and setting != int(setting):
                raise ValueError(f"{parameter} is {setting}; it must be a whole number")
        return coordinate

    @model_validator(mode="after")
    def _names_each_result_once(self) -> Self:
        seen = set()
        for result in self.results:
            if (key := (result.region, result.metric)) in seen:
                raise ValueError(f"results hold {' · '.join(key)} more than once")
            seen.add(key)
        return self
