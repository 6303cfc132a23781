"""An index of the jobs that failed: few among all that are done."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    is_failed = sa.text("state = 'failed'")
    op.create_index(
        "ix_job_failed",
        "job",
        ["id"],
        sqlite_where=is_failed,
        postgresql_where=is_failed,
    )


def downgrade() -> None:
    op.drop_index("ix_job_failed", "job")
