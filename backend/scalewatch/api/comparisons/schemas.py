"""What comparisons, reports of changes and guidelines answer."""

from typing import Literal

from pydantic import Field

from scalewatch.api.http.schemas import Commit, Expectation, Schema, Settings, Standing


class SideBySide(Schema):
    """How a model differs from that of the first side."""

    growth: str = Field(examples=["p / log p"])
    factor: float | None
    crossing: float | None
    is_slower: bool


class Place(Schema):
    """A side of a row."""

    standing: Standing
    series_id: int | None
    against: SideBySide | None
    ratio: float | None
    at: float | None


class ComparedRow(Schema):
    """A region, with a place for each side."""

    region: str
    machine: str | None
    configuration: Settings
    unit: str
    parameter: str
    expectation: Expectation | None
    places: list[Place]


class Side(Schema):
    """A machine or a commit that is compared."""

    name: str
    slot: int
    missing: int


class ComparedSides(Schema):
    """Machines at a commit, or commits on machines, side by side; most apart first."""

    project: str
    kind: Literal["machine", "commit"]
    sides: list[Side]
    commit: Commit
    metric: str
    metrics: list[str]
    rows: list[ComparedRow]


class Guideline(Schema):
    """A region should not need more than others together."""

    region: str
    parts: list[str]


class GuidelineCheck(Schema):
    """Whether a guideline holds where measured, and where the models break it."""

    guideline: Guideline
    violated_at: list[float]
    violated_from: float | None
    growth: str
    allowed: str


class CheckedGuideline(Schema):
    """A guideline on one machine in one configuration."""

    guideline: Guideline
    series: int
    machine: str
    slot: int
    configuration: Settings
    parameter: str
    check: GuidelineCheck | None
    reason: str | None


class Rules(Schema):
    """The guidelines of a project: stated by somebody, or published."""

    guidelines: list[Guideline]
    is_declared: bool
    author: str
    reason: str | None


class GuidelineReport(Schema):
    """The guidelines of a project at a commit, worst first."""

    project: str
    commit: Commit
    metric: str
    metrics: list[str]
    rules: Rules
    checks: list[CheckedGuideline]


class Relative(Schema):
    """A parent or a child of a commit; `commit` is null where it was not measured."""

    sha: str
    commit: Commit | None


class Baseline(Schema):
    """The baseline of a commit."""

    id: int
    commit: Commit
    relation: Literal["asked for", "parent", "earlier"]
    unmeasured: list[str]


class Neighbours(Schema):
    """The commits before, after and around a commit."""

    older: Commit | None
    newer: Commit | None
    nearby: list[Commit]


class GrowthOdds(Schema):
    """Probability that a later version grows faster, or slower, than an earlier."""

    faster: float
    slower: float


ChangeKind = Literal[
    "new mismatch",
    "failed",
    "grows faster",
    "missing",
    "improvement",
    "new",
    "undecided",
    "unchanged",
]


class SeriesChange(Schema):
    """A series at two commits."""

    kind: ChangeKind
    series_id: int
    region: str
    metric: str
    unit: str
    machine: str
    slot: int
    configuration: Settings
    before: Standing
    after: Standing
    odds: GrowthOdds | None


class EnvironmentChange(Schema):
    """A fact of a machine, or a setting of its runs, that changed."""

    machine: str
    name: str
    before: str | None
    after: str | None


class CommitReport(Schema):
    """What a commit changed against a baseline, worst first."""

    project: str
    commit: Commit
    baseline: Baseline | None
    parents: list[Relative]
    children: list[Relative]
    neighbours: Neighbours
    metrics: list[str]
    machines: list[str]
    absent: list[str]
    changes: list[SeriesChange]
    environment: list[EnvironmentChange]
