"""The order of commits as an index."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_index(
        "ix_commit_time",
        "commit",
        ["project_id", sa.text("coalesce(committed_at, first_run_at)"), "id"],
    )


def downgrade() -> None:
    op.drop_index("ix_commit_time", "commit")
