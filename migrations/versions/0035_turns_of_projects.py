"""The project of each job, and when it began: projects take turns."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"

FIRST = {
    "sqlite": "CAST(subject AS INTEGER)",  # the digits that it begins with
    "postgresql": "CAST(split_part(subject, '/', 1) AS INTEGER)",
}
"""The number that the subject of a job begins with."""

PROJECT = """CASE kind
    WHEN 'analyse' THEN (SELECT project_id FROM "commit" WHERE id = FIRST)
    WHEN 'notify' THEN (SELECT project_id FROM webhook WHERE id = FIRST)
    ELSE FIRST END"""


def upgrade() -> None:
    op.add_column(
        "job", sa.Column("project_id", sa.Integer(), nullable=False, server_default="0")
    )
    op.add_column(
        "job", sa.Column("begun_at", sa.DateTime(timezone=True), nullable=True)
    )
    project = PROJECT.replace("FIRST", FIRST[op.get_bind().dialect.name])
    op.execute(f"UPDATE job SET project_id = COALESCE({project}, 0)")  # noqa: S608
    is_open = sa.text("due_at IS NOT NULL")
    op.create_index(
        "ix_job_project_due",
        "job",
        ["project_id", "due_at"],
        sqlite_where=is_open,
        postgresql_where=is_open,
    )
    op.create_index("ix_job_project_id_begun_at", "job", ["project_id", "begun_at"])


def downgrade() -> None:
    op.drop_index("ix_job_project_id_begun_at", "job")
    op.drop_index("ix_job_project_due", "job")
    op.drop_column("job", "begun_at")
    op.drop_column("job", "project_id")
