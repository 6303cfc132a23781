"""Indices that find commits by the beginning of a hash and by tag."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    _sort_hashes(collation="C")
    is_tagged = sa.text("tag IS NOT NULL")
    op.create_index(
        "ix_commit_tag",
        "commit",
        ["project_id", "tag"],
        sqlite_where=is_tagged,
        postgresql_where=is_tagged,
    )


def downgrade() -> None:
    op.drop_index("ix_commit_tag", "commit")
    _sort_hashes(collation="default")


def _sort_hashes(collation: str) -> None:
    """Let the beginning of a hash be a range of the index, as in SQLite it is."""
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("commit", "sha", type_=sa.String(collation=collation))
