"""Points by run, without what nobody reads, in rows without nulls."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"

_LARGEST = 3.4028235e38
"""Of the numbers in single precision; the least one that is no zero is 1.4e-45."""

_TINY = 1e-44

_SINGLE = (
    f"CASE WHEN abs({{0}}) > {_LARGEST} THEN NULL "
    f"WHEN abs({{0}}) < {_TINY} THEN 0 ELSE {{0}} END"
)


def upgrade() -> None:
    _retire()
    op.create_table(
        "point",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("series_id", sa.Integer, nullable=False),
        sa.Column("start", sa.Integer, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("minimum", sa.Double),
        sa.Column("q25", sa.Double),
        sa.Column("q50", sa.Double),
        sa.Column("q75", sa.Double),
        sa.Column("q95", sa.REAL),
        sa.Column("mean", sa.REAL),
        sa.Column("deviation", sa.REAL),
        _flags(),
        sa.Column("reason", sa.String, server_default="", nullable=False),
        *_keys("run_id", "series_id"),
        sqlite_with_rowid=False,
    )
    names = "run_id, series_id, start, count, minimum, q25, q50, q75, flags"
    _move(
        f"{names}, q95, mean, deviation, reason",
        f"{names}, {_SINGLE.format('q95')}, {_SINGLE.format('mean')}, "
        f"{_SINGLE.format('deviation')}, coalesce(reason, '')",
        "run_id, series_id",
    )


def downgrade() -> None:
    _retire()
    numbers = ("minimum", "q05", "q25", "q50", "q75", "q95", "mean", "deviation")
    op.create_table(
        "point",
        sa.Column("series_id", sa.Integer, nullable=False),
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("start", sa.Integer, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Double) for name in numbers),
        sa.Column("reason", sa.String),
        _flags(),
        *_keys("series_id", "run_id"),
        sqlite_with_rowid=False,
    )
    names = "run_id, series_id, start, count, minimum, q25, q50, q75, flags"
    names = f"{names}, q95, mean, deviation"
    _move(f"{names}, reason", f"{names}, nullif(reason, '')", "series_id, run_id")
    op.create_index("ix_point_run_id", "point", ["run_id"])


def _flags() -> sa.Column[int]:
    return sa.Column(
        "flags", sa.SmallInteger, server_default=sa.text("0"), nullable=False
    )


def _keys(*primary: str) -> list[sa.Constraint]:
    """Return the constraints, on PostgreSQL without those that rows are slow under."""
    if _is_postgresql():
        return []
    return [
        sa.PrimaryKeyConstraint(*primary, name="pk_point"),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name="fk_point_run_id", ondelete="cascade"
        ),
        sa.ForeignKeyConstraint(
            ["series_id"], ["series.id"], name="fk_point_series_id"
        ),
    ]


def _retire() -> None:
    """Give the present table another name; columns cannot leave a row otherwise."""
    op.rename_table("point", "former_point")
    if _is_postgresql():
        op.execute("ALTER INDEX pk_point RENAME TO pk_former_point")
        op.execute("DROP INDEX IF EXISTS ix_point_run_id")


def _move(names: str, values: str, order: str) -> None:
    op.execute(
        f"INSERT INTO point ({names}) SELECT {values} FROM former_point "  # noqa: S608
        f"ORDER BY {order}"
    )
    op.drop_table("former_point")
    if _is_postgresql():
        op.create_primary_key("pk_point", "point", order.split(", "))
        op.create_foreign_key(
            "fk_point_run_id", "point", "run", ["run_id"], ["id"], ondelete="cascade"
        )
        op.create_foreign_key(
            "fk_point_series_id", "point", "series", ["series_id"], ["id"]
        )
        op.execute("ANALYZE point")


def _is_postgresql() -> bool:
    return bool(op.get_bind().dialect.name == "postgresql")
