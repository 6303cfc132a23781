"""The settings at which series were measured, once instead of with each location."""

from hashlib import sha256

import orjson
import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

_DOCUMENT = sa.JSON(none_as_null=True)


def upgrade() -> None:
    op.create_table(
        "grid",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("digest", sa.String, nullable=False),
        sa.Column("parameters", sa.JSON, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_grid"),
        sa.UniqueConstraint("digest", name="uq_grid_digest"),
    )
    op.rename_table("location", "former_location")
    if _is_postgresql():
        op.execute("ALTER INDEX pk_location RENAME TO pk_former_location")
    op.create_table(
        "location",
        sa.Column("series_id", sa.Integer, nullable=False),
        sa.Column("commit_id", sa.Integer, nullable=False),
        sa.Column("fingerprint_id", sa.Integer, nullable=False),
        sa.Column("grid_id", sa.Integer, nullable=False),
        sa.Column("log", sa.JSON, nullable=False),
        *(_key(each) for each in ("series", "commit", "fingerprint", "grid")),
        sa.PrimaryKeyConstraint("series_id", "commit_id", name="pk_location"),
        sqlite_with_rowid=False,
    )
    _move()
    op.drop_table("former_location")
    op.drop_table("written_grid")
    if _is_postgresql():
        op.execute("ANALYZE location")


def downgrade() -> None:
    for name in ("parameters", "settings"):
        op.add_column("location", sa.Column(name, _DOCUMENT))
        op.execute(
            f"UPDATE location SET {name} = (SELECT g.{name} FROM grid AS g "  # noqa: S608
            "WHERE g.id = location.grid_id)"
        )
    with op.batch_alter_table("location") as location:
        location.alter_column("parameters", nullable=False)
        location.alter_column("settings", nullable=False)
        location.drop_constraint("fk_location_grid_id", type_="foreignkey")
        location.drop_column("grid_id")
    op.create_index("ix_location_commit_id", "location", ["commit_id"])
    op.drop_table("grid")


def _key(table: str) -> sa.ForeignKeyConstraint:
    name = f"fk_location_{table}_id"
    return sa.ForeignKeyConstraint([f"{table}_id"], [f"{table}.id"], name=name)


def _move() -> None:
    """Find the grids, equal ones however they were written, and refer to them."""
    connection = op.get_bind()
    text = sa.column("parameters", sa.Text), sa.column("settings", sa.Text)
    former = sa.table("former_location", *text)
    found = connection.execute(
        sa.select(*(sa.cast(each, sa.Text) for each in former.c)).distinct()
    ).all()
    written = op.create_table(
        "written_grid",
        sa.Column("parameters", sa.Text),
        sa.Column("settings", sa.Text),
        sa.Column("grid_id", sa.Integer),
    )
    grids: dict[str, dict[str, object]] = {}
    rows = []
    for texts in found:
        parameters, settings = map(orjson.loads, texts)
        digest = sha256(orjson.dumps([parameters, settings])).hexdigest()
        grid = grids.setdefault(
            digest,
            {
                "id": len(grids) + 1,
                "digest": digest,
                "parameters": parameters,
                "settings": settings,
            },
        )
        keys = {"parameters": texts[0], "settings": texts[1], "grid_id": grid["id"]}
        rows.append(keys)
    if not rows:
        return
    documents = [sa.column(each, _DOCUMENT) for each in ("parameters", "settings")]
    grid_table = sa.table("grid", sa.column("id"), sa.column("digest"), *documents)
    connection.execute(sa.insert(grid_table), [*grids.values()])
    connection.execute(sa.insert(written), rows)
    # PostgreSQL's rows lie as they come, and they come commit by commit.
    order = "l.commit_id, l.series_id" if _is_postgresql() else "1, 2"
    op.execute(
        "INSERT INTO location (series_id, commit_id, fingerprint_id, grid_id, log) "  # noqa: S608
        "SELECT l.series_id, l.commit_id, l.fingerprint_id, w.grid_id, l.log "
        "FROM former_location AS l JOIN written_grid AS w "
        "ON w.parameters = CAST(l.parameters AS TEXT) "
        f"AND w.settings = CAST(l.settings AS TEXT) ORDER BY {order}"
    )
    if _is_postgresql():
        op.execute("SELECT setval('grid_id_seq', (SELECT max(id) FROM grid))")


def _is_postgresql() -> bool:
    return bool(op.get_bind().dialect.name == "postgresql")
