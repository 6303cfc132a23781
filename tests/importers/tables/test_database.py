import sqlite3
from pathlib import Path

import pytest

from scalewatch.importers import read_files
from support.samples import sample


@pytest.fixture
def database(tmp_path):
    """Make a database of one table from its declaration and rows."""

    def make(declaration, *rows):
        path = tmp_path / "results.db"
        with sqlite3.connect(path) as opened:
            opened.execute(f"CREATE TABLE results ({declaration})")
            for row in rows:
                marks = ",".join("?" * len(row))
                opened.execute("INSERT INTO results VALUES (" + marks + ")", row)  # noqa: S608
        opened.close()
        return str(path)

    return make


def test_database_of_jube_says_what_its_table_says() -> None:
    told = read_files([sample("jube/generated-2.5.1/result.csv")]).series

    time, bandwidth = read_files([sample("jube/generated-2.5.1/results.db")]).series

    assert time.settings[:, 0].tolist() == [4, 8, 16, 32, 64]
    assert time.values[:, 0].tolist() == [26, 14, 8, 5, 3.5]
    assert bandwidth.values[:, 0].tolist() == [7, 14, 28, 56, 112]
    assert [one.values.tolist() for one in told] == [
        time.values.tolist(),
        bandwidth.values.tolist(),
    ]


def test_null_is_a_missing_value_and_numbers_keep_their_digits(database) -> None:
    path = database("p int, runtime float", (4, 0.1 + 0.2), (8, None), (16, 1e-7))

    [series] = read_files([path]).series

    assert series.values[[0, 2], 0].tolist() == [0.1 + 0.2, 1e-7]
    assert series.values[1, 0] != series.values[1, 0]


def test_cut_database_is_refused(database, write) -> None:
    path = database("p int, runtime float", *((p, p / 2) for p in range(1, 2000)))
    content = Path(path).read_bytes()

    [error] = read_files([write(content[: len(content) // 2])]).unreadable

    assert "the database is broken" in str(error)


def test_database_without_tables_or_values_is_refused(database, tmp_path) -> None:
    nothing = str(tmp_path / "nothing.db")
    with sqlite3.connect(nothing) as opened:
        opened.execute("CREATE VIEW seen AS SELECT 1")
    opened.close()

    empty, text = read_files([nothing, database("name text", ("a",))]).unreadable

    assert "the database has no table" in str(empty)
    assert "expected one column of a parameter" in str(text)
