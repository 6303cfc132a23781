"""`GET /measurements` and `/models` as CSV, JSON Lines, Parquet and Arrow."""

import csv
import io
import json
import sys
import tracemalloc

import pyarrow as pa
import pytest
from pyarrow import parquet

from scalewatch.importers.files import read_files
from scalewatch.services.files import bulk
from support.builders import result, run, run_report, sweep_reports
from support.histories import TREE, record_commit
from support.recorded import record

AT = "/api/v1/projects/mpich"
PROCESSES = (2, 4, 8)


@pytest.fixture
def recorded(sessions):
    """Three process counts on two machines, ten repetitions of two regions each."""
    record(sessions, sweep_reports(PROCESSES))
    daint = {"machine": {"name": "daint", "fingerprint": {}}}
    record(sessions, sweep_reports(PROCESSES, seed=2, **daint))


def rows(client, **query):
    answer = client.get(f"{AT}/measurements", params={"format": "csv", **query})
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.text)))


@pytest.mark.usefixtures("recorded")
def test_every_repetition_is_a_row(client):
    found = rows(client)

    assert len(found) == 2 * 3 * 2 * 10
    first = found[0]
    assert first["project"] == "mpich"
    assert {row["p"] for row in found} == {"2", "4", "8"}
    assert {row["message_bytes"] for row in found} == {"256"}
    posted = sweep_reports(PROCESSES)[0].results[0]
    taken = [
        row
        for row in found
        if (row["run"], row["region"]) == (first["run"], posted.region)
    ]
    assert [float(row["value"]) for row in taken] == pytest.approx(posted.values)


@pytest.mark.usefixtures("recorded")
def test_rows_are_the_same_however_few_are_in_memory(client, monkeypatch):
    whole = rows(client)
    monkeypatch.setattr(bulk, "POINTS_AT_ONCE", 1)
    monkeypatch.setattr(bulk, "ROWS", 3)

    assert rows(client) == whole


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize(
    ("query", "share"),
    [
        ({"region": "MPI_Bcast"}, 1 / 2),
        ({"machine": "daint"}, 1 / 2),
        ({"metric": "time"}, 1),
        ({"metric": "memory"}, 0),
        ({"commit": "v5.0.2"}, 1),
        ({"configuration": "message_bytes=256"}, 1),
        ({"configuration": "message_bytes=8"}, 0),
        ({"region": "MPI_Bcast", "machine": "daint"}, 1 / 4),
    ],
)
def test_rows_are_those_that_were_asked_for(client, query, share):
    assert len(rows(client, **query)) == share * 120


@pytest.mark.usefixtures("recorded")
def test_formats_hold_the_same(client):
    told = rows(client)
    answers = {
        kind: client.get(f"{AT}/measurements", params={"format": kind}).content
        for kind in ("jsonl", "parquet", "arrow")
    }

    lines = [json.loads(line) for line in answers["jsonl"].splitlines()]
    tables = [
        parquet.read_table(io.BytesIO(answers["parquet"])),
        pa.ipc.open_stream(answers["arrow"]).read_all(),
    ]

    values = [float(row["value"]) for row in told]
    assert [line["value"] for line in lines] == values
    assert lines[0]["coordinate"] == {"p": int(told[0]["p"])}
    assert lines[0]["configuration"] == {"message_bytes": 256}
    for table in tables:
        assert table.column_names == list(told[0])
        assert table["value"].to_pylist() == values
        assert table["p"].to_pylist() == [float(row["p"]) for row in told]


@pytest.mark.usefixtures("recorded")
def test_pages_follow_each_other_and_later_runs_come_behind(client, sessions):
    pages, cursor = [], None
    while True:
        query = {"format": "csv", "limit": 4} | ({"cursor": cursor} if cursor else {})
        answer = client.get(f"{AT}/measurements", params=query)
        pages.append(list(csv.DictReader(io.StringIO(answer.text))))
        if (following := answer.headers.get("Scalewatch-Next-Cursor")) is None:
            break
        cursor = following
    record(sessions, sweep_reports((16,), seed=3))

    assert [len(page) for page in pages] == [80, 40]
    assert [row for page in pages for row in page] == rows(client)[:120]
    assert {row["p"] for row in rows(client, cursor=cursor)} == {"4", "8", "16"}


@pytest.mark.usefixtures("recorded")
def test_what_is_read_as_csv_can_be_modelled(client, tmp_path):
    path = tmp_path / "measured.csv"
    path.write_text(client.get(f"{AT}/measurements?format=csv&machine=daint").text)

    series = read_files([str(path)], columns={"ignore": ["run"]}).series

    assert {each.region for each in series} == {"MPI_Bcast", "MPI_Allgather"}
    assert {each.parameters for each in series} == {("p",)}


def test_setting_that_is_called_like_a_column_stays_apart(client):
    odd = {"unit": "x", "p": 7, "value": True}
    client.post("/api/v1/runs", json=run(configuration=odd))

    (row, *_) = rows(client)

    assert row["unit"] == "s"
    assert row["configuration.unit"] == "x"
    assert row["configuration.p"] == "7"
    assert row["p"] == "4"


def test_failed_result_has_no_row_and_the_others_do(client):
    failed = result(region="MPI_Reduce", status="failed", reason="died", values=[])
    client.post("/api/v1/runs", json=run(results=[result(), failed]))

    assert {row["region"] for row in rows(client)} == {"MPI_Bcast"}


@pytest.mark.parametrize(
    ("headers", "kind"),
    [
        ({"Accept": "text/csv"}, "text/csv; charset=utf-8"),
        ({"Accept": "*/*"}, "application/x-ndjson"),
        (
            {"Accept": "application/vnd.apache.parquet"},
            "application/vnd.apache.parquet",
        ),
    ],
)
@pytest.mark.usefixtures("recorded")
def test_format_may_be_negotiated(client, headers, kind):
    answer = client.get(f"{AT}/measurements", headers=headers)

    assert answer.headers["content-type"] == kind


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize(
    ("path", "query", "headers", "status"),
    [
        ("measurements", {}, {"Accept": "image/png"}, 406),
        ("measurements", {"format": "xlsx"}, {}, 422),
        ("measurements", {"cursor": "x"}, {}, 404),
        ("measurements", {"cursor": "99999999999"}, {}, 404),
        ("measurements", {"commit": "v9"}, {}, 404),
        ("models", {}, {"Accept": "image/png"}, 406),
        ("models", {"commit": "v9", "format": "csv"}, {}, 404),
    ],
)
def test_wrong_request_is_a_problem(client, path, query, headers, status):
    answer = client.get(f"{AT}/{path}", params=query, headers=headers)

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_columns_without_pyarrow_say_which_extra_brings_it(client, monkeypatch, kind):
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    answer = client.get(f"{AT}/measurements", params={"format": kind})

    assert answer.status_code == 501
    assert "pyarrow" in answer.json()["detail"]


def test_models_of_all_commits_are_rows(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": TREE})

    newest = client.get(f"{AT}/models", params={"format": "csv"}).text
    lines = client.get(f"{AT}/models", params={"format": "jsonl", "commit": "*"}).text
    table = client.get(f"{AT}/models", params={"format": "parquet"}).content

    (row,) = csv.DictReader(io.StringIO(newest))
    assert (row["growth"], row["verdict"]) == ("log p", "match")
    assert json.loads(row["configuration"]) == {"message_bytes": 256}
    every = [json.loads(line) for line in lines.splitlines()]
    assert [one["growth"] for one in every] == ["log p", "log p"]
    assert every[0]["commit"] != every[1]["commit"]
    assert parquet.read_table(io.BytesIO(table))["constant"].to_pylist() == [
        pytest.approx(float(row["constant"]))
    ]


def test_private_project_is_not_found_without_its_token(client, sessions):
    record(sessions, [run_report()])
    missing = client.get("/api/v1/projects/nobody/measurements")

    assert missing.status_code == 404


def test_memory_does_not_grow_with_the_measurements(client, sessions, monkeypatch):
    monkeypatch.setattr(bulk, "AT_ONCE", 2)
    record(sessions, sweep_reports(range(1, 41), repetitions=500))

    def most(limit):
        tracemalloc.start()
        with client.stream(
            "GET", f"{AT}/measurements", params={"format": "csv", "limit": limit}
        ) as answer:
            size = sum(len(part) for part in answer.iter_bytes())
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return size, peak

    most(2)
    few, many = most(10), most(40)

    assert many[0] > 3.5 * few[0]
    assert many[1] - few[1] < (many[0] - few[0]) / 2 + 2**20
