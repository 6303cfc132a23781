"""Foreign files as they were posted, and the runs that were read from them."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    op.create_table(
        "imported_file",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("stated", sa.JSON, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["project.id"], name="fk_imported_file_project_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_imported_file"),
        sa.UniqueConstraint(
            "project_id", "digest", name="uq_imported_file_project_id_digest"
        ),
    )
    op.create_table(
        "imported_run",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("file_id", sa.Integer, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name="fk_imported_run_run_id", ondelete="cascade"
        ),
        sa.ForeignKeyConstraint(
            ["file_id"], ["imported_file.id"], name="fk_imported_run_file_id"
        ),
        sa.PrimaryKeyConstraint("run_id", name="pk_imported_run"),
    )
    op.create_index("ix_imported_run_file_id", "imported_run", ["file_id"])


def downgrade() -> None:
    op.drop_table("imported_run")
    op.drop_table("imported_file")
