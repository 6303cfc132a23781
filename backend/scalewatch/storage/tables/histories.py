"""Changes over the commits of a project: regressions, their events and causes."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from scalewatch.storage.tables.base import Table, now


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
