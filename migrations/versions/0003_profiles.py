"""Profiles of runs."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "profile",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("blob", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name="fk_profile_run_id", ondelete="cascade"
        ),
        sa.PrimaryKeyConstraint("run_id", name="pk_profile"),
    )


def downgrade() -> None:
    op.drop_table("profile")
