"""Addresses that are told what happens to regressions."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "webhook",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("url", sa.String, nullable=False),
        sa.Column("secret", sa.String, nullable=False),
        sa.Column("author", sa.String, nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.Column("last_answer", sa.String, nullable=True),
        sa.Column("last_at", moment, nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name="fk_webhook_project_id",
            ondelete="cascade",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_webhook"),
    )
    op.create_index("ix_webhook_project_id", "webhook", ["project_id"])


def downgrade() -> None:
    op.drop_table("webhook")
