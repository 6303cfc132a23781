"""Runs that were asked for to confirm a suspicion, and agents that make them."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "confirmation",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("commit_id", sa.Integer, nullable=False),
        sa.Column("machine_id", sa.Integer, nullable=False),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("due_at", moment, nullable=True),
        sa.Column("agent", sa.String, nullable=True),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("outcome", sa.String, nullable=True),
        sa.Column("asked_at", moment, nullable=False),
        sa.Column("finished_at", moment, nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name="fk_confirmation_project_id",
            ondelete="cascade",
        ),
        sa.ForeignKeyConstraint(
            ["commit_id"], ["commit.id"], name="fk_confirmation_commit_id"
        ),
        sa.ForeignKeyConstraint(
            ["machine_id"], ["machine.id"], name="fk_confirmation_machine_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_confirmation"),
    )
    op.create_index("ix_confirmation_project_id", "confirmation", ["project_id"])
    op.create_index(
        "ix_confirmation_machine_id_due_at", "confirmation", ["machine_id", "due_at"]
    )
    op.create_index(
        "uq_confirmation_open",
        "confirmation",
        ["commit_id", "machine_id"],
        unique=True,
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_table(
        "attendant",
        sa.Column("machine", sa.String, nullable=False),
        sa.Column("agent", sa.String, nullable=False),
        sa.Column("seen_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("machine", "agent", name="pk_attendant"),
    )


def downgrade() -> None:
    op.drop_table("attendant")
    op.drop_table("confirmation")
