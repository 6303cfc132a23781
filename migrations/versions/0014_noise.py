"""What was learned of the noise of machines, to be assumed again."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "noise",
        sa.Column("machine_id", sa.Integer(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("conditions", sa.String(), nullable=False),
        sa.Column("commit_id", sa.Integer(), nullable=False),
        sa.Column("age", sa.Integer(), nullable=False),
        sa.Column("learned", sa.JSON(none_as_null=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["commit_id"], ["commit.id"], name="fk_noise_commit_id"
        ),
        sa.ForeignKeyConstraint(
            ["machine_id"], ["machine.id"], name="fk_noise_machine_id"
        ),
        sa.PrimaryKeyConstraint(
            "machine_id", "metric", "conditions", "commit_id", name="pk_noise"
        ),
    )


def downgrade() -> None:
    op.drop_table("noise")
