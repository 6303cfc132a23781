"""Locations, regressions and what happened to them."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

TABLES = ("location", "alias", "regression", "shift", "happening", "watch")


def _key(
    table: str, column: str, other: str, **choices: str
) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], [f"{other}.id"], name=f"fk_{table}_{column}", **choices
    )


def upgrade() -> None:
    op.create_table(
        "location",
        sa.Column("series_id", sa.Integer, nullable=False),
        sa.Column("commit_id", sa.Integer, nullable=False),
        sa.Column("fingerprint_id", sa.Integer, nullable=False),
        sa.Column("parameters", sa.JSON, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("log", sa.JSON, nullable=False),
        _key("location", "series_id", "series"),
        _key("location", "commit_id", "commit"),
        _key("location", "fingerprint_id", "fingerprint"),
        sa.PrimaryKeyConstraint("series_id", "commit_id", name="pk_location"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_location_commit_id", "location", ["commit_id"])
    op.create_table(
        "alias",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("former", sa.String, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        _key("alias", "project_id", "project"),
        sa.PrimaryKeyConstraint("id", name="pk_alias"),
        sa.UniqueConstraint("project_id", "former", name="uq_alias_project_id_former"),
    )
    op.create_table(
        "regression",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("is_worse", sa.Boolean, nullable=False),
        sa.Column("is_sure", sa.Boolean, nullable=False),
        sa.Column("first_commit_id", sa.Integer, nullable=False),
        sa.Column("last_commit_id", sa.Integer, nullable=False),
        sa.Column("fixed_commit_id", sa.Integer, nullable=True),
        sa.Column("state", sa.String, nullable=False),
        sa.Column("suspect", sa.String, nullable=True),
        sa.Column("sentence", sa.String, nullable=False),
        sa.Column("owner", sa.String, nullable=True),
        sa.Column("link", sa.String, nullable=True),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        _key("regression", "project_id", "project"),
        _key("regression", "first_commit_id", "commit"),
        _key("regression", "last_commit_id", "commit"),
        _key("regression", "fixed_commit_id", "commit"),
        sa.PrimaryKeyConstraint("id", name="pk_regression"),
    )
    op.create_index(
        "ix_regression_project_id_state", "regression", ["project_id", "state"]
    )
    op.create_table(
        "shift",
        sa.Column("regression_id", sa.Integer, nullable=False),
        sa.Column("series_id", sa.Integer, nullable=False),
        sa.Column("first_commit_id", sa.Integer, nullable=False),
        sa.Column("last_commit_id", sa.Integer, nullable=False),
        sa.Column("details", sa.JSON, nullable=False),
        _key("shift", "regression_id", "regression", ondelete="cascade"),
        _key("shift", "series_id", "series"),
        _key("shift", "first_commit_id", "commit"),
        _key("shift", "last_commit_id", "commit"),
        sa.PrimaryKeyConstraint("regression_id", "series_id", name="pk_shift"),
    )
    op.create_table(
        "happening",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("regression_id", sa.Integer, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.String, nullable=False),
        sa.Column("action", sa.String, nullable=False),
        sa.Column("note", sa.String, nullable=True),
        _key("happening", "regression_id", "regression", ondelete="cascade"),
        sa.PrimaryKeyConstraint("id", name="pk_happening"),
    )
    op.create_index("ix_happening_regression_id", "happening", ["regression_id"])
    op.create_table(
        "watch",
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("details", sa.JSON, nullable=False),
        _key("watch", "project_id", "project"),
        sa.PrimaryKeyConstraint("project_id", name="pk_watch"),
    )


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)
