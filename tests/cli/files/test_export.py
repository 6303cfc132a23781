"""`scalewatch export`, and what other programs read of it."""

import io

import pytest
from click.testing import CliRunner
from pyarrow import parquet

from scalewatch.cli import main
from scalewatch.exporters.measurements import WRITERS
from scalewatch.importers import read_files
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import connect, sessions_of
from support.recorded import record_project


@pytest.fixture
def database(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path}/scalewatch.db"
    monkeypatch.setenv("SCALEWATCH_DATABASE_URL", url)
    engine = connect(url)
    schema.upgrade(engine)
    record_project(sessions_of(engine))
    yield url
    engine.dispose()


pytestmark = pytest.mark.usefixtures("database")


def export(*options):
    words = ["export", "--project", "openmpi", *options]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    return done.stdout_bytes


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_what_is_exported_can_be_read_again(tmp_path, kind):
    path = tmp_path / f"measured.{kind}"

    said = export("--format", kind, "--output", str(path), "--region", "MPI_Bcast")

    series = read_files([str(path)]).series
    table = parquet.read_table(
        io.BytesIO(export("--format", "parquet", "--region", "MPI_Bcast"))
    )
    assert f"measurements are in {path}" in said.decode()
    assert {each.region for each in series} == {"MPI_Bcast"}
    assert sum(each.values.size for each in series) == table.num_rows
    assert sorted(value for each in series for value in each.values.ravel()) == (
        pytest.approx(sorted(table["value"].to_pylist()))
    )


def test_each_series_is_an_index_of_gnuplot():
    text = export("--format", "gnuplot").decode()

    blocks = text.split("\n\n\n")
    for number, block in enumerate(blocks):
        title, columns, *rows = block.strip().splitlines()
        assert title.startswith(f"# index {number}: ")
        names = columns.removeprefix("# ").split()
        assert names[-2] == "median"
        assert rows
        assert all(len(list(map(float, row.split()))) == len(names) for row in rows)
    assert len(blocks) > 1


def test_a_latex_table_has_a_row_per_run():
    text = export("--format", "latex", "--region", "MPI_Bcast").decode()

    rows = [line for line in text.splitlines() if line.startswith(r"MPI\_Bcast")]
    assert rows
    assert {row.count(" & ") for row in rows} == {text.splitlines()[2].count(" & ")}


@pytest.mark.parametrize("kind", WRITERS)
def test_a_project_without_such_a_series_is_an_empty_file(kind):
    written = export("--format", kind, "--configuration", "transport=none")

    assert isinstance(written, bytes)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--region", "MPI_Nothing"], "region 'MPI_Nothing'"),
        (["--metric", "volts"], "metric 'volts'"),
        (["--machine", "nowhere"], "machine 'nowhere'"),
        (["--commit", "zzz"], "zzz"),
        (["--format", "xml"], "'xml' is not one of"),
        (["--output", "/nonexistent/file"], "No such file or directory"),
    ],
)
def test_what_cannot_be_exported_is_said(options, complaint):
    done = CliRunner().invoke(main, ["export", "--project", "openmpi", *options])

    assert done.exit_code != 0
    assert complaint in done.output
