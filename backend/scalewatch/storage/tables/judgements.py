"""Expectations, models, their verdicts, and what histories tell."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column

from scalewatch.storage.tables.base import Remark, Table, now


class Expectation(Table):
    """A version of the growth that the authors expect of a region's metric.

    That is a growth, or the formula of a model composed of other regions.
    """

    __tablename__ = "expectation"
    __table_args__ = (UniqueConstraint("project_id", "region", "metric", "version"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    region: Mapped[str]
    metric: Mapped[str]
    version: Mapped[int]
    growth: Mapped[str | None]  # None: withdrawn by this version, or composed
    deviation_limit: Mapped[str | None]  # None: the default for this growth
    formula: Mapped[str | None]  # None: a growth, or withdrawn
    author: Mapped[str]
    reason: Mapped[str | None]
    declared_at: Mapped[datetime] = mapped_column(default=now)


class Guidelines(Table):
    """A version of the rules between regions that a project keeps."""

    __tablename__ = "guidelines"

    project_id: Mapped[int] = mapped_column(
        ForeignKey("project.id", ondelete="cascade"), primary_key=True
    )
    version: Mapped[int] = mapped_column(primary_key=True)
    rules: Mapped[list[Any]]  # as text, such as f ⪯ g + h
    author: Mapped[str]
    reason: Mapped[str | None]
    declared_at: Mapped[datetime] = mapped_column(default=now)


class GateRules(Table):
    """A version of what a project's gate minds, and of the scale that matters.

    `rules` holds what all regions share and, below `regions`, what differs;
    `target` the settings at which effects are told.
    """

    __tablename__ = "gate_rules"

    project_id: Mapped[int] = mapped_column(
        ForeignKey("project.id", ondelete="cascade"), primary_key=True
    )
    version: Mapped[int] = mapped_column(primary_key=True)
    rules: Mapped[dict[str, Any]]
    target: Mapped[dict[str, Any]]
    author: Mapped[str]
    reason: Mapped[str | None]
    declared_at: Mapped[datetime] = mapped_column(default=now)


class Model(Table):
    """The performance model of a series at a commit, or why there is none.

    `terms` holds a pair for each term, coefficient and growth. `fit` is JSON: formulas
    of exact counts, and how far the model misses its measurements. As for points, what
    may be missing is null in few rows.
    """

    __tablename__ = "model"

    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"), primary_key=True)
    series_id: Mapped[int] = mapped_column(ForeignKey("series.id"), primary_key=True)
    modelled_at: Mapped[datetime] = mapped_column(default=now)
    points: Mapped[int]
    repetitions: Mapped[int]
    constant: Mapped[float | None]
    adjusted_r2: Mapped[float | None]
    smape: Mapped[float | None]
    rule: Mapped[str]
    growth: Mapped[str | None]
    terms: Mapped[list[Any]]
    reason: Mapped[str | None] = mapped_column(
        Remark, nullable=False, server_default=""
    )
    fit: Mapped[str | None] = mapped_column(Remark, nullable=False, server_default="")


class Probabilities(Table):
    """How probable growths and verdicts are, see `storage.probabilities`.

    Of all series that a machine measured of a commit, as they are analysed together:
    what is said of one is said with other numbers of the next.
    """

    __tablename__ = "probabilities"

    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"), primary_key=True)
    machine_id: Mapped[int] = mapped_column(ForeignKey("machine.id"), primary_key=True)
    blob: Mapped[bytes] = mapped_column(LargeBinary)


class Assumption(Table):
    """The noise that models of a machine's metric assume at a commit."""

    __tablename__ = "assumption"

    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"), primary_key=True)
    machine_id: Mapped[int] = mapped_column(ForeignKey("machine.id"), primary_key=True)
    metric: Mapped[str] = mapped_column(primary_key=True)
    noise: Mapped[dict[str, Any]]


class Noise(Table):
    """The noise learned of a machine's metric, as a commit assumed it.

    `conditions` is a digest of all that has to be the same for it to be assumed again;
    `learned` holds the noise with what it was learned from, `age` how many commits
    before this one have assumed it since.
    """

    __tablename__ = "noise"

    machine_id: Mapped[int] = mapped_column(ForeignKey("machine.id"), primary_key=True)
    metric: Mapped[str] = mapped_column(primary_key=True)
    conditions: Mapped[str] = mapped_column(primary_key=True)
    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"), primary_key=True)
    age: Mapped[int]
    learned: Mapped[dict[str, Any]]


class Edition(Table):
    """The present edition of what is known of a commit on a machine.

    Its mark is another one, and never was another's, whenever the models and verdicts
    or the points of runs that had been recorded before are written anew.
    """

    __tablename__ = "edition"

    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"), primary_key=True)
    machine_id: Mapped[int] = mapped_column(ForeignKey("machine.id"), primary_key=True)
    mark: Mapped[UUID]


class Overview(Table):
    """The counts of a project at its newest commit, as home shows them."""

    __tablename__ = "overview"

    project_id: Mapped[int] = mapped_column(
        ForeignKey("project.id", ondelete="cascade"), primary_key=True
    )
    counted_at: Mapped[datetime] = mapped_column(default=now)
    content: Mapped[dict[str, Any]]


class Verdict(Table):
    """A model compared with one version of its expectation."""

    __tablename__ = "verdict"
    __table_args__ = (
        ForeignKeyConstraint(
            ["commit_id", "series_id"],
            ["model.commit_id", "model.series_id"],
            ondelete="cascade",
        ),
    )

    commit_id: Mapped[int] = mapped_column(primary_key=True)
    series_id: Mapped[int] = mapped_column(primary_key=True)
    expectation_id: Mapped[int] = mapped_column(
        ForeignKey("expectation.id"), primary_key=True
    )
    judged_at: Mapped[datetime] = mapped_column(default=now)
    verdict: Mapped[str]
    deviation_limit: Mapped[str]
    divergence: Mapped[str | None]
    reason: Mapped[str | None] = mapped_column(
        Remark, nullable=False, server_default=""
    )


class ExpectedLevel(Table):
    """The level of an expectation of growth, of a series: one for all commits.

    It was taken from a commit: the last that matched or, where none has, the first that
    was measured after the expectation was declared; see `services.analysis.levels`.
    `setting` holds a number for each parameter, `kept` the part of the value that does
    not grow.
    """

    __tablename__ = "expected_level"

    series_id: Mapped[int] = mapped_column(ForeignKey("series.id"), primary_key=True)
    expectation_id: Mapped[int] = mapped_column(
        ForeignKey("expectation.id"), primary_key=True
    )
    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"), index=True)
    is_matched: Mapped[bool]
    setting: Mapped[dict[str, Any]]
    value: Mapped[float]
    kept: Mapped[float]


class Grid(Table):
    """Where series were measured: what varied, and a row of `settings` for each place.

    Nearly all series of a machine share one.
    """

    __tablename__ = "grid"

    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(unique=True)
    parameters: Mapped[list[Any]]
    settings: Mapped[list[Any]]


class Location(Table):
    """Where the repetitions of a series lie at a commit, by coordinate.

    `log` holds the natural logarithm of a robust location per setting of the grid; null
    where it has none. What histories are compared by, without their repetitions.
    """

    __tablename__ = "location"
    __table_args__ = ({"sqlite_with_rowid": False},)

    series_id: Mapped[int] = mapped_column(ForeignKey("series.id"), primary_key=True)
    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"), primary_key=True)
    fingerprint_id: Mapped[int] = mapped_column(ForeignKey("fingerprint.id"))
    grid_id: Mapped[int] = mapped_column(ForeignKey("grid.id"))
    log: Mapped[list[Any]]


class Alias(Table):
    """A region that has another name now."""

    __tablename__ = "alias"
    __table_args__ = (UniqueConstraint("project_id", "former"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    former: Mapped[str]
    name: Mapped[str]


class Regression(Table):
    """Changes of several series that have one cause; improvements too.

    `kind` is growth or constant, of changes with their shifts, or else failure,
    expectation or drift, of what a `finding` says. `state` is open, acknowledged,
    expected (the new level is the baseline), fixed (found by itself when the old one
    returned) or improved (nothing is to be done).
    """

    __tablename__ = "regression"
    __table_args__ = (Index(None, "project_id", "state"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    kind: Mapped[str]
    is_worse: Mapped[bool]
    is_sure: Mapped[bool]
    first_commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"))
    last_commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"))
    fixed_commit_id: Mapped[int | None] = mapped_column(ForeignKey("commit.id"))
    state: Mapped[str]
    suspect: Mapped[str | None]
    sentence: Mapped[str]
    owner: Mapped[str | None]
    link: Mapped[str | None]
    finding: Mapped[dict[str, Any] | None]
    opened_at: Mapped[datetime] = mapped_column(default=now)
    changed_at: Mapped[datetime] = mapped_column(default=now)


class Shift(Table):
    """The change of one series that belongs to a regression."""

    __tablename__ = "shift"

    regression_id: Mapped[int] = mapped_column(
        ForeignKey("regression.id", ondelete="cascade"), primary_key=True
    )
    series_id: Mapped[int] = mapped_column(ForeignKey("series.id"), primary_key=True)
    first_commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"))
    last_commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"))
    details: Mapped[dict[str, Any]]


class RegressionEvent(Table):
    """An event in the life of a regression: found, changed by somebody, fixed."""

    __tablename__ = "happening"
    __table_args__ = (Index(None, "regression_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    regression_id: Mapped[int] = mapped_column(
        ForeignKey("regression.id", ondelete="cascade")
    )
    at: Mapped[datetime] = mapped_column(default=now)
    actor: Mapped[str]
    action: Mapped[str]
    note: Mapped[str | None]


class Detection(Table):
    """The newest detection of a project: its findings about the histories as a whole.

    `details` holds how many series were watched, the expected number of false
    changes, new baselines, and what was odd about the commits.
    """

    __tablename__ = "watch"

    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"), primary_key=True)
    at: Mapped[datetime] = mapped_column(default=now)
    details: Mapped[dict[str, Any]]
