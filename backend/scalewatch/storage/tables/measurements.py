"""Measurements: runs of a commit on a machine, their points, and posted files."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    REAL,
    ForeignKey,
    Index,
    LargeBinary,
    PrimaryKeyConstraint,
    SmallInteger,
    String,
    UniqueConstraint,
    false,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from scalewatch.storage.tables.base import Remark, Table, now


class Project(Table):
    """A code base under test."""

    __tablename__ = "project"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(default=now)
    repository: Mapped[str | None]  # as runs say; a policy may say otherwise


def _by_parent(dialect: str, parent: str) -> list[Any]:
    """Return the indices of a dialect by which the children of a commit are found."""
    first, second, third = (parent.format(place) for place in range(3))
    is_merge, is_larger = text(f"{second} IS NOT NULL"), text(f"{third} IS NOT NULL")
    indices = (
        Index("ix_commit_first_parent", text(first)),
        Index(
            "ix_commit_second_parent",
            text(second),
            sqlite_where=is_merge,
            postgresql_where=is_merge,
        ),
        Index(
            "ix_commit_more_parents",
            "project_id",
            sqlite_where=is_larger,
            postgresql_where=is_larger,
        ),
    )
    return [index.ddl_if(dialect=dialect) for index in indices]


class Commit(Table):
    """A version of a project: commit hash or release tag."""

    __tablename__ = "commit"
    __table_args__ = (
        UniqueConstraint("project_id", "sha"),
        # The order in which they are shown, see `storage.commits`.
        Index(
            "ix_commit_time",
            "project_id",
            text("coalesce(committed_at, first_run_at)"),
            "id",
        ),
        Index(
            "ix_commit_tag",
            "project_id",
            "tag",
            sqlite_where=text("tag IS NOT NULL"),
            postgresql_where=text("tag IS NOT NULL"),
        ),
        # By parent, for its children: the first, the second, and where there are more.
        *_by_parent("sqlite", "json_extract(parents, '$[{}]')"),
        *_by_parent("postgresql", "(parents ->> {})"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    # By code point: what begins alike is a range of the index.
    sha: Mapped[str] = mapped_column(
        String().with_variant(String(collation="C"), "postgresql")
    )
    parents: Mapped[list[Any]]  # hashes, known or not
    branch: Mapped[str | None]
    tag: Mapped[str | None]
    message: Mapped[str | None]
    author: Mapped[str | None]
    committed_at: Mapped[datetime | None]
    first_run_at: Mapped[datetime] = mapped_column(default=now)


class Machine(Table):
    """A platform as one project names it."""

    __tablename__ = "machine"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    name: Mapped[str]
    provenance: Mapped[str | None]  # where the numbers come from, unless measured


class Fingerprint(Table):
    """A fingerprint of a machine: hardware, network and software as stated.

    Those that differ in what drifts are one state: the first of them, which `state_id`
    of the others names.
    """

    __tablename__ = "fingerprint"
    __table_args__ = (UniqueConstraint("machine_id", "digest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    machine_id: Mapped[int] = mapped_column(ForeignKey("machine.id"))
    digest: Mapped[str]
    facts: Mapped[dict[str, Any]]
    first_seen_at: Mapped[datetime] = mapped_column(default=now)
    state_id: Mapped[int | None]


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
    __table_args__ = (
        Index(None, "commit_id", "machine_id"),
        # With the fingerprint, of which the first and the last run are asked for.
        Index(None, "machine_id", "received_at", "fingerprint_id"),
        Index(None, "received_at"),
    )

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
    """An accepted run as it was posted, compressed, to be replayed.

    The digest is that of what differs from the defaults of its fields, however it was
    written down; that of release 0.1.0 covers the defaults that it knew.
    """

    __tablename__ = "payload"

    run_id: Mapped[int] = mapped_column(
        ForeignKey("run.id", ondelete="cascade"), primary_key=True
    )
    digest: Mapped[str]
    body: Mapped[bytes] = mapped_column(LargeBinary)


class Samples(Table):
    """All repetitions of one run in one compressed blob, see `storage.samples`."""

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
    is_exact: Mapped[bool] = mapped_column(default=False, server_default=false())


class Point(Table):
    """Summary of the repetitions that one run brought to one series.

    Clustered by run, as all that is read of points is those of some runs; histories
    read locations. A failed result has a count of zero and a reason instead of numbers.
    Its repetitions are `start : start + count` of the run's samples; `below` and
    `above` say how far the quartiles are from the median.

    Of nothing else are there as many rows. On PostgreSQL a row takes 84 bytes and its
    entry of the index 7: wide columns come before narrow ones, as they are aligned; few
    are null, as a null costs a row a bitmap of eight bytes; least and median are exact,
    and what is only told is not. The points of a run, each of another series, are
    inserted with it; there the index has one key for all of them, and SQLite, whose
    rows lie in the primary key, sees to it that no two are the same.
    """

    __tablename__ = "point"
    __table_args__ = (
        PrimaryKeyConstraint("run_id", "series_id").ddl_if(dialect="sqlite"),
        Index(None, "run_id").ddl_if(dialect="postgresql"),
        {"sqlite_with_rowid": False},
    )

    run_id: Mapped[int] = mapped_column(
        ForeignKey("run.id", ondelete="cascade"), primary_key=True
    )
    series_id: Mapped[int] = mapped_column(ForeignKey("series.id"), primary_key=True)
    start: Mapped[int]
    count: Mapped[int]
    minimum: Mapped[float | None]
    q50: Mapped[float | None]
    below: Mapped[float | None] = mapped_column(REAL)
    above: Mapped[float | None] = mapped_column(REAL)
    q95: Mapped[float | None] = mapped_column(REAL)
    mean: Mapped[float | None] = mapped_column(REAL)
    deviation: Mapped[float | None] = mapped_column(REAL)
    # One bit per kind of `storage.runs.points.Flag`.
    flags: Mapped[int] = mapped_column(SmallInteger, server_default=text("0"))
    reason: Mapped[str | None] = mapped_column(
        Remark, nullable=False, server_default=""
    )


class Procedure(Table):
    """How the repetitions of one run were taken, see `storage.procedures`."""

    __tablename__ = "procedure"

    run_id: Mapped[int] = mapped_column(
        ForeignKey("run.id", ondelete="cascade"), primary_key=True
    )
    blob: Mapped[bytes] = mapped_column(LargeBinary)


class Profile(Table):
    """The seconds of all functions of a run in one blob (`storage.runs.profiles`)."""

    __tablename__ = "profile"

    run_id: Mapped[int] = mapped_column(
        ForeignKey("run.id", ondelete="cascade"), primary_key=True
    )
    blob: Mapped[bytes] = mapped_column(LargeBinary)


class SourceLocations(Table):
    """Source locations of a run in one blob (`storage.runs.source_locations`)."""

    __tablename__ = "source_locations"

    run_id: Mapped[int] = mapped_column(
        ForeignKey("run.id", ondelete="cascade"), primary_key=True
    )
    blob: Mapped[bytes] = mapped_column(LargeBinary)


class ImportedFile(Table):
    """A foreign file as it was posted, compressed, to be read again.

    `stated` is all that was said of it, and the digest is of both.
    """

    __tablename__ = "imported_file"
    __table_args__ = (UniqueConstraint("project_id", "digest"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id"))
    digest: Mapped[str]
    name: Mapped[str]
    stated: Mapped[dict[str, Any]]
    body: Mapped[bytes] = mapped_column(LargeBinary)
    received_at: Mapped[datetime] = mapped_column(default=now)


class ImportedRun(Table):
    """A run that a posted file was the first to tell of."""

    __tablename__ = "imported_run"

    run_id: Mapped[int] = mapped_column(
        ForeignKey("run.id", ondelete="cascade"), primary_key=True
    )
    file_id: Mapped[int] = mapped_column(ForeignKey("imported_file.id"), index=True)
