from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from scalewatch.storage import schema
from scalewatch.storage.session import connect
from scalewatch.storage.tables import Table


def declarations(engine):
    """Return the lines of all CREATE statements, in any order."""
    with engine.connect() as connection:
        found = connection.execute(
            text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        ).all()
    return {
        "alembic_version"
        if name == "alembic_version"
        else frozenset(line.strip(" ,\t") for line in sql.splitlines())
        for name, sql in found
    }


def test_migrations_build_exactly_the_declared_tables(tmp_path):
    engine = connect(f"sqlite:///{tmp_path}/scalewatch.db")

    schema.upgrade(engine)

    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, Table.metadata) == []
    engine.dispose()


def test_migrations_build_the_same_sqlite_schema_as_the_declarations(tmp_path, engine):
    migrated = connect(f"sqlite:///{tmp_path}/migrated.db")

    schema.upgrade(migrated)

    # Comparing metadata does not see what is particular to SQLite.
    assert declarations(migrated) - declarations(engine) == {"alembic_version"}
    assert declarations(engine) <= declarations(migrated)
    migrated.dispose()


def test_upgrading_twice_changes_nothing(tmp_path):
    engine = connect(f"sqlite:///{tmp_path}/scalewatch.db")
    assert schema.version(engine) is None

    schema.upgrade(engine)
    schema.upgrade(engine)

    assert schema.version(engine) == schema.newest()
    engine.dispose()


def test_folder_of_the_database_is_created(tmp_path):
    engine = connect(f"sqlite:///{tmp_path}/home/of/scalewatch.db")

    schema.upgrade(engine)

    assert (tmp_path / "home" / "of" / "scalewatch.db").exists()
    engine.dispose()
