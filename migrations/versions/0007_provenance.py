"""Where the numbers of a machine come from, if nobody measured them there."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.add_column("machine", sa.Column("provenance", sa.String))


def downgrade() -> None:
    op.drop_column("machine", "provenance")
