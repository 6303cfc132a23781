"""What exact counts and misfits tell about a model; analyse all measurements again."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.add_column(
        "model", sa.Column("fit", sa.String, nullable=False, server_default="")
    )
    op.execute(
        "INSERT INTO job (kind, subject, state, due_at, attempts, created_at) "
        "SELECT 'reanalyse', CAST(id AS VARCHAR), 'queued', CURRENT_TIMESTAMP, 0, "
        "CURRENT_TIMESTAMP FROM project WHERE NOT EXISTS (SELECT 1 FROM job "
        "WHERE kind = 'reanalyse' AND subject = CAST(project.id AS VARCHAR) "
        "AND due_at IS NOT NULL)"
    )


def downgrade() -> None:
    op.drop_column("model", "fit")
