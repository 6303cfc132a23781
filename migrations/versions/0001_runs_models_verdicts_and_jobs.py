"""Runs, models, verdicts and jobs."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

TABLES = (
    "project",
    "commit",
    "machine",
    "fingerprint",
    "configuration",
    "run",
    "payload",
    "samples",
    "series",
    "point",
    "expectation",
    "model",
    "verdict",
    "job",
)


def upgrade() -> None:
    create_measurements()
    create_judgements()
    create_jobs()


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)


def create_measurements() -> None:
    op.create_table(
        "project",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_project"),
        sa.UniqueConstraint("name", name="uq_project_name"),
    )
    op.create_table(
        "commit",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("sha", sa.String, nullable=False),
        sa.Column("parents", sa.JSON, nullable=False),
        sa.Column("branch", sa.String, nullable=True),
        sa.Column("tag", sa.String, nullable=True),
        sa.Column("message", sa.String, nullable=True),
        sa.Column("committed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("first_run_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name="fk_commit_project_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_commit"),
        sa.UniqueConstraint("project_id", "sha", name="uq_commit_project_id_sha"),
    )
    op.create_table(
        "machine",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name="fk_machine_project_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_machine"),
        sa.UniqueConstraint("project_id", "name", name="uq_machine_project_id_name"),
    )
    op.create_table(
        "fingerprint",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("machine_id", sa.Integer, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("facts", sa.JSON, nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["machine_id"], ["machine.id"], name="fk_fingerprint_machine_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_fingerprint"),
        sa.UniqueConstraint(
            "machine_id", "digest", name="uq_fingerprint_machine_id_digest"
        ),
    )
    op.create_table(
        "configuration",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name="fk_configuration_project_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_configuration"),
        sa.UniqueConstraint(
            "project_id", "digest", name="uq_configuration_project_id_digest"
        ),
    )
    op.create_table(
        "run",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("uuid", sa.Uuid, nullable=False),
        sa.Column("commit_id", sa.Integer, nullable=False),
        sa.Column("machine_id", sa.Integer, nullable=False),
        sa.Column("fingerprint_id", sa.Integer, nullable=False),
        sa.Column("configuration_id", sa.Integer, nullable=False),
        sa.Column("suite", sa.String, nullable=False),
        sa.Column("coordinate", sa.JSON, nullable=False),
        sa.Column("scheduler_job", sa.JSON, nullable=True),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["commit_id"], ["commit.id"], name="fk_run_commit_id"),
        sa.ForeignKeyConstraint(
            ["configuration_id"], ["configuration.id"], name="fk_run_configuration_id"
        ),
        sa.ForeignKeyConstraint(
            ["fingerprint_id"], ["fingerprint.id"], name="fk_run_fingerprint_id"
        ),
        sa.ForeignKeyConstraint(
            ["machine_id"], ["machine.id"], name="fk_run_machine_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_run"),
        sa.UniqueConstraint("uuid", name="uq_run_uuid"),
    )
    op.create_index("ix_run_commit_id_machine_id", "run", ["commit_id", "machine_id"])
    op.create_index(
        "ix_run_machine_id_received_at", "run", ["machine_id", "received_at"]
    )
    op.create_table(
        "payload",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name="fk_payload_run_id", ondelete="cascade"
        ),
        sa.PrimaryKeyConstraint("run_id", name="pk_payload"),
    )
    op.create_table(
        "samples",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("blob", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name="fk_samples_run_id", ondelete="cascade"
        ),
        sa.PrimaryKeyConstraint("run_id", name="pk_samples"),
    )
    op.create_table(
        "series",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("machine_id", sa.Integer, nullable=False),
        sa.Column("configuration_id", sa.Integer, nullable=False),
        sa.Column("region", sa.String, nullable=False),
        sa.Column("metric", sa.String, nullable=False),
        sa.Column("unit", sa.String, nullable=False),
        sa.Column("better", sa.String, nullable=False),
        sa.ForeignKeyConstraint(
            ["configuration_id"],
            ["configuration.id"],
            name="fk_series_configuration_id",
        ),
        sa.ForeignKeyConstraint(
            ["machine_id"], ["machine.id"], name="fk_series_machine_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_series"),
        sa.UniqueConstraint(
            "machine_id",
            "region",
            "metric",
            "configuration_id",
            name="uq_series_machine_region_metric_configuration",
        ),
    )
    op.create_table(
        "point",
        sa.Column("series_id", sa.Integer, nullable=False),
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("start", sa.Integer, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("minimum", sa.Double, nullable=True),
        sa.Column("q05", sa.Double, nullable=True),
        sa.Column("q25", sa.Double, nullable=True),
        sa.Column("q50", sa.Double, nullable=True),
        sa.Column("q75", sa.Double, nullable=True),
        sa.Column("q95", sa.Double, nullable=True),
        sa.Column("mean", sa.Double, nullable=True),
        sa.Column("deviation", sa.Double, nullable=True),
        sa.Column("procedure", sa.JSON, nullable=True),
        sa.Column("reason", sa.String, nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name="fk_point_run_id", ondelete="cascade"
        ),
        sa.ForeignKeyConstraint(
            ["series_id"], ["series.id"], name="fk_point_series_id"
        ),
        sa.PrimaryKeyConstraint("series_id", "run_id", name="pk_point"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_point_run_id", "point", ["run_id"])


def create_judgements() -> None:
    op.create_table(
        "expectation",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("region", sa.String, nullable=False),
        sa.Column("metric", sa.String, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("growth", sa.String, nullable=True),
        sa.Column("deviation_limit", sa.String, nullable=True),
        sa.Column("author", sa.String, nullable=False),
        sa.Column("reason", sa.String, nullable=True),
        sa.Column("declared_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name="fk_expectation_project_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_expectation"),
        sa.UniqueConstraint(
            "project_id",
            "region",
            "metric",
            "version",
            name="uq_expectation_project_id_region_metric_version",
        ),
    )
    op.create_table(
        "model",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("series_id", sa.Integer, nullable=False),
        sa.Column("commit_id", sa.Integer, nullable=False),
        sa.Column("rule", sa.String, nullable=False),
        sa.Column("points", sa.Integer, nullable=False),
        sa.Column("repetitions", sa.Integer, nullable=False),
        sa.Column("constant", sa.Double, nullable=True),
        sa.Column("terms", sa.JSON, nullable=False),
        sa.Column("growth", sa.String, nullable=True),
        sa.Column("adjusted_r2", sa.Double, nullable=True),
        sa.Column("smape", sa.Double, nullable=True),
        sa.Column("class_probability", sa.JSON, nullable=False),
        sa.Column("reason", sa.String, nullable=True),
        sa.Column("modelled_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["commit_id"], ["commit.id"], name="fk_model_commit_id"
        ),
        sa.ForeignKeyConstraint(
            ["series_id"], ["series.id"], name="fk_model_series_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_model"),
        sa.UniqueConstraint(
            "series_id", "commit_id", name="uq_model_series_id_commit_id"
        ),
    )
    op.create_index("ix_model_commit_id", "model", ["commit_id"])
    op.create_table(
        "verdict",
        sa.Column("model_id", sa.Integer, nullable=False),
        sa.Column("expectation_id", sa.Integer, nullable=False),
        sa.Column("deviation_limit", sa.String, nullable=False),
        sa.Column("divergence", sa.String, nullable=True),
        sa.Column("verdict", sa.String, nullable=False),
        sa.Column("probability", sa.JSON, nullable=False),
        sa.Column("reason", sa.String, nullable=True),
        sa.Column("judged_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["expectation_id"], ["expectation.id"], name="fk_verdict_expectation_id"
        ),
        sa.ForeignKeyConstraint(
            ["model_id"], ["model.id"], name="fk_verdict_model_id", ondelete="cascade"
        ),
        sa.PrimaryKeyConstraint("model_id", "expectation_id", name="pk_verdict"),
    )


def create_jobs() -> None:
    op.create_table(
        "job",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("subject", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("owner", sa.String, nullable=True),
        sa.Column("reason", sa.String, nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_job"),
    )
    op.create_index(
        "ix_job_due_at",
        "job",
        ["due_at"],
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index("ix_job_kind_subject", "job", ["kind", "subject"])
    op.create_index(
        "uq_job_queued",
        "job",
        ["kind", "subject"],
        unique=True,
        sqlite_where=sa.text("state = 'queued'"),
        postgresql_where=sa.text("state = 'queued'"),
    )
