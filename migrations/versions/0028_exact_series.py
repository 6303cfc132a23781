"""Series whose values are declared to be exact, whatever their repetitions are."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    op.add_column(
        "series",
        sa.Column("is_exact", sa.Boolean, nullable=False, server_default=sa.false()),
    )


def downgrade() -> None:
    op.drop_column("series", "is_exact")
