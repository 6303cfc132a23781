"""Where the regions of runs lie in the source."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.create_table(
        "source_locations",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("blob", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["run.id"],
            name="fk_source_locations_run_id",
            ondelete="cascade",
        ),
        sa.PrimaryKeyConstraint("run_id", name="pk_source_locations"),
    )


def downgrade() -> None:
    op.drop_table("source_locations")
