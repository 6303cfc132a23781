"""`POST /api/v1/import/{format}`: files of other tools, as they are."""

import gzip
import io
import json
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from scalewatch.api.runs import posting
from scalewatch.app import create_app
from scalewatch.cli.files.importing import command
from scalewatch.errors import ReadingLimitExceeded
from scalewatch.services.access.callers import Role
from scalewatch.services.access.tokens import create
from scalewatch.services.files.kept_files import read_again
from scalewatch.services.files.reader_processes import ReaderLimits, ReaderProcesses
from scalewatch.storage import tables
from support import sentences
from support.endless_webhook import eventually
from support.samples import sample

TABLE = b"p,time\n2,1.5\n4,1.25\n8,1.125\n"
ORIGIN = {"project": "code", "commit": "v1.2", "machine": "jureca"}


def post(client, body=TABLE, file_format="auto", headers=None, **stated):
    return client.post(
        f"/api/v1/import/{file_format}",
        content=body,
        params={**ORIGIN, **stated},
        headers=headers or {},
    )


def count(sessions, table):
    with sessions.reading() as session:
        return session.scalar(select(func.count()).select_from(table))


def zipped(**files):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return held.getvalue()


def test_file_is_stored_as_runs_and_kept_as_it_was(client, sessions):
    response = post(client, headers={"Content-Type": "text/csv"})

    assert response.status_code == 202, response.text
    assert len(response.json()) == 3
    run = client.get(response.json()[1]["run"]).json()
    assert (run["project"], run["coordinate"]) == ("code", {"p": 4})
    assert count(sessions, tables.ImportedFile) == 1
    assert count(sessions, tables.ImportedRun) == 3


def test_same_file_again_is_known(client, sessions):
    first = post(client)
    second = post(client)

    assert second.status_code == 200
    assert [one["id"] for one in second.json()] == [one["id"] for one in first.json()]
    assert count(sessions, tables.ImportedFile) == 1


def test_dry_run_tells_what_the_command_would_post(client, tmp_path, sessions):
    path = tmp_path / "t.csv"
    path.write_bytes(TABLE)
    options = [f"--{key}={value}" for key, value in ORIGIN.items()]
    shown = CliRunner().invoke(command, [str(path), *options, "--dry-run", "--json"])

    response = post(client, dry_run=1)

    assert response.status_code == 200, response.text
    told = response.json()
    assert told["runs"] == [json.loads(line) for line in shown.stdout.splitlines()]
    assert told["series"] == [
        {
            "region": "program",
            "metric": "time",
            "unit": "s",
            "better": "lower",
            "parameters": [{"name": "p", "levels": [2, 4, 8], "source": "content"}],
            "configuration": [],
            "values": 3,
            "origin": {"file": "body"},
            "dependent": [],
            "is_direction_assumed": False,
        }
    ]
    assert count(sessions, tables.Run) == 0


def test_address_says_what_options_say(client):
    body = b"nodes,ranks,figure\n1,2,7.5\n"
    stated = {
        "file": "size1/run.csv",
        "path": "size{n}/run.csv",
        "derive": "p = nodes * 4",
        "column": ["threads=ranks", "nodes=nodes", "value=figure"],
        "better": "higher",
        "branch": "main",
        "suite": "nightly",
    }

    response = post(client, body, "csv", dry_run=1, **stated)

    assert response.status_code == 200, response.text
    told = response.json()
    [run] = told["runs"]
    assert run["coordinate"] == {"n": 1, "nodes": 1, "p": 4, "threads": 2}
    assert run["commit"] == {"sha": "v1.2", "branch": "main"}
    assert run["suite"] == "nightly"
    assert run["results"][0]["better"] == "higher"
    sources = {one["name"]: one["source"] for one in told["series"][0]["parameters"]}
    assert sources["p"] == "derived"
    assert sources["n"] == "path"


def test_first_repetitions_are_left_out_where_the_address_says_so(client):
    rows = [
        f"{p},{rep},{9.0 if rep == 0 else 1 + rep}" for p in (2, 4) for rep in (0, 1)
    ]
    body = "\n".join(["p,rep,time", *rows]).encode()

    assert post(client, body, skip_first=1).status_code == 202
    refused = post(client, body, skip_first=-1)

    text = client.get("/api/v1/projects/code/measurements").text
    assert [json.loads(line)["value"] for line in text.splitlines()] == [2.0, 2.0]
    assert refused.status_code == 422
    assert "skip_first" in refused.text


def test_skipping_all_repetitions_leaves_nothing_and_says_so(client, sessions):
    response = post(client, TABLE, skip_first=1)

    assert response.status_code == 422, response.text
    assert count(sessions, tables.Run) == 0


def test_compressed_body_and_archive_are_unpacked(client):
    packed = post(client, gzip.compress(TABLE), headers={"Content-Encoding": "gzip"})
    archive = post(client, zipped(a=TABLE, b=b"p,time\n16,1\n"))

    assert packed.status_code == 202, packed.text
    assert len(archive.json()) == 4
    assert [one["state"] for one in archive.json()].count("known") == 3


@pytest.mark.parametrize(
    ("body", "stated", "complaint"),
    [
        (b"p,time\n2,1\n4,x\n", {}, "cannot read body: line 3: expected a number"),
        (b"p,time\n-2,1\n", {}, "is no run: coordinate.p: -2 is not positive"),
        (
            b"no such format\n",
            {},
            "is of no known format",
        ),
        (b"", {}, "cannot read body: it holds no measurements"),
        (TABLE, {"at": "p"}, "at p= is not like p=8"),
        (TABLE, {"name": "{p"}, "has a stray '{'"),
        (TABLE, {"derive": "p = n ** 2"}, "it is not like 'p = nodes * 4'"),
        (TABLE, {"better": "up"}, "'up' is not like higher or FOM=lower"),
        (TABLE, {"file": "../x"}, "file ../x is not a path below a folder"),
        (TABLE, {"file": "x" * 300}, "is not the name of a file"),
        (TABLE, {"file": "/etc/x"}, "file /etc/x is not a path below a folder"),
        (TABLE, {"column": "p"}, "column p is not like p=ranks"),
        (TABLE, {"commit": ""}, "body does not say its commit; --commit says it"),
        (
            TABLE,
            {"commit": "", "machine": ""},
            "body does not say its commit and machine; --commit and --machine say them",
        ),
        (TABLE, {"machine": "a/b"}, "machine.name: a name is one line"),
        (zipped(a=TABLE, b=b"nothing\n"), {}, "body/b is of no known format"),
    ],
)
def test_what_cannot_be_read_is_a_problem_and_stores_nothing(
    client, sessions, body, stated, complaint
):
    response = post(client, body, **stated)

    assert response.status_code == 422, response.text
    assert response.headers["content-type"] == "application/problem+json"
    assert complaint in response.json()["detail"]
    assert "scalewatch-" not in response.text
    assert count(sessions, tables.Run) == 0
    assert count(sessions, tables.ImportedFile) == 0


def test_unknown_format_is_not_found(client):
    assert post(client, file_format="fortran").status_code == 404


def tarred(member: bytes, mode: str) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode=mode) as archive:
        entry = tarfile.TarInfo("bomb")
        entry.size = len(member)
        archive.addfile(entry, io.BytesIO(member))
    return held.getvalue()


def bomb() -> bytes:
    return b" " * (33 * 2**20)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: gzip.compress(bomb(), compresslevel=1), id="gzip"),
        pytest.param(lambda: zipped(bomb=bomb()), id="zip"),
        pytest.param(lambda: tarred(bomb(), "w:xz"), id="xz"),
        pytest.param(lambda: tarred(bomb(), "w:bz2"), id="bz2"),
    ],
)
def test_bomb_is_too_large(client, sessions, make):
    response = post(client, make())

    assert response.status_code == 413, response.text
    assert sentences.BODY_TOO_LARGE in response.json()["detail"]
    assert count(sessions, tables.Run) == 0


def test_too_many_rows_are_too_large(client, sessions):
    response = post(client, b"p,time\n" + b"2,1\n" * 100_001)

    assert response.status_code == 413, response.text
    assert sentences.BODY_TOO_LARGE in response.json()["detail"]
    assert count(sessions, tables.Run) == 0


def test_file_that_exceeds_a_limit_of_its_reader_is_a_problem_that_says_which(
    engine, client_of, sessions
):
    tiny = ReaderProcesses(limits=ReaderLimits(answer_megabytes=0))
    client = client_of(create_app(engine, embedded_worker=False, readers=tiny))

    response = post(client)

    assert response.status_code == 422, response.text
    problem = response.json()
    assert problem["type"] == "urn:scalewatch:problem:reading-limit-exceeded"
    assert problem["detail"] == (sentences.READER_LIMIT)
    assert count(sessions, tables.Run) == 0
    tiny.close()


def test_server_with_many_files_to_read_asks_to_come_back(client, monkeypatch):
    monkeypatch.setattr(posting, "MOST_WAITING", 0)

    response = post(client)

    assert response.status_code == 429
    assert int(response.headers["Retry-After"]) >= 1


def test_others_are_read_in_turn_while_a_token_asks_for_all_readers(
    engine, sessions, monkeypatch, tmp_path
):
    spinning = 'import re\nre.fullmatch("(a+)+b", "a" * 60)\n'
    (tmp_path / "pycubexr.py").write_text(spinning, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(posting, "MOST_WAITING", 3)
    headers = {}
    with sessions.writing.begin() as session:
        for project in ("a", "b"):
            _, secret = create(session, project, Role.INGEST, project)
            headers[project] = {"Authorization": f"Bearer {secret}"}
    readers = ReaderProcesses(places=1, limits=ReaderLimits(seconds=1))
    app = create_app(engine, embedded_worker=False, readers=readers)
    endless = zipped_profile()
    answers = []

    with (
        TestClient(app) as client,
        ThreadPoolExecutor(6) as some,
    ):

        def attack():
            sent = post(client, endless, "cube", headers["a"], project="a")
            answers.append(sent.status_code)

        for _ in range(6):
            some.submit(attack)
        eventually(lambda: 429 in answers)
        before = answers.count(422)
        other = post(client, headers=headers["b"], project="b")
        meanwhile = answers.count(422) - before
        readers.close()

    assert other.status_code == 202, other.text
    assert meanwhile <= 2  # the one that was being read, and one that had its turn


def zipped_profile():
    """Return an archive that has the name of a profile of CUBE."""
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("anchor.xml"))
    return held.getvalue()


def test_token_of_another_project_reads_no_file(client, sessions):
    with sessions.writing.begin() as session:
        _, secret = create(session, "ingest", Role.INGEST, "other")
    headers = {"Authorization": f"Bearer {secret}"}

    for preview in ("0", "1"):
        answer = post(client, b"no such format\n", headers=headers, dry_run=preview)

        assert answer.status_code == 403, answer.text


def test_file_of_who_may_not_post_is_not_read(client, sessions):
    with sessions.writing.begin() as session:
        create(session, "reader", Role.READ, None)

    response = post(client, b"no such format\n")

    assert response.status_code == 401, response.text
    assert "format" not in response.json()["detail"]


def test_kept_file_is_read_again(client, sessions, work_off, readers):
    post(client)
    work_off()
    with sessions.writing.begin() as session:
        file = session.scalars(select(tables.ImportedFile)).one()
        # As if a former version had read a row too little, and another one wrongly.
        file.stated = {**file.stated, "suite": file.stated.get("suite", "x")}
        file.stated.pop("suite")
        file.stated["settings"] = {"at": "n=5"}
        file_id = file.id

    made = read_again(sessions, file_id, readers)

    assert made == 3
    with sessions.reading() as session:
        runs = session.scalars(select(tables.Run.coordinate)).all()
    assert sorted(at["p"] for at in runs) == [2, 4, 8]
    assert {at["n"] for at in runs} == {5}
    assert count(sessions, tables.ImportedRun) == 3


def test_kept_file_is_read_again_within_the_limits_of_posted_ones(client, sessions):
    post(client)
    with sessions.reading() as session:
        file_id = session.scalar(select(tables.ImportedFile.id))
    runs = count(sessions, tables.Run)
    strict = ReaderProcesses(limits=ReaderLimits(answer_megabytes=0))

    with closing(strict), pytest.raises(ReadingLimitExceeded):
        read_again(sessions, file_id, strict)

    assert count(sessions, tables.Run) == runs > 0


def test_real_results_of_another_tool_are_stored(client):
    log = Path(sample("reframe/perflog-4.3/SombreroBenchmark.log"))

    response = post(client, log.read_bytes(), "reframe")

    assert response.status_code == 202, response.text
    run = client.get(response.json()[0]["run"]).json()
    assert run["results"][0]["metric"] == "flops_rate"


def test_profile_becomes_what_is_asked_for_across_its_processes(client):
    body = Path(sample("cube/pycubexr/kripke.p8.d2.g32.r1/profile.cubex")).read_bytes()

    told = {}
    for across in ("max", "sum", "mean"):
        response = post(client, body, "cube", across=across, dry_run=1)
        assert response.status_code == 200, response.text
        told[across] = {
            result["region"]: result["values"][0]
            for run in response.json()["runs"]
            if run["configuration"]["statistic"] == across
            for result in run["results"]
            if result["metric"] == "time"
        }
    wrong = post(client, body, "cube", across="median", dry_run=1)

    assert told["max"].keys() == told["sum"].keys() == told["mean"].keys()
    for region, total in told["sum"].items():
        assert total == pytest.approx(8 * told["mean"][region], rel=1e-6)
        assert told["mean"][region] <= told["max"][region] <= total
    assert wrong.status_code == 422
    assert "across" in wrong.text
