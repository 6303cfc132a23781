import re

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from scalewatch.storage import schema
from scalewatch.storage.session import connect
from scalewatch.storage.tables import Table

SEPARATOR = re.compile(r"\n|,(?![^(]*\))")
"""Between clauses: the end of a line, or a comma outside of parentheses."""


def declarations(engine):
    """Return the clauses of all CREATE statements, in any order.

    A column that a later migration adds comes last, on a line with others.
    """
    with engine.connect() as connection:
        found = connection.execute(
            text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        ).all()
    return {
        "alembic_version"
        if name == "alembic_version"
        else frozenset(
            clause.strip(" ,\t") for clause in SEPARATOR.split(sql.removesuffix(")"))
        )
        for name, sql in found
    }


@pytest.fixture
def blank(dialect, tmp_path, request):
    """A database without a schema."""
    if dialect == "postgresql":
        server = request.getfixturevalue("postgresql")
        engine = connect(server.create("blank"))
        yield engine
        engine.dispose()
        server.drop("blank")
    else:
        engine = connect(f"sqlite:///{tmp_path}/blank.db")
        yield engine
        engine.dispose()


def test_migrations_build_exactly_the_declared_tables(blank):
    schema.upgrade(blank)

    with blank.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, Table.metadata) == []


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_migrations_build_the_same_sqlite_schema_as_the_declarations(tmp_path, engine):
    migrated = connect(f"sqlite:///{tmp_path}/migrated.db")

    schema.upgrade(migrated)

    # Comparing metadata does not see what is particular to SQLite.
    assert declarations(migrated) - declarations(engine) == {"alembic_version"}
    assert declarations(engine) <= declarations(migrated)
    migrated.dispose()


def test_upgrading_twice_changes_nothing(blank):
    assert schema.version(blank) is None

    schema.upgrade(blank)
    schema.upgrade(blank)

    assert schema.version(blank) == schema.newest()


def test_folder_of_the_database_is_created(tmp_path):
    engine = connect(f"sqlite:///{tmp_path}/home/of/scalewatch.db")

    schema.upgrade(engine)

    assert (tmp_path / "home" / "of" / "scalewatch.db").exists()
    engine.dispose()
