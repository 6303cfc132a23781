"""What the scaling-error route answers, as the API documents it."""

from typing import Literal

from pydantic import Field

from scalewatch.api.http.schemas import Commit, Coordinate, Schema, Settings

Kind = Literal["strong", "weak"]
Origin = Literal["measured", "modelled", "extrapolated"]


class Question(Schema):
    """What was asked."""

    kind: Kind
    size: float | None
    base: float | None
    source: Literal["measured", "model"]
    reach: float | None
    vs: str | None


class ScalingErrors(Schema):
    """A or B: errors[i][j] is between n₁ = scales[i] and n₂ = scales[j]."""

    kind: Kind
    size: float | None
    scales: list[float]
    errors: list[list[float | None]]
    is_modelled: bool
    is_extrapolated: list[list[bool]]


class SpeedUp(Schema):
    """How much faster a code is at each scale than at the base."""

    base: float
    scales: list[float]
    speed_up: list[float | None]
    efficiency: list[float | None]
    serial_fraction: list[float | None] = Field(description="Of Karp and Flatt.")


class RowPoint(Schema):
    """Everything about n₁ → n₂."""

    n2: float
    error: float
    speed_up: float
    efficiency: float
    serial_fraction: float | None
    origin: Origin


class Divergence(Schema):
    """How quickly the error grows; larger is worse."""

    metric: Literal["area", "growth", "correlation"]
    value: float | None
    reason: str | None
    growth: str | None


class NeededRun(Schema):
    """A run that weak scaling lacks."""

    scale: float
    size: float
    pairs: int


class WeakGaps(Schema):
    """Which pairs weak scaling lacks."""

    runs: list[NeededRun]
    missing: list[tuple[float, float]]
    indivisible: list[tuple[float, float]]


class CodeScaling(Schema):
    """Scaling errors on one machine in one configuration, or why there are none."""

    machine: str
    slot: int
    configuration: Settings
    held: Coordinate
    size: float | None
    sizes: list[float]
    scales: list[float]
    errors: ScalingErrors | None
    speed_up: SpeedUp | None
    row: list[RowPoint]
    divergences: list[Divergence]
    gaps: WeakGaps | None
    reason: str | None


class RegionScaling(Schema):
    """The scaling errors of a region at a commit."""

    project: str
    region: str
    regions: list[str]
    commit: Commit
    commits: list[Commit]
    machines: list[str]
    question: Question
    scalings: list[CodeScaling]
    chosen: CodeScaling
    other: CodeScaling | None
    alternatives: dict[str, str]
    choices: dict[str, list[str | bool | int | float | None]]
