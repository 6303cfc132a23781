"""Analyse times again for which processes shared cores: they are no evidence."""

from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.execute(
        "INSERT INTO job (kind, subject, state, due_at, attempts, created_at) "
        "SELECT 'reanalyse', CAST(id AS VARCHAR), 'queued', CURRENT_TIMESTAMP, 0, "
        "CURRENT_TIMESTAMP FROM project"
    )


def downgrade() -> None:
    # Former versions do not know such jobs.
    op.execute("DELETE FROM job WHERE kind = 'reanalyse'")
