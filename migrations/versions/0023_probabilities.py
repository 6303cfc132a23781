"""Probabilities of growths and verdicts in one blob for each analysis."""

from itertools import groupby
from typing import Any

import orjson
import sqlalchemy as sa
import zstandard
from alembic import op

revision = "0023"
down_revision = "0022"

_AT_ONCE = 20
"""Commits whose models are read together."""

_MODEL = (
    "commit_id, series_id, modelled_at, points, repetitions, constant, adjusted_r2, "
    "smape, rule, growth, terms, reason"
)
_VERDICT = (
    "commit_id, series_id, expectation_id, judged_at, verdict, deviation_limit, "
    "divergence, reason"
)
_FOUND = (
    "SELECT m.commit_id, s.machine_id, m.series_id, "
    "CAST(m.class_probability AS TEXT) AS growths, "
    "CAST(v.probability AS TEXT) AS verdicts, v.expectation_id "
    "FROM former_model AS m JOIN series AS s ON s.id = m.series_id "
    "LEFT JOIN former_verdict AS v "
    "ON v.commit_id = m.commit_id AND v.series_id = m.series_id "
    "WHERE m.commit_id BETWEEN :first AND :last "
    "ORDER BY m.commit_id, s.machine_id, m.series_id, v.expectation_id"
)


def upgrade() -> None:
    op.create_table(
        "probabilities",
        sa.Column("commit_id", sa.Integer, nullable=False),
        sa.Column("machine_id", sa.Integer, nullable=False),
        sa.Column("blob", sa.LargeBinary, nullable=False),
        *(
            sa.ForeignKeyConstraint(
                [f"{each}_id"], [f"{each}.id"], name=f"fk_probabilities_{each}_id"
            )
            for each in ("commit", "machine")
        ),
        sa.PrimaryKeyConstraint("commit_id", "machine_id", name="pk_probabilities"),
    )
    _replace()
    _gather()
    _copy()


def downgrade() -> None:
    likely = sa.Column("class_probability", sa.JSON, nullable=False)
    _replace([likely], [sa.Column("probability", sa.JSON, nullable=False)])
    _copy(", class_probability", ", probability")
    _spread()
    op.drop_table("probabilities")


def _replace(
    of_model: list[sa.Column[Any]] | None = None,
    of_verdict: list[sa.Column[Any]] | None = None,
) -> None:
    """Put empty tables in place of models and verdicts, which get another name.

    A column that is only dropped takes its place in rows of PostgreSQL for ever.
    """
    for table in ("verdict", "model"):
        op.rename_table(table, f"former_{table}")
        if _is_postgresql():
            op.execute(f"ALTER INDEX pk_{table} RENAME TO pk_former_{table}")
    op.create_table(
        "model",
        sa.Column("commit_id", sa.Integer, nullable=False),
        sa.Column("series_id", sa.Integer, nullable=False),
        sa.Column("modelled_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("points", sa.Integer, nullable=False),
        sa.Column("repetitions", sa.Integer, nullable=False),
        sa.Column("constant", sa.Double),
        sa.Column("adjusted_r2", sa.Double),
        sa.Column("smape", sa.Double),
        sa.Column("rule", sa.String, nullable=False),
        sa.Column("growth", sa.String),
        sa.Column("terms", sa.JSON, nullable=False),
        *(of_model or []),
        sa.Column("reason", sa.String, server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["commit_id"], ["commit.id"], name="fk_model_commit_id"
        ),
        sa.ForeignKeyConstraint(
            ["series_id"], ["series.id"], name="fk_model_series_id"
        ),
        sa.PrimaryKeyConstraint("commit_id", "series_id", name="pk_model"),
    )
    op.create_table(
        "verdict",
        sa.Column("commit_id", sa.Integer, nullable=False),
        sa.Column("series_id", sa.Integer, nullable=False),
        sa.Column("expectation_id", sa.Integer, nullable=False),
        sa.Column("judged_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("verdict", sa.String, nullable=False),
        sa.Column("deviation_limit", sa.String, nullable=False),
        sa.Column("divergence", sa.String),
        *(of_verdict or []),
        sa.Column("reason", sa.String, server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["commit_id", "series_id"],
            ["model.commit_id", "model.series_id"],
            name="fk_verdict_commit_id_series_id",
            ondelete="cascade",
        ),
        sa.ForeignKeyConstraint(
            ["expectation_id"], ["expectation.id"], name="fk_verdict_expectation_id"
        ),
        sa.PrimaryKeyConstraint(
            "commit_id", "series_id", "expectation_id", name="pk_verdict"
        ),
    )


def _copy(of_model: str = "", of_verdict: str = "") -> None:
    """Fill the tables from the former ones, and drop these."""
    nothing = {text: text and ", '{}'" for text in (of_model, of_verdict)}
    op.execute(
        f"INSERT INTO model ({_MODEL}{of_model}) "  # noqa: S608 - our own names
        f"SELECT {_MODEL}{nothing[of_model]} FROM former_model "
        "ORDER BY commit_id, series_id"
    )
    op.execute(
        f"INSERT INTO verdict ({_VERDICT}{of_verdict}) "  # noqa: S608
        f"SELECT {_VERDICT}{nothing[of_verdict]} FROM former_verdict "
        "ORDER BY commit_id, series_id, expectation_id"
    )
    for table in ("verdict", "model"):
        op.drop_table(f"former_{table}")
        if _is_postgresql():
            op.execute(f"ANALYZE {table}")


def _gather() -> None:
    """Write what was said of each series into blobs, see `storage.probabilities`."""
    connection = op.get_bind()
    table = sa.table("probabilities", *map(sa.column, ("commit_id", "machine_id")))
    table.append_column(sa.column("blob", sa.LargeBinary))
    for first, last in _ranges(connection, "former_model"):
        found = connection.execute(sa.text(_FOUND), {"first": first, "last": last})
        rows = []
        for (commit_id, machine_id), group in groupby(found, lambda row: row[:2]):
            lines: dict[int, str] = {}  # the newest expectation comes last
            for _, _, series_id, growths, verdicts, by in group:
                told = _compact(growths), _compact(verdicts or "{}"), str(by or "")
                lines[series_id] = "\t".join((str(series_id), *told))
            blob = zstandard.compress("\n".join(lines.values()).encode())
            rows.append(
                {"commit_id": commit_id, "machine_id": machine_id, "blob": blob}
            )
        if rows:
            connection.execute(sa.insert(table), rows)


def _spread() -> None:
    """Write what blobs say back to models and verdicts."""
    connection = op.get_bind()
    for first, last in _ranges(connection, "probabilities"):
        blobs = connection.execute(
            sa.text(
                "SELECT commit_id, blob FROM probabilities "
                "WHERE commit_id BETWEEN :first AND :last"
            ),
            {"first": first, "last": last},
        ).all()
        for commit_id, blob in blobs:
            for line in zstandard.decompress(blob).decode().splitlines():
                series_id, growths, verdicts, by = line.split("\t")
                place = {"commit": commit_id, "series": int(series_id)}
                connection.execute(
                    sa.text(
                        "UPDATE model SET class_probability = :told "
                        "WHERE commit_id = :commit AND series_id = :series"
                    ),
                    place | {"told": growths},
                )
                if by:
                    connection.execute(
                        sa.text(
                            "UPDATE verdict SET probability = :told "
                            "WHERE commit_id = :commit AND series_id = :series "
                            "AND expectation_id = :by"
                        ),
                        place | {"told": verdicts, "by": int(by)},
                    )


def _ranges(connection: sa.Connection, table: str) -> list[tuple[int, int]]:
    highest = connection.scalar(sa.text(f"SELECT max(commit_id) FROM {table}")) or 0  # noqa: S608
    return [(n, n + _AT_ONCE - 1) for n in range(1, highest + 1, _AT_ONCE)]


def _compact(document: str) -> str:
    """Return JSON without blanks: in it lie neither tabs nor ends of lines."""
    return orjson.dumps(orjson.loads(document)).decode()


def _is_postgresql() -> bool:
    return bool(op.get_bind().dialect.name == "postgresql")
