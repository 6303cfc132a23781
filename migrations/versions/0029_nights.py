"""Judge histories anew, as nights of machines are told from changes now."""

from alembic import op

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    op.execute(
        "INSERT INTO job (kind, subject, state, due_at, attempts, created_at) "
        "SELECT 'watch', CAST(project_id AS VARCHAR), 'queued', CURRENT_TIMESTAMP, 0, "
        "CURRENT_TIMESTAMP FROM watch WHERE NOT EXISTS (SELECT 1 FROM job WHERE "
        "kind = 'watch' AND state = 'queued' AND "
        "subject = CAST(watch.project_id AS VARCHAR))"
    )


def downgrade() -> None:
    """Leave the jobs: former versions judge histories their own way."""
