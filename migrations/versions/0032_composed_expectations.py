"""Expectations that are models composed of other regions."""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    op.add_column("expectation", sa.Column("formula", sa.String))


def downgrade() -> None:
    op.drop_column("expectation", "formula")
