"""Find the children of a commit by an index, however many commits there are."""

from alembic import op

revision = "0027"
down_revision = "0026"

_NAMES = ("first_parent", "second_parent", "more_parents")


def upgrade() -> None:
    is_sqlite = op.get_bind().dialect.name == "sqlite"
    parent = "json_extract(parents, '$[{}]')" if is_sqlite else "(parents ->> {})"
    first, second, third = (parent.format(place) for place in range(3))
    columns = (
        f"({first})",
        f"({second}) WHERE {second} IS NOT NULL",
        f"(project_id) WHERE {third} IS NOT NULL",
    )
    for name, column in zip(_NAMES, columns, strict=True):
        op.execute(f'CREATE INDEX ix_commit_{name} ON "commit" {column}')
    if not is_sqlite:
        op.execute('ANALYZE "commit"')  # what an expression is like is known by it


def downgrade() -> None:
    for name in _NAMES:
        op.drop_index(f"ix_commit_{name}", "commit")
