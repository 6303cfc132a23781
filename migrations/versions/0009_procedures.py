"""How repetitions were taken: once per run, compressed, and a number of flags."""

from itertools import groupby
from typing import Any

import orjson
import sqlalchemy as sa
import zstandard
from alembic import op

revision = "0009"
down_revision = "0008"

_POINT = sa.table(
    "point",
    sa.column("series_id", sa.Integer),
    sa.column("run_id", sa.Integer),
    sa.column("flags", sa.SmallInteger),
    sa.column("procedure", sa.JSON(none_as_null=True)),
)
_PROCEDURE = sa.table(
    "procedure", sa.column("run_id", sa.Integer), sa.column("blob", sa.LargeBinary)
)
_AT_ONCE = 100


def upgrade() -> None:
    op.create_table(
        "procedure",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("blob", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name="fk_procedure_run_id", ondelete="cascade"
        ),
        sa.PrimaryKeyConstraint("run_id", name="pk_procedure"),
    )
    flags = sa.Column(
        "flags", sa.SmallInteger, server_default=sa.text("0"), nullable=False
    )
    op.add_column("point", flags)
    _move()
    op.execute("ALTER TABLE point DROP COLUMN procedure")


def downgrade() -> None:
    op.execute("ALTER TABLE point ADD COLUMN procedure JSON")
    connection = op.get_bind()
    for run_id, blob in connection.execute(sa.select(_PROCEDURE)).all():
        for series_id, told in orjson.loads(zstandard.decompress(blob)).items():
            at = (_POINT.c.run_id == run_id) & (_POINT.c.series_id == int(series_id))
            connection.execute(sa.update(_POINT).where(at).values(procedure=told))
    op.execute("ALTER TABLE point DROP COLUMN flags")
    op.drop_table("procedure")


def _move() -> None:
    connection = op.get_bind()
    last = connection.scalar(sa.select(sa.func.max(_POINT.c.run_id))) or 0
    for first in range(0, last + 1, _AT_ONCE):
        rows = connection.execute(
            sa.select(_POINT.c.run_id, _POINT.c.series_id, _POINT.c.procedure)
            .where(
                _POINT.c.run_id.between(first, first + _AT_ONCE - 1),
                _POINT.c.procedure.is_not(None),
            )
            .order_by(_POINT.c.run_id)
        ).all()
        for run_id, points in groupby(rows, key=lambda row: row.run_id):
            _move_run(connection, run_id, list(points))


def _move_run(connection: sa.Connection, run_id: int, points: list[Any]) -> None:
    told = {str(point.series_id): point.procedure for point in points}
    blob = zstandard.compress(orjson.dumps(told))
    connection.execute(sa.insert(_PROCEDURE), {"run_id": run_id, "blob": blob})
    flagged: dict[int, list[int]] = {}
    for point in points:
        if flags := _flags(point.procedure):
            flagged.setdefault(flags, []).append(point.series_id)
    for flags, series in flagged.items():
        at = (_POINT.c.run_id == run_id) & _POINT.c.series_id.in_(series)
        connection.execute(sa.update(_POINT).where(at).values(flags=flags))


def _flags(told: dict[str, Any]) -> int:
    """Return the bits of `services.measurements.Flag`, as that was then."""
    caveats = told.get("caveats") or ()
    raised = (
        told.get("oversubscribed"),
        told.get("synchronisation") == "barrier",
        "clock" in caveats,
        "interpreted" in caveats,
    )
    return sum(1 << place for place, is_raised in enumerate(raised) if is_raised)
