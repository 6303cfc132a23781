"""What the hotspot route answers, as the API documents it."""

from typing import Literal

from pydantic import Field

from scalewatch.api.http.schemas import Commit, Schema, Settings


class Question(Schema):
    """What was asked."""

    over: str | None
    held: str | None
    against: Literal["previous", "first"]
    correction: Literal["holm", "benjamini-hochberg"]
    unit: float | None
    at: str | None
    vs: str | None


class Difference(Schema):
    """Differences between two profiles."""

    chi2: float
    degrees_of_freedom: int
    p_value: float = Field(description="As the reference prints it, 1 for alike.")
    tau: float
    only_first: list[str]
    only_second: list[str]


class Step(Schema):
    """Two profiles of a scan, compared."""

    before: float | str
    after: float | str
    difference: Difference
    corrected_p_value: float
    is_significant: bool


class Movement(Schema):
    """A function in two profiles."""

    function: str
    before: float
    after: float
    share_before: float
    share_after: float
    chi2: float


class HotspotScan(Schema):
    """One scan, compared step by step, or why that cannot be done."""

    machine: str
    held: Settings
    label: str
    runs: int
    settings: list[float | str]
    functions: list[str]
    seconds: list[list[float]]
    unit: float | None = Field(description="Seconds that count as one in χ².")
    steps: list[Step]
    reason: str | None


class Hotspots(Schema):
    """How the profiles of a commit change along a scan."""

    project: str
    commit: Commit | None
    commits: list[Commit]
    machines: list[str]
    question: Question
    overs: list[str]
    scans: list[str]
    chosen: HotspotScan | None
    other: HotspotScan | None
    alternatives: dict[str, str]
    step: Step | None
    movements: list[Movement]
