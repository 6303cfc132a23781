"""Tables, one class per row kind; refer to them as `tables.Run`.

A project holds commits, machines and series; a run brings one point to each of its
series; a model and its verdict belong to a series and a commit. What is to be done
later is a job, a row in the same transaction as the data that causes it.
"""

from datetime import UTC, datetime
from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import (
    JSON,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Instant(TypeDecorator[datetime]):
    """A moment in UTC; SQLite forgets time zones, so they are put back here."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> datetime | None:
        """Store every moment in UTC."""
        return value and value.astimezone(UTC)

    def process_result_value(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> datetime | None:
        """Return every moment with its time zone."""
        return value and (value if value.tzinfo else value.replace(tzinfo=UTC))


def now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


class Table(DeclarativeBase):
    """Base of all tables; constraint names are stable across databases."""

    metadata = MetaData(
        naming_convention={
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        }
    )
    type_annotation_map: ClassVar = {
        datetime: Instant,
        dict[str, Any]: JSON,
        float: Double,
        list[Any]: JSON,
    }


class Project(Table):
    """A code base under test."""

    __tablename__ = "project"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(default=now)


class Commit(Table):
    """A version of a project: commit hash or release tag."""

    __tablename__ = "commit"
    __table_args__ = (UniqueConstraint("project_id", "sha"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    sha: Mapped[str]
    parents: Mapped[list[Any]]  # hashes, known or not
    branch: Mapped[str | None]
    tag: Mapped[str | None]
    message: Mapped[str | None]
    committed_at: Mapped[datetime | None]
    first_run_at: Mapped[datetime] = mapped_column(default=now)


class Machine(Table):
    """A platform as one project names it."""

    __tablename__ = "machine"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    name: Mapped[str]


class Fingerprint(Table):
    """A state of a machine: hardware, network and software as first seen."""

    __tablename__ = "fingerprint"
    __table_args__ = (UniqueConstraint("machine_id", "digest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    machine_id: Mapped[int] = mapped_column(ForeignKey("machine.id"))
    digest: Mapped[str]
    facts: Mapped[dict[str, Any]]
    first_seen_at: Mapped[datetime] = mapped_column(default=now)


class Configuration(Table):
    """The parameters that are held fixed along a scan."""

    __tablename__ = "configuration"
    __table_args__ = (UniqueConstraint("project_id", "digest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    digest: Mapped[str]
    settings: Mapped[dict[str, Any]]


class Run(Table):
    """One execution of a suite: a commit on a machine at one coordinate."""

    __tablename__ = "run"
    __table_args__ = (Index(None, "commit_id", "machine_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    uuid: Mapped[UUID] = mapped_column(unique=True)
    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"))
    machine_id: Mapped[int] = mapped_column(ForeignKey("machine.id"))
    fingerprint_id: Mapped[int] = mapped_column(ForeignKey("fingerprint.id"))
    configuration_id: Mapped[int] = mapped_column(ForeignKey("configuration.id"))
    suite: Mapped[str]
    coordinate: Mapped[dict[str, Any]]
    scheduler_job: Mapped[dict[str, Any] | None]
    received_at: Mapped[datetime] = mapped_column(default=now)


class Payload(Table):
    """The accepted body of a run, compressed, as it arrived."""

    __tablename__ = "payload"

    run_id: Mapped[int] = mapped_column(
        ForeignKey("run.id", ondelete="cascade"), primary_key=True
    )
    digest: Mapped[str]
    body: Mapped[bytes] = mapped_column(LargeBinary)


class Samples(Table):
    """All repetitions of one run in one compressed blob."""

    __tablename__ = "samples"

    run_id: Mapped[int] = mapped_column(
        ForeignKey("run.id", ondelete="cascade"), primary_key=True
    )
    blob: Mapped[bytes] = mapped_column(LargeBinary)


class Series(Table):
    """Measurements of a metric of a region along a scan, all else fixed."""

    __tablename__ = "series"
    __table_args__ = (
        UniqueConstraint(
            "machine_id",
            "region",
            "metric",
            "configuration_id",
            name="uq_series_machine_region_metric_configuration",
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    machine_id: Mapped[int] = mapped_column(ForeignKey("machine.id"))
    configuration_id: Mapped[int] = mapped_column(ForeignKey("configuration.id"))
    region: Mapped[str]
    metric: Mapped[str]
    unit: Mapped[str]
    better: Mapped[str]


class Point(Table):
    """Summary of the repetitions that one run brought to one series.

    Clustered by series, so that a history is one range; a failed result has a
    count of zero and a reason instead of numbers.
    """

    __tablename__ = "point"
    __table_args__ = (Index(None, "run_id"), {"sqlite_with_rowid": False})

    series_id: Mapped[int] = mapped_column(ForeignKey("series.id"), primary_key=True)
    run_id: Mapped[int] = mapped_column(
        ForeignKey("run.id", ondelete="cascade"), primary_key=True
    )
    count: Mapped[int]
    minimum: Mapped[float | None]
    q05: Mapped[float | None]
    q25: Mapped[float | None]
    q50: Mapped[float | None]
    q75: Mapped[float | None]
    q95: Mapped[float | None]
    mean: Mapped[float | None]
    deviation: Mapped[float | None]
    procedure: Mapped[dict[str, Any] | None]
    reason: Mapped[str | None]


class Expectation(Table):
    """A version of the growth that the authors promise for a region's metric."""

    __tablename__ = "expectation"
    __table_args__ = (UniqueConstraint("project_id", "region", "metric", "version"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    region: Mapped[str]
    metric: Mapped[str]
    version: Mapped[int]
    growth: Mapped[str]
    deviation_limit: Mapped[str | None]  # None: the default for this growth
    author: Mapped[str]
    reason: Mapped[str | None]
    declared_at: Mapped[datetime] = mapped_column(default=now)


class Model(Table):
    """The performance model of a series at a commit, or why there is none."""

    __tablename__ = "model"
    __table_args__ = (
        UniqueConstraint("series_id", "commit_id"),
        Index(None, "commit_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    series_id: Mapped[int] = mapped_column(ForeignKey("series.id"))
    commit_id: Mapped[int] = mapped_column(ForeignKey("commit.id"))
    rule: Mapped[str]
    points: Mapped[int]
    repetitions: Mapped[int]
    constant: Mapped[float | None]
    terms: Mapped[list[Any]]
    growth: Mapped[str | None]
    adjusted_r2: Mapped[float | None]
    smape: Mapped[float | None]
    class_probability: Mapped[dict[str, Any]]
    reason: Mapped[str | None]
    modelled_at: Mapped[datetime] = mapped_column(default=now)


class Verdict(Table):
    """A model compared with one version of its expectation."""

    __tablename__ = "verdict"

    model_id: Mapped[int] = mapped_column(
        ForeignKey("model.id", ondelete="cascade"), primary_key=True
    )
    expectation_id: Mapped[int] = mapped_column(
        ForeignKey("expectation.id"), primary_key=True
    )
    deviation_limit: Mapped[str]
    divergence: Mapped[str | None]
    verdict: Mapped[str]
    probability: Mapped[dict[str, Any]]
    reason: Mapped[str | None]
    judged_at: Mapped[datetime] = mapped_column(default=now)


class Job(Table):
    """Something to be done later.

    `due_at` says when a worker may take it: while queued, the time to run; while
    running, the end of the lease; when done or failed, never (null).
    """

    __tablename__ = "job"
    __table_args__ = (
        Index(
            "ix_job_due_at",
            "due_at",
            sqlite_where=text("due_at IS NOT NULL"),
            postgresql_where=text("due_at IS NOT NULL"),
        ),
        # Jobs for the same subject coalesce while none of them has begun.
        Index(
            "uq_job_queued",
            "kind",
            "subject",
            unique=True,
            sqlite_where=text("state = 'queued'"),
            postgresql_where=text("state = 'queued'"),
        ),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    subject: Mapped[str]  # what it is about, as kind-specific text
    state: Mapped[str] = mapped_column(default="queued")
    due_at: Mapped[datetime | None] = mapped_column(default=now)
    attempts: Mapped[int] = mapped_column(default=0)
    owner: Mapped[str | None]
    reason: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(default=now)
    finished_at: Mapped[datetime | None]
