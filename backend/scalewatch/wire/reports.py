"""Reports of runs, as the bench agent sends them.

A report is strict: a field of another type, an unknown field, NaN or infinity is
refused with the name of the field.
"""

from typing import Annotated, Final, Literal, Self
from uuid import UUID

from pydantic import (
    BaseModel,
    ConfigDict,
    FailFast,
    Field,
    field_validator,
    model_validator,
)

from scalewatch.wire.fields import (
    UNITS,
    Count,
    Direction,
    Duration,
    Fact,
    Finite,
    Moment,
    Name,
    PersonName,
    Quantity,
    Ref,
    Repository,
    Setting,
    Sha,
    Text,
    Unit,
    kept_unit,
    wrong,
)

MOST_RESULTS: Final = 100_000
"""Results of one run; more of them are several runs."""

COUNTED_PARAMETERS: Final = frozenset({"p", "n", "threads", "nodes"})
"""Parameters that count things, hence whole numbers from 1."""


class Report(BaseModel):
    """Base of everything an agent sends."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, validate_by_name=True
    )


class Commit(Report):
    """The version of the code that was measured."""

    sha: Sha = Field(examples=["v5.0.2"])
    parents: Annotated[tuple[Sha, ...], Field(max_length=100)] = ()
    branch: Ref | None = Field(None, examples=["feature/faster-halo"])
    committed_at: Moment | None = None
    message: Text | None = None
    tag: Ref | None = None
    author: PersonName | None = Field(None, examples=["Ada Lovelace"])
    repository: Repository | None = Field(
        None,
        description="Where the code lies, without user and password; pages link there.",
        examples=["https://github.com/pmodels/mpich"],
    )


class Machine(Report):
    """The platform it ran on; parts of its fingerprint that matter tell its states."""

    name: Name = Field(examples=["jureca"])
    fingerprint: Annotated[dict[Name, Fact], Field(max_length=200)] = {}
    provenance: Text | None = Field(
        None,
        description="Where its numbers come from, if nobody measured them there: "
        "a simulation, a published model. Every page of the project shows it.",
    )


class Job(Report):
    """How the scheduler, or the agent itself, ran it."""

    scheduler: Name | None = None
    id: Text | None = None
    nodes: Annotated[Count, Field(ge=1)] | None = None
    started_at: Moment | None = None
    ended_at: Moment | None = None
    environment: Annotated[dict[Name, Fact], Field(max_length=200)] = Field(
        {}, description="What the job found there: modules, scheduler variables, …"
    )


class Procedure(Report):
    """How the repetitions of a result were taken."""

    synchronisation: Literal["window", "round-time", "barrier", "none"] = "none"
    oversubscribed: bool = Field(
        default=False, description="More processes, or threads, than cores."
    )
    disturbed: bool = Field(
        default=False,
        description="Others took processors that the job wanted while it was measured.",
    )
    repetitions_asked: Annotated[Count, Field(ge=1)] | None = None
    warm_ups: Count | None = None
    late: Count | None = Field(
        None, description="Repetitions discarded because a process started late."
    )
    valid_share: Annotated[Finite, Field(ge=0, le=1)] | None = Field(
        None, description="Repetitions that started in time, out of all that were made."
    )
    clock_error: Duration | None = Field(
        None, description="Largest uncertainty of a clock offset, in seconds."
    )
    loop: Literal["compiled", "interpreted"] | None = Field(
        None, description="What repeated the operation: C, or Python."
    )
    timer_overhead: Duration | None = Field(
        None, description="One reading of the clock; every repetition contains it."
    )
    call_overhead: Duration | None = Field(
        None, description="What an empty operation takes in that loop beside the timer."
    )
    python_overhead: Duration | None = Field(
        None, description="What a call takes longer from Python than from C."
    )
    uncertainty: Duration | None = Field(
        None,
        description="Half the 95 % interval of the median, in the result's unit, of "
        "differences such as the overhead of a construct.",
    )
    caveats: Annotated[
        tuple[Literal["clock", "interpreted"], ...],
        Field(
            description="Doubts: the clocks' error is a large share of the latency; "
            "a short operation was repeated by an interpreter."
        ),
    ] = ()


class Location(Report):
    """Where a region lies in the source; its name holds no line, which moves."""

    file: Text | None = Field(None, examples=["sweep.c"])
    line: Annotated[Count, Field(ge=1)] | None = None
    function: Text | None = None
    call_path: Text | None = None


class Result(Report):
    """All repetitions of one metric of one region."""

    region: Name = Field(examples=["MPI_Allreduce"])
    metric: Name = Field(examples=["time"])
    unit: Unit = Field(examples=["s"])
    better: Direction | None = Field(
        None,
        description="Which way is better. Unless given, as recorded before, or as the "
        "unit says: of rates, such as B/s, higher; of all else, lower.",
    )
    exact: bool = Field(
        default=False,
        description="Whether the values are exact, such as counts of messages, so that "
        "one repetition tells them.",
    )
    values: Annotated[
        tuple[Quantity, ...],
        FailFast(),
        Field(description="One number per repetition."),
    ] = ()
    status: Literal["ok", "failed"] = "ok"
    reason: Text | None = Field(None, description="Why it failed, in words.")
    procedure: Procedure | None = None
    location: Location | None = None

    @model_validator(mode="after")
    def _is_known_unit(self) -> Self:
        known = UNITS.get(self.metric, ())
        if known and kept_unit(self.metric, self.unit)[0] not in known:
            names = ", ".join(known)
            raise wrong(
                f"{self.unit!r} is no unit of {self.metric!r}; known are {names}",
                field="unit",
            )
        return self

    @model_validator(mode="after")
    def _has_sound_values_unless_failed(self) -> Self:
        if self.status == "ok" and not self.values:
            raise wrong("a result that is ok needs a value", field="values")
        if self.metric in UNITS and min(self.values, default=0.0) < 0:
            raise wrong(f"a {self.metric} is negative", field="values")
        if self.status == "failed" and not self.reason:
            raise wrong("a failed result says why", field="reason")
        return self


class FunctionTime(Report):
    """The time of one function in a run: seconds, or its share of the total."""

    region: Name = Field(examples=["exchange_halo"])
    seconds: Annotated[Quantity, Field(ge=0)] | None = None
    proportion: Annotated[Finite, Field(ge=0, le=1)] | None = None


class Profile(Report):
    """Where the time of a run went, function by function."""

    total_seconds: Annotated[Quantity, Field(gt=0)] | None = Field(
        None, description="What proportions are shares of."
    )
    functions: Annotated[tuple[FunctionTime, ...], Field(max_length=10_000)]

    @model_validator(mode="after")
    def _times_each_function_once(self) -> Self:
        names = set()
        for position, function in enumerate(self.functions):
            field = f"functions.{position}"
            if function.region in names:
                message = f"{function.region} is there more than once"
                raise wrong(message, field=f"{field}.region")
            names.add(function.region)
            if function.seconds is None and (
                function.proportion is None or self.total_seconds is None
            ):
                raise wrong(
                    "a function takes seconds, or a proportion of total_seconds",
                    field=f"{field}.seconds",
                )
        return self

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        together = sum(self.seconds.values())
        if not together:
            raise wrong("no function took any time", field="functions")
        if self.total_seconds is not None and together > 1.001 * self.total_seconds:
            raise wrong(
                f"the functions took {together:g} s of {self.total_seconds:g} s: "
                "exclusive times are expected, without those of called functions",
                field="functions",
            )
        return self

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds of each function, by region."""
        return {
            function.region: function.seconds
            if function.seconds is not None
            else (function.proportion or 0.0) * (self.total_seconds or 0.0)
            for function in self.functions
        }


class RunReport(Report):
    """One execution of a suite: a commit on a machine at one coordinate."""

    schema_version: Literal[1] = Field(alias="schema")
    id: UUID = Field(description="Made by the agent; makes posting idempotent.")
    project: Name = Field(examples=["mpich"])
    suite: Name = Field(examples=["mpi-collectives"])
    commit: Commit
    machine: Machine
    coordinate: Annotated[dict[Name, Setting], Field(min_length=1, max_length=20)]
    configuration: Annotated[dict[Name, Fact], Field(max_length=200)] = {}
    dependent: Annotated[dict[Name, Setting], Field(max_length=20)] = Field(
        {}, description="Settings that follow from the coordinate: nodes beside p."
    )
    job: Job | None = None
    results: Annotated[
        tuple[Result, ...], FailFast(), Field(max_length=MOST_RESULTS)
    ] = ()
    profile: Profile | None = None

    @field_validator("coordinate")
    @classmethod
    def _is_positive(cls, coordinate: dict[str, Setting]) -> dict[str, Setting]:
        for parameter, setting in coordinate.items():
            if setting <= 0:
                raise wrong(f"{setting} is not positive", field=parameter)
            if parameter in COUNTED_PARAMETERS and setting != int(setting):
                raise wrong(f"{setting} is not a whole number", field=parameter)
        return coordinate

    @model_validator(mode="after")
    def _brings_something(self) -> Self:
        if not self.results and self.profile is None:
            raise wrong("a run brings at least one result", field="results")
        return self

    @model_validator(mode="after")
    def _names_each_result_once(self) -> Self:
        seen = set()
        for position, result in enumerate(self.results):
            if (key := (result.region, result.metric)) in seen:
                raise wrong(
                    f"{' · '.join(key)} is there more than once",
                    field=f"results.{position}.region",
                )
            seen.add(key)
        return self
