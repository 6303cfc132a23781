"""`scalewatch export`, and what other programs read of it."""

import io
import json
from collections import defaultdict
from dataclasses import replace

import pytest
from click.testing import CliRunner
from pyarrow import parquet

from scalewatch.cli import main
from scalewatch.exporters.measurements import WRITERS, Exported
from scalewatch.importers import read_files
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import connect, sessions_of
from support.recorded import record_project


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The address of a database with a project, which exporting only reads."""
    url = f"sqlite:///{tmp_path_factory.mktemp('recorded')}/scalewatch.db"
    engine = connect(url)
    schema.upgrade(engine)
    record_project(sessions_of(engine))
    engine.dispose()
    return url


@pytest.fixture
def database(recorded, environment_variables):
    environment_variables.setenv("SCALEWATCH_DATABASE_URL", recorded)


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
    header = next(line for line in text.splitlines() if " & " in line)
    assert rows
    assert {row.count(" & ") for row in rows} == {header.count(" & ")}


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


def test_extra_p_keeps_machines_and_configurations_apart():
    """Extra-P keys by call path, metric and parameters, and knows nothing else."""
    lines = [json.loads(line) for line in export("--format", "jsonl").splitlines()]

    by_key = defaultdict(set)
    for line in lines:
        key = (line["callpath"], line["metric"], json.dumps(line["params"]))
        by_key[key].add(json.dumps([line["region"], line["configuration"]]))
    assert {len(groups) for groups in by_key.values()} == {1}
    assert len({line["callpath"] for line in lines}) > len(
        {line["region"] for line in lines}
    )


def test_call_path_of_a_single_group_is_the_region(one_group):
    lines = [json.loads(line) for line in written("jsonl", one_group)]

    assert [line["callpath"] for line in lines] == ["MPI_Bcast", "MPI_Bcast"]


@pytest.fixture
def one_group():
    return [exported(p=p, values=(p * 1e-6, p * 3e-6, p * 2e-6)) for p in (2, 4)]


def exported(p, values, **fields):
    ordered = sorted(values)
    defaults = {
        "project": "code",
        "commit": "v1",
        "machine": "jureca",
        "region": "MPI_Bcast",
        "metric": "time",
        "unit": "s",
        "coordinate": {"p": p},
        "configuration": {"message_bytes": 8},
        "quartiles": (ordered[0], ordered[1], ordered[2]),
        "values": values,
    }
    return Exported(**defaults | fields)


def written(kind, measured):
    file = io.BytesIO()
    WRITERS[kind](measured, file)
    return file.getvalue().splitlines()


def test_bencher_has_latencies_in_nanoseconds_with_bounds(one_group):
    other = replace(one_group[0], machine="daint")

    held = json.loads(b"".join(written("bmf", [*one_group, other])))

    assert held["MPI_Bcast/p=4/machine=jureca"]["latency"] == pytest.approx(
        {"value": 8000, "lower_value": 4000, "upper_value": 12000}
    )
    assert len(held) == 3


def test_list_names_unit_and_median(one_group):
    memory = replace(one_group[1], metric="memory", unit="B")

    rows = json.loads(b"".join(written("list", [*one_group, memory])))

    assert [row["name"] for row in rows] == [
        "MPI_Bcast/p=2",
        "MPI_Bcast/p=4/metric=memory",
        "MPI_Bcast/p=4",
    ]
    assert rows[0]["value"] == pytest.approx(4e-6)
    assert rows[0]["unit"] == "s"


@pytest.mark.parametrize("kind", ["bmf", "list"])
def test_medians_for_other_dashboards_can_be_read_again(tmp_path, kind, one_group):
    path = tmp_path / "medians.json"
    path.write_bytes(b"".join(written(kind, one_group)))

    [series] = read_files([str(path)]).series

    assert (series.region, series.metric, series.unit) == ("MPI_Bcast", "time", "s")
    assert series.settings.ravel().tolist() == [2, 4]
    assert series.values.ravel().tolist() == pytest.approx([4e-6, 8e-6])
