"""Keep whose regions are, and findings beside the changes of histories."""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"


def upgrade() -> None:
    op.add_column(
        "policy",
        sa.Column("owners", sa.JSON, nullable=False, server_default="[]"),
    )
    op.add_column("regression", sa.Column("finding", sa.JSON))
    op.execute(
        "INSERT INTO job (kind, subject, project_id, state, due_at, attempts, "
        "created_at) SELECT 'watch', CAST(id AS VARCHAR), id, "
        "'queued', CURRENT_TIMESTAMP, 0, CURRENT_TIMESTAMP FROM project "
        'WHERE EXISTS (SELECT 1 FROM "commit" WHERE project_id = project.id) '
        "AND NOT EXISTS (SELECT 1 FROM job WHERE "
        "kind = 'watch' AND state = 'queued' AND "
        "subject = CAST(project.id AS VARCHAR))"
    )


def downgrade() -> None:
    op.execute(
        "DELETE FROM happening WHERE regression_id IN (SELECT id FROM regression "
        "WHERE finding IS NOT NULL)"
    )
    op.execute("DELETE FROM regression WHERE finding IS NOT NULL")
    op.drop_column("regression", "finding")
    op.drop_column("policy", "owners")
