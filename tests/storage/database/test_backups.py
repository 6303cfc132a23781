"""Backups from anywhere: restored whole, or refused by the line that is wrong."""

import json

import pytest
import zstandard
from sqlalchemy import exists, func, select

from scalewatch.errors import UnreadableFile
from scalewatch.services.runs.record import prepare, record_prepared
from scalewatch.storage import tables
from scalewatch.storage.database import backups, schema
from scalewatch.storage.database.session import connect, sessions_of
from support.builders import run_report

REPOSITORY = "https://github.com/pmodels/mpich"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("restoring")


@pytest.fixture(scope="module")
def source(folder):
    """A database of SQLite with a run."""
    engine = connect(f"sqlite:///{folder}/source.db")
    schema.upgrade(engine)
    with sessions_of(engine).writing.begin() as session:
        report = run_report(
            commit={"sha": "v5.0.2", "author": "Ada", "repository": REPOSITORY}
        )
        record_prepared(session, [prepare(report)])
    yield engine
    engine.dispose()


@pytest.fixture(scope="module")
def empty(folder):
    """A database of SQLite in which nothing is ever left."""
    engine = connect(f"sqlite:///{folder}/empty.db")
    schema.upgrade(engine)
    yield engine
    engine.dispose()


@pytest.fixture(scope="module")
def lines(source, folder):
    """The lines of a backup."""
    backups.write(source, folder / "backup.zst")
    with (folder / "backup.zst").open("rb") as packed:
        whole = zstandard.ZstdDecompressor().stream_reader(packed).read()
    return whole.splitlines()


@pytest.fixture
def restore(empty, tmp_path):
    """Restore a backup of these lines into a database, by default the empty one."""

    def restore(lines, engine=empty):
        file = tmp_path / "crafted.zst"
        file.write_bytes(zstandard.compress(b"".join(line + b"\n" for line in lines)))
        return backups.restore(engine, file)

    return restore


def rows_of(engine):
    with engine.connect() as connection:
        return connection.scalar(select(func.count()).select_from(tables.Run))


def place_of_table(lines, name):
    return next(
        place
        for place, line in enumerate(lines)
        if line.startswith(b'{"table":"%s"' % name)
    )


CRAFTED = {
    "no JSON": b"[1,",
    "half a character": rb'["\ud800"]',
    "a number": b"17",
    "another table": b'{"table":"nonsense","columns":[]}',
    "a table that is a list": b'{"table":[],"columns":[]}',
    "no columns": b'{"table":"run"}',
    "columns of another": b'{"table":"run","columns":["id","colour"]}',
    "too few values": b"[1]",
    "an end too early": b'{"rows":1}',
    "an end of text": b'{"rows":"many"}',
}


@pytest.mark.parametrize("crafted", CRAFTED.values(), ids=CRAFTED)
def test_crafted_line_is_refused_by_its_number(restore, empty, lines, crafted):
    place = place_of_table(lines, b"run") + 1

    with pytest.raises(UnreadableFile, match=rf": line {place + 1}: expected .+found"):
        restore([*lines[:place], crafted, *lines[place:]])

    assert rows_of(empty) == 0


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("id", "x"),
        ("id", True),
        ("id", 0.5),
        ("id", 2**70),
        ("uuid", 5),
        ("uuid", "x"),
        ("suite", None),
        ("suite", ["x"]),
        ("received_at", 5),
        ("received_at", "yesterday"),
        ("received_at", "0001-01-01T00:00:00+14:00"),
        ("commit_id", 17),
        ("commit_id", 2**40),
        ("commit_id", {}),
    ],
    ids=str,
)
def test_value_that_fits_no_column_is_refused_by_its_line(
    restore, empty, lines, column, value
):
    place = place_of_table(lines, b"run") + 1
    row = json.loads(lines[place])
    row[list(tables.Run.__table__.columns.keys()).index(column)] = value

    with pytest.raises(UnreadableFile, match=r": line \d+: expected"):
        restore([*lines[:place], json.dumps(row).encode(), *lines[place + 1 :]])

    assert rows_of(empty) == 0


def test_rows_that_contradict_each_other_are_refused(restore, empty, lines):
    place = place_of_table(lines, b"project") + 1

    with pytest.raises(UnreadableFile, match="expected rows of project that"):
        restore([*lines[:place], lines[place], *lines[place:]])

    assert rows_of(empty) == 0


def test_line_without_end_is_refused_early(restore, lines, monkeypatch):
    monkeypatch.setattr(backups, "LONGEST_LINE", 3 * 2**20)

    with pytest.raises(UnreadableFile, match="line 2: expected at most 3 MiB"):
        restore([lines[0], b" " * (5 * 2**20), *lines[1:]])


@pytest.mark.parametrize("value", ["x", 2**40])
def test_refused_backup_leaves_no_row(restore, blank, lines, value):
    schema.upgrade(blank)
    place = place_of_table(lines, b"commit") + 1
    row = json.dumps([value, *json.loads(lines[place])[1:]]).encode()

    with pytest.raises(UnreadableFile, match=r": line \d+: expected"):
        restore([*lines[:place], row, *lines[place + 1 :]], blank)

    with blank.connect() as connection:
        assert not connection.scalar(select(exists().select_from(tables.Project)))


def test_author_and_repository_are_restored(restore, blank, lines):
    schema.upgrade(blank)

    restore(lines, blank)

    told = select(tables.Commit.author, tables.Project.repository).join_from(
        tables.Commit, tables.Project
    )
    with blank.connect() as connection:
        assert [*connection.execute(told).one()] == ["Ada", REPOSITORY]


def test_nul_that_an_older_version_stored_is_replaced(restore, blank, lines):
    schema.upgrade(blank)
    old = [
        line.replace(b'"mpi-collectives"', rb'"a\u0000b"').replace(
            b'{"p":4}', rb'{"p\u0000":["\u0000"]}'
        )
        for line in lines
    ]

    done = restore(old, blank)

    run = select(tables.Run.suite, tables.Run.coordinate)
    with blank.connect() as connection:
        assert [*connection.execute(run).one()] == ["a\ufffdb", {"p\ufffd": ["\ufffd"]}]
    assert done.mended > 0
