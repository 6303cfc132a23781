"""A mark of what is known of a commit on a machine, another one whenever it changes."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.create_table(
        "edition",
        sa.Column("commit_id", sa.Integer(), nullable=False),
        sa.Column("machine_id", sa.Integer(), nullable=False),
        sa.Column("mark", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(
            ["commit_id"], ["commit.id"], name="fk_edition_commit_id"
        ),
        sa.ForeignKeyConstraint(
            ["machine_id"], ["machine.id"], name="fk_edition_machine_id"
        ),
        sa.PrimaryKeyConstraint("commit_id", "machine_id", name="pk_edition"),
    )
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    mark = "gen_random_uuid()" if is_postgresql else "lower(hex(randomblob(16)))"
    op.execute(
        "INSERT INTO edition (commit_id, machine_id, mark) "  # noqa: S608
        f"SELECT commit_id, machine_id, {mark} FROM "
        "(SELECT DISTINCT m.commit_id, s.machine_id "
        "FROM model AS m JOIN series AS s ON s.id = m.series_id) AS analysed"
    )


def downgrade() -> None:
    op.drop_table("edition")
