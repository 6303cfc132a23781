"""What the configuration route answers, as the API documents it."""

from typing import Literal

from pydantic import Field

from scalewatch.api.http.schemas import Commit, Schema, Settings

Level = str | bool | int | float | None


class Question(Schema):
    """What is looked for."""

    objective: Literal["area", "growth", "correlation", "time"]
    kind: Literal["strong", "weak"]
    target: float | None
    size: float | None
    constraints: dict[str, list[str]]
    declared: dict[str, list[str]]


class TriedConfiguration(Schema):
    """A configuration and its objective; smaller is better."""

    settings: Settings
    value: float | None
    reason: str | None


class Trial(Schema):
    """A configuration whose objective is known."""

    settings: Settings
    value: float


class LevelEffect(Schema):
    """What a setting does at one of its levels."""

    level: Level
    mean: float
    best: float
    count: int


class MainEffect(Schema):
    """What one setting does by itself."""

    setting: str
    levels: list[LevelEffect]
    share: float = Field(description="Of the variation that only it explains.")
    confounded_with: list[str]


class Interaction(Schema):
    """What two settings do together, beyond what each does by itself."""

    settings: tuple[str, str]
    levels: tuple[list[Level], list[Level]]
    means: list[list[float | None]]
    share: float | None


class Effects(Schema):
    """Which settings matter."""

    trials: list[Trial]
    main: list[MainEffect]
    interactions: list[Interaction]
    unexplained: float


class ConfigurationSearch(Schema):
    """The best configuration of a region, and which of its settings matter."""

    project: str
    region: str
    regions: list[str]
    commit: Commit
    commits: list[Commit]
    machine: str
    machines: list[str]
    question: Question
    space: dict[str, list[str]]
    tried: list[TriedConfiguration]
    effects: Effects | None
    reason: str | None
    missing: list[dict[str, str]]
    missing_count: int
