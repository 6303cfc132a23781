"""Quartiles of points by their distance from the median, and one key for each run."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"

_SHARED = "run_id, series_id, start, count, minimum, q50, q95, mean, deviation, flags"
_LARGEST = 3.4028234e38
"""Of the numbers in single precision; the least one that is no zero is 1.4e-45."""

_TINY = 1e-44

_SINGLE = (
    f"CASE WHEN {{0}} > {_LARGEST} THEN {_LARGEST} "
    f"WHEN {{0}} < {_TINY} THEN 0 ELSE {{0}} END"
)


def upgrade() -> None:
    _retire("pk_point")
    _create(
        sa.Column("q50", sa.Double),
        sa.Column("below", sa.REAL),
        sa.Column("above", sa.REAL),
    )
    below, above = _SINGLE.format("(q50 - q25)"), _SINGLE.format("(q75 - q50)")
    _move("below, above", f"{below}, {above}")
    if _is_postgresql():
        op.create_index("ix_point_run_id", "point", ["run_id"])
    _refer()


def downgrade() -> None:
    _retire("ix_point_run_id")
    _create(*(sa.Column(name, sa.Double) for name in ("q25", "q50", "q75")))
    _move("q25, q75", "q50 - below, q50 + above")
    if _is_postgresql():
        op.create_primary_key("pk_point", "point", ["run_id", "series_id"])
    _refer()


def _retire(index: str) -> None:
    """Give the present table another name; columns cannot leave a row otherwise."""
    op.rename_table("point", "former_point")
    if _is_postgresql():
        op.execute(f"ALTER INDEX {index} RENAME TO former_{index}")


def _create(*quartiles: sa.Column[float]) -> None:
    """Create the table, on PostgreSQL without what rows are slow under."""
    keys = [
        sa.PrimaryKeyConstraint("run_id", "series_id", name="pk_point"),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name="fk_point_run_id", ondelete="cascade"
        ),
        sa.ForeignKeyConstraint(
            ["series_id"], ["series.id"], name="fk_point_series_id"
        ),
    ]
    op.create_table(
        "point",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("series_id", sa.Integer, nullable=False),
        sa.Column("start", sa.Integer, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("minimum", sa.Double),
        *quartiles,
        sa.Column("q95", sa.REAL),
        sa.Column("mean", sa.REAL),
        sa.Column("deviation", sa.REAL),
        sa.Column(
            "flags", sa.SmallInteger, server_default=sa.text("0"), nullable=False
        ),
        sa.Column("reason", sa.String, server_default="", nullable=False),
        *([] if _is_postgresql() else keys),
        sqlite_with_rowid=False,
    )


def _move(names: str, values: str) -> None:
    op.execute(
        f"INSERT INTO point ({_SHARED}, {names}, reason) "  # noqa: S608 - our own names
        f"SELECT {_SHARED}, {values}, reason FROM former_point "
        "ORDER BY run_id, series_id"
    )
    op.drop_table("former_point")


def _refer() -> None:
    if _is_postgresql():
        op.create_foreign_key(
            "fk_point_run_id", "point", "run", ["run_id"], ["id"], ondelete="cascade"
        )
        op.create_foreign_key(
            "fk_point_series_id", "point", "series", ["series_id"], ["id"]
        )
        op.execute("ANALYZE point")


def _is_postgresql() -> bool:
    return bool(op.get_bind().dialect.name == "postgresql")
