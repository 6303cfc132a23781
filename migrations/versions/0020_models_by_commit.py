"""Models and verdicts by commit and series, terms as text, in rows without nulls."""

from fractions import Fraction
from functools import cache
from typing import Any

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0020"
down_revision = "0019"

_KEPT = (
    "commit_id",
    "series_id",
    "modelled_at",
    "points",
    "repetitions",
    "constant",
    "adjusted_r2",
    "smape",
    "rule",
    "growth",
    "class_probability",
)
_JUDGED = "expectation_id, judged_at, verdict, deviation_limit, divergence, probability"
_EXPONENTS = ("parameter", "power", "log", "exp2")
_AT_ONCE = 20
"""Commits whose models are rewritten together."""


def upgrade() -> None:
    _retire("verdict", "model")
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
        sa.Column("class_probability", sa.JSON, nullable=False),
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
        sa.Column("probability", sa.JSON, nullable=False),
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
    _move_models()
    op.execute(
        f"INSERT INTO verdict (commit_id, series_id, reason, {_JUDGED}) "  # noqa: S608
        f"SELECT m.commit_id, m.series_id, coalesce(v.reason, ''), {_JUDGED} "
        "FROM former_verdict AS v JOIN former_model AS m ON m.id = v.model_id "
        "ORDER BY m.commit_id, m.series_id, v.expectation_id"
    )
    op.drop_table("former_verdict")
    op.drop_table("former_model")
    if _is_postgresql():
        op.execute("ANALYZE model")
        op.execute("ANALYZE verdict")


def downgrade() -> None:
    message = (
        "revision 0020 cannot be undone: terms that are kept as text are not taken "
        "apart again; restore a copy of the database from before it"
    )
    raise CommandError(message)


def _retire(*tables: str) -> None:
    """Give tables another name, and their indices, which PostgreSQL has by name."""
    for table in tables:
        op.rename_table(table, f"former_{table}")
        if _is_postgresql():
            op.execute(f"ALTER INDEX pk_{table} RENAME TO pk_former_{table}")


def _move_models() -> None:
    connection = op.get_bind()
    former, model = _model("former_model"), _model("model")
    last = connection.scalar(sa.select(sa.func.max(former.c.commit_id))) or 0
    for first in range(0, last + 1, _AT_ONCE):
        rows = connection.execute(
            sa.select(former)
            .where(former.c.commit_id.between(first, first + _AT_ONCE - 1))
            .order_by(former.c.commit_id, former.c.series_id)
        ).mappings()
        moved = [
            {**row, "terms": _pairs(row["terms"]), "reason": row["reason"] or ""}
            for row in rows
        ]
        if moved:
            connection.execute(sa.insert(model), moved)


def _model(name: str) -> sa.TableClause:
    """Return a table with what both layouts have in common."""
    document = sa.JSON(none_as_null=True)
    types: dict[str, Any] = {
        "modelled_at": sa.DateTime(timezone=True),
        "class_probability": document,
        "terms": document,
    }
    return sa.table(
        name,
        *(sa.column(each, types.get(each)) for each in (*_KEPT, "terms", "reason")),
    )


def _pairs(terms: list[dict[str, Any]]) -> list[tuple[float, str]]:
    return [
        (
            term["coefficient"],
            _growth(
                tuple(
                    tuple(factor[name] for name in _EXPONENTS)
                    for factor in term["factors"]
                )
            ),
        )
        for term in terms
    ]


@cache
def _growth(factors: tuple[tuple[str, str, str, str], ...]) -> str:
    """Return as text what is a product of p^power · log2(p)^log · 2^(exp2·p)."""
    written = []
    for parameter, power, log, exp2 in factors:
        if power != "0":
            written.append(parameter if power == "1" else f"{parameter}^({power})")
        if log != "0":
            raised = "" if log == "1" else f"^({log})"
            written.append(f"log{raised} {parameter}")
        if exp2 != "0":
            multiple = Fraction(exp2)
            above = f"{multiple.numerator}{parameter}"
            written.append(f"2^({above}/{multiple.denominator})")
    return " ".join(written) or "1"


def _is_postgresql() -> bool:
    return bool(op.get_bind().dialect.name == "postgresql")
