"""Authors of commits, and where the code of a project lies."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    op.add_column("commit", sa.Column("author", sa.String))
    op.add_column("project", sa.Column("repository", sa.String))
    op.add_column("policy", sa.Column("repository", sa.String))
    op.add_column("policy", sa.Column("forge", sa.String))


def downgrade() -> None:
    op.drop_column("policy", "forge")
    op.drop_column("policy", "repository")
    op.drop_column("project", "repository")
    op.drop_column("commit", "author")
