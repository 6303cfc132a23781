"""What models assume of the noise, once per machine and metric instead of per model."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.create_table(
        "assumption",
        sa.Column("commit_id", sa.Integer(), nullable=False),
        sa.Column("machine_id", sa.Integer(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("noise", sa.JSON(none_as_null=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["commit_id"], ["commit.id"], name="fk_assumption_commit_id"
        ),
        sa.ForeignKeyConstraint(
            ["machine_id"], ["machine.id"], name="fk_assumption_machine_id"
        ),
        sa.PrimaryKeyConstraint(
            "commit_id", "machine_id", "metric", name="pk_assumption"
        ),
    )
    op.execute(
        "INSERT INTO assumption (commit_id, machine_id, metric, noise) "  # noqa: S608
        "SELECT m.commit_id, s.machine_id, s.metric, "
        f"{_json('min(CAST(m.noise AS TEXT))')} "
        "FROM model AS m JOIN series AS s ON s.id = m.series_id "
        "WHERE m.noise IS NOT NULL GROUP BY m.commit_id, s.machine_id, s.metric"
    )
    op.drop_column("model", "noise")


def downgrade() -> None:
    op.add_column("model", sa.Column("noise", sa.JSON(none_as_null=True)))
    op.execute(
        "UPDATE model SET noise = (SELECT a.noise FROM assumption AS a "
        "JOIN series AS s ON s.machine_id = a.machine_id AND s.metric = a.metric "
        "WHERE s.id = model.series_id AND a.commit_id = model.commit_id)"
    )
    op.drop_table("assumption")


def _json(text: str) -> str:
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    return f"CAST({text} AS JSON)" if is_postgresql else text
