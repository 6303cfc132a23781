"""The noise that a model was selected under."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("model", sa.Column("noise", sa.JSON, nullable=True))


def downgrade() -> None:
    op.drop_column("model", "noise")
