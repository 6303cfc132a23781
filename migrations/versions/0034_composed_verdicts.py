"""Judge series by the composed models that are expected of them."""

from alembic import op

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    op.execute(
        "INSERT INTO job (kind, subject, state, due_at, attempts, created_at) "
        "SELECT DISTINCT 'rejudge', CAST(project_id AS VARCHAR), 'queued', "
        "CURRENT_TIMESTAMP, 0, CURRENT_TIMESTAMP FROM expectation "
        "WHERE formula IS NOT NULL"
    )


def downgrade() -> None:
    # Former versions would show verdicts on a quotient as those on a growth.
    op.execute(
        "DELETE FROM verdict WHERE expectation_id IN "
        "(SELECT id FROM expectation WHERE formula IS NOT NULL)"
    )
