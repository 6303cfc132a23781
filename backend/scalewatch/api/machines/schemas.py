"""What the machine-line route answers, as the API documents it."""

from typing import Any

from pydantic import Field

from scalewatch.api.http.schemas import Commit, Schema, Settings


class Estimate(Schema):
    """A number and its interval; null where nothing tells."""

    value: float
    low: float | None
    high: float | None


class MachineLine(Schema):
    """How the time grows with the problem size on one machine."""

    machine: str
    sizes: list[float]
    times: list[float]
    line: dict[str, Any] = Field(description="Intercept, slope, covariance and R².")
    intercept: Estimate
    slope: Estimate
    finding: dict[str, Any] = Field(description="The growth that fits best.")
    line_error: float
    growth_error: float | None


class PlacedLine(Schema):
    """The line of a machine, or why there is none."""

    machine: str
    slot: int
    configuration: Settings
    line: MachineLine | None
    reason: str | None


class MachinePair(Schema):
    """Two machines compared."""

    first: MachineLine
    second: MachineLine
    slope_difference: Estimate
    intercept_difference: Estimate
    slope_p_value: float | None
    intercept_p_value: float | None
    crossing: Estimate | None
    growth_crossing: float | None


class MachineLines(Schema):
    """Machines compared by the time of a region over the problem size."""

    project: str
    region: str
    regions: list[str]
    commit: Commit
    commits: list[Commit]
    unit: str
    scale: float | None
    scales: list[float]
    choices: dict[str, list[str | bool | int | float | None]]
    lines: list[PlacedLine]
    pairs: list[MachinePair]
    sentences: list[str]
    reason: str | None
