"""Policies of projects, tokens, logins and the audit log."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

TABLES = ("policy", "token", "login", "audit")


def upgrade() -> None:
    op.create_table(
        "policy",
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("is_private", sa.Boolean, nullable=False),
        sa.Column("retention_days", sa.Integer, nullable=True),
        sa.Column("kept_repetitions", sa.Integer, nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name="fk_policy_project_id",
            ondelete="cascade",
        ),
        sa.PrimaryKeyConstraint("project_id", name="pk_policy"),
    )
    op.create_table(
        "token",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("prefix", sa.String, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("role", sa.String, nullable=False),
        sa.Column("project_id", sa.Integer, nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name="fk_token_project_id",
            ondelete="cascade",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_token"),
        sa.UniqueConstraint("prefix", name="uq_token_prefix"),
    )
    op.create_table(
        "login",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("token_id", sa.Integer, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["token_id"], ["token.id"], name="fk_login_token_id", ondelete="cascade"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_login"),
        sa.UniqueConstraint("digest", name="uq_login_digest"),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.String, nullable=False),
        sa.Column("action", sa.String, nullable=False),
        sa.Column("project", sa.String, nullable=True),
        sa.Column("subject", sa.String, nullable=True),
        sa.Column("details", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_project_id", "audit", ["project", "id"])


def downgrade() -> None:
    for table in reversed(TABLES):
        op.drop_table(table)
