"""Store what home counts of a project; its next detection fills it."""

import sqlalchemy as sa
from alembic import op

from scalewatch.storage.tables.base import Instant

revision = "0037"
down_revision = "0036"


def upgrade() -> None:
    op.create_table(
        "overview",
        sa.Column(
            "project_id",
            sa.Integer,
            sa.ForeignKey("project.id", ondelete="cascade"),
            primary_key=True,
        ),
        sa.Column("counted_at", Instant, nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
    )
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
        "DELETE FROM job WHERE kind = 'watch' AND state = 'queued' AND "
        "project_id NOT IN (SELECT project_id FROM watch)"
    )
    op.drop_table("overview")
