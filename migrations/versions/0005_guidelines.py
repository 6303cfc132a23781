"""Guidelines of projects; when jobs were finished, for pages that wait for them."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "guidelines",
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("rules", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("author", sa.String, nullable=False),
        sa.Column("reason", sa.String, nullable=True),
        sa.Column("declared_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name="fk_guidelines_project_id",
            ondelete="cascade",
        ),
        sa.PrimaryKeyConstraint("project_id", "version", name="pk_guidelines"),
    )
    op.create_index("ix_job_finished_at", "job", ["finished_at"])


def downgrade() -> None:
    op.drop_index("ix_job_finished_at", table_name="job")
    op.drop_table("guidelines")
