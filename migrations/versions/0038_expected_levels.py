"""Store the level of each expectation of growth; a job takes those of what is there."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"


def upgrade() -> None:
    op.create_table(
        "expected_level",
        sa.Column(
            "series_id", sa.Integer, sa.ForeignKey("series.id"), primary_key=True
        ),
        sa.Column(
            "expectation_id",
            sa.Integer,
            sa.ForeignKey("expectation.id"),
            primary_key=True,
        ),
        sa.Column("commit_id", sa.Integer, sa.ForeignKey("commit.id"), nullable=False),
        sa.Column("is_matched", sa.Boolean, nullable=False),
        sa.Column("setting", sa.JSON, nullable=False),
        sa.Column("value", sa.Double, nullable=False),
        sa.Column("kept", sa.Double, nullable=False),
    )
    op.create_index("ix_expected_level_commit_id", "expected_level", ["commit_id"])
    op.execute(
        "INSERT INTO job (kind, subject, project_id, state, due_at, attempts, "
        "created_at) SELECT DISTINCT 'rejudge', CAST(project_id AS VARCHAR), "
        "project_id, 'queued', CURRENT_TIMESTAMP, 0, CURRENT_TIMESTAMP "
        "FROM expectation WHERE growth IS NOT NULL AND NOT EXISTS (SELECT 1 FROM job "
        "WHERE kind = 'rejudge' AND state = 'queued' AND "
        "subject = CAST(expectation.project_id AS VARCHAR))"
    )


def downgrade() -> None:
    op.drop_table("expected_level")
