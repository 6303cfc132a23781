"""Workers, and runs by the time at which they came."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "worker",
        sa.Column("name", sa.String, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_worker"),
    )
    op.create_index("ix_run_received_at", "run", ["received_at"])


def downgrade() -> None:
    op.drop_index("ix_run_received_at", "run")
    op.drop_table("worker")
