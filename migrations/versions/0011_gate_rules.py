"""Rules of gates and targets of projects, in versions."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "gate_rules",
        sa.Column("project_id", sa.Integer, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("rules", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("target", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("author", sa.String, nullable=False),
        sa.Column("reason", sa.String, nullable=True),
        sa.Column("declared_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"],
            ["project.id"],
            name="fk_gate_rules_project_id",
            ondelete="cascade",
        ),
        sa.PrimaryKeyConstraint("project_id", "version", name="pk_gate_rules"),
    )


def downgrade() -> None:
    op.drop_table("gate_rules")
