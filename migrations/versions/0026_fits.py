"""What exact counts and misfits tell about a model, besides the model."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.add_column(
        "model", sa.Column("fit", sa.String, nullable=False, server_default="")
    )


def downgrade() -> None:
    op.drop_column("model", "fit")
