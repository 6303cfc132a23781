"""What the overview of projects, the match table and a run answer."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from scalewatch.api.comparisons.schemas import Baseline, ChangeKind, Neighbours
from scalewatch.api.http.schemas import (
    Commit,
    Coordinate,
    Expectation,
    Schema,
    Setting,
    Settings,
    Standing,
    Verdict,
)


class Cell(Schema):
    """A region on a machine."""

    machine: str
    standing: Standing
    configuration: Settings
    flags: dict[str, list[float]]
    series: int | None
    change: ChangeKind | None
    broken: list[str]


class Row(Schema):
    """A region's metric, with a cell for each machine of the table."""

    region: str
    metric: str
    configuration: Settings
    unit: str
    expectation: Expectation | None
    cells: list[Cell]


class Column(Schema):
    """A machine of the table."""

    machine: str
    slot: int
    counts: dict[Verdict, int]
    configuration: Settings


class SuspectCell(Schema):
    """A cell that a suspicion would explain."""

    region: str
    machine: str
    growth: str
    expectation: str
    verdict: Verdict


class Suspicion(Schema):
    """Whom to suspect where regions diverge, and what that would explain."""

    suspect: Literal["platform", "library"]
    subject: str
    sentence: str
    cells: list[SuspectCell]


class MatchTable(Schema):
    """Regions × machines at a commit, for one metric; worst first."""

    project: str
    commit: Commit
    neighbours: Neighbours
    baseline: Baseline | None
    metric: str
    metrics: list[str]
    choices: dict[str, list[Setting]]
    chosen: dict[str, str]
    fixed: Settings
    columns: list[Column]
    rows: list[Row]
    suspicions: list[Suspicion]


class Seen(Schema):
    """A machine, when it last sent a run, and how many it sent."""

    machine: str
    slot: int
    last_run_at: datetime
    runs: int


class Concern(Schema):
    """A series that needs attention, and machines on which it fares alike."""

    region: str
    metric: str
    machine: str
    others: list[str] = Field(description="Further machines with the same verdict.")
    configuration: Settings
    standing: Standing


class Project(Schema):
    """A project at its newest commit."""

    name: str
    commit: Commit | None
    commits: int
    baseline: Baseline | None
    changes: dict[ChangeKind, int]
    regions: int
    counts: dict[Verdict, int]
    pending: int
    machines: list[Seen]
    concerns: list[Concern]
    more: int


class Projects(Schema):
    """All projects by name."""

    projects: list[Project]


class Result(Schema):
    """One metric of one region, summarised over its repetitions."""

    region: str
    metric: str
    unit: str
    count: int
    asked: int | None
    minimum: float | None
    low: float | None
    middle: float | None
    high: float | None
    q95: float | None
    synchronisation: str | None
    late: int | None
    flags: list[str]
    reason: str | None
    repetitions: list[float]


class Run(Schema):
    """One execution of a suite."""

    uuid: UUID
    project: str
    commit: Commit
    machine: str
    suite: str
    coordinate: Coordinate
    configuration: Settings
    fingerprint: Settings
    job: dict[str, Any]
    received_at: datetime
    results: list[Result]
    profile: dict[str, float]
