"""Stores on the command line: without a server, and from and to one."""

import json
import subprocess
from pathlib import Path
from uuid import UUID

import httpx2
import pytest
from click.testing import CliRunner

from scalewatch.cli import main
from scalewatch.stores.store import Store
from support.live import PATIENCE, ask
from support.servers.processes import running
from support.stored import history, report, sha

FINE, WORSE, UNDECIDED, UNREADABLE, REFUSED = range(5)
NOBODY = "http://127.0.0.1:9"


def run(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)


def lines(path):
    return sorted(
        line
        for file in (Path(path) / "runs").rglob("*.jsonl")
        for line in file.read_bytes().splitlines()
    )


@pytest.fixture
def store(tmp_path):
    """A folder with a history in which the last commit made a region slower."""
    folder = tmp_path / "store"
    Store.at(str(folder)).add(history(30, steps={29: (1, 1.5)}))
    return folder


def test_reports_are_added_once_and_checked(tmp_path):
    file = tmp_path / "runs.jsonl"
    file.write_bytes(b"\n".join(history(2)))

    first = run("store", "add", file, "--store", tmp_path / "s")
    again = run("store", "add", file, "--store", tmp_path / "s")
    checked = run("store", "check", "--store", tmp_path / "s")

    assert (first.exit_code, again.exit_code, checked.exit_code) == (0, 0, 0)
    assert first.stdout.startswith("10 runs added")
    assert again.stdout.startswith("0 runs added")
    assert "10 were there" in again.stdout
    assert checked.stdout.startswith("10 runs in 2 files")


def test_lines_that_are_no_reports_are_named_and_the_others_added(tmp_path):
    file = tmp_path / "runs.jsonl"
    good, *_ = history(1)
    file.write_bytes(b"\n".join([good, b"{}", good[:-9]]))

    added = run("store", "add", file, "--store", tmp_path / "s")

    assert added.exit_code == UNREADABLE
    assert f"{file}, line 2: " in added.stderr
    assert f"{file}, line 3: " in added.stderr
    assert lines(tmp_path / "s") == [good]


def test_foreign_files_become_runs_of_a_store(tmp_path, measurements):
    options = ("--project", "code", "--machine", "m", "--commit", "v1")

    added = run("store", "add", measurements, *options, "--store", tmp_path / "a")
    imported = run("import", measurements, *options, "--store", tmp_path / "b")

    assert (added.exit_code, imported.exit_code) == (0, 0)
    assert lines(tmp_path / "a") == lines(tmp_path / "b")
    assert len(lines(tmp_path / "a")) == 6


def test_a_commit_of_a_store_is_modelled(store):
    newest = run("model", "--store", store, "--json")
    older = run("model", "--store", store, "--commit", sha(3)[:10], "--json")
    none = run("model", "--store", store, "--commit", "nonsense")

    assert (newest.exit_code, older.exit_code, none.exit_code) == (0, 0, 1)
    assert newest.stdout != older.stdout
    growths = [json.loads(line)["growth"] for line in newest.stdout.splitlines()]
    assert growths == ["log p"] * 4
    assert "nonsense" in none.stderr


def test_the_gate_answers_from_a_store_with_its_history(store):
    before = run("gate", "--store", store, "--commit", sha(28), "--format", "json")
    last = run("gate", "--store", store, "--commit", sha(29), "--format", "json")

    assert before.exit_code == FINE
    assert last.exit_code in {WORSE, UNDECIDED}
    findings = json.loads(last.stdout)["findings"]
    assert {each["region"] for each in findings} == {"kernel1"}
    assert json.loads(last.stdout)["baseline"]["sha"] == sha(28)


def test_the_gate_takes_reports_that_are_not_in_the_store(tmp_path, store):
    pull = tmp_path / "pull.jsonl"
    runs = [report(30, p, {"kernel0": [p * 1.0] * 3}) for p in (2, 4, 8, 16, 32)]
    pull.write_bytes(b"\n".join(runs))

    known = run("gate", "--store", store, "--commit", sha(30))
    also = run("gate", "--store", store, "--also", pull, "--commit", sha(30))

    assert known.exit_code == UNREADABLE
    assert sha(30) in known.stderr
    assert also.exit_code in {WORSE, UNDECIDED}
    assert "kernel0" in also.stdout
    assert len(lines(store)) == 150


def test_who_asks_to_be_merged_has_no_say_in_what_others_measured(tmp_path, store):
    pull = tmp_path / "pull.jsonl"
    runs = [report(30, p, {"kernel0": [1.0] * 3}) for p in (2, 4, 8, 16, 32)]
    slower = [report(29, p, {"kernel0": [9e9]}, job="x") for p in (2, 4, 8, 16, 32)]
    pull.write_bytes(b"\n".join([*runs, *slower]))

    answered = run("gate", "--store", store, "--also", pull, "--commit", sha(30))

    assert answered.exit_code in {WORSE, UNREADABLE}
    assert sha(29)[:12] in answered.stderr


def test_project_and_commit_are_those_of_the_checkout(tmp_path, monkeypatch, store):
    checkout = tmp_path / "checkout"
    git = ("git", "-C", str(checkout))
    subprocess.run(["git", "init", "--quiet", str(checkout)], check=True)
    who = ("-c", "user.name=x", "-c", "user.email=x@localhost")
    commit = (*git, *who, "commit", "--quiet", "--allow-empty", "-m", "x")
    subprocess.run(commit, check=True)
    head = subprocess.run(
        [*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
    (checkout / "scalewatch.toml").write_text(
        'project = "hydro"\n[expectations]\nkernel0 = "O(log p)"\n'
    )
    monkeypatch.chdir(checkout)
    content = json.loads(report(30, 2, {"kernel0": [1.0]}))
    content["commit"] |= {"sha": head}
    runs = []
    for number, p in enumerate((2, 4, 8, 16, 32)):
        content["id"] = f"00000000-0000-0000-0000-{number:012}"
        content["coordinate"] = {"p": p}
        values = [p * (1 + each / 1000) for each in range(3)]
        content["results"][0]["values"] = values
        runs.append(json.dumps(content).encode())
    Store.at(str(store)).add(runs)
    Store.at(str(store)).add([report(1, 2, {"x": [1.0]}, project="other")])

    answered = run("gate", "--store", store, "--format", "json")

    assert answered.exit_code in {WORSE, UNDECIDED}, answered.stderr
    content = json.loads(answered.stdout)
    assert content["commit"]["sha"] == head
    assert "kernel0" in {each["region"] for each in content["findings"]}
    kinds = {each["kind"] for each in content["findings"]}
    assert kinds & {"mismatch", "new mismatch"}, kinds


def test_what_cannot_be_read_is_named_and_the_gate_is_not_green(store):
    file = sorted((store / "runs").rglob("*.jsonl"))[-3]
    file.write_bytes(file.read_bytes()[:-30])

    answered = run("gate", "--store", store, "--commit", sha(28))

    assert answered.exit_code == UNREADABLE
    assert file.name in answered.stderr


def cut(file):
    file.write_bytes(file.read_bytes()[:-30])


def flipped(file):
    content = bytearray(file.read_bytes())
    content[900] ^= 1
    file.write_bytes(content)


def of_unknown_schema(file):
    content = json.loads(file.read_bytes().splitlines()[0]) | {"schema": 99}
    (file.parent / "by-hand.jsonl").write_text(json.dumps(content))


def with_dots(file):
    content = json.loads(file.read_bytes().splitlines()[0])
    content |= {"id": str(UUID(int=7)), "project": "../../outside"}
    (file.parent / "by-hand.jsonl").write_text(json.dumps(content))


def too_large(file):
    with (file.parent / "by-hand.jsonl").open("wb") as large:
        large.truncate(200 << 20)


@pytest.mark.parametrize("command", ["store check", "gate", "publish"])
@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        (cut, None),
        (flipped, None),
        (of_unknown_schema, 1),
        (with_dots, 1),
        (too_large, None),
    ],
)
def test_a_hostile_file_is_named_and_all_others_count(
    tmp_path, store, spoil, line, command
):
    # Of the newest commit but one, which the gate reads as well.
    file = next((store / "runs").rglob(f"{sha(28)[:12]}-*.jsonl"))
    spoil(file)
    name = "by-hand.jsonl" if (file.parent / "by-hand.jsonl").exists() else file.name
    outside = {path for path in tmp_path.rglob("*") if store not in path.parents}
    options = {
        "gate": ("--commit", sha(29)),
        "publish": ("--out", tmp_path / "site", "--commits", "1"),
    }

    done = run(*command.split(), "--store", store, *options.get(command, ()))

    (fault,) = [each for each in done.stderr.splitlines() if name in each]
    assert done.exit_code == UNREADABLE
    assert line is None or f"line {line}" in fault
    assert sha(29)[:10] in done.stdout or command != "gate"
    if command == "store check":
        assert done.stdout.startswith("145 runs" if file.name == name else "150 runs")
    site = tmp_path / "site"
    now = {path for path in tmp_path.rglob("*") if store not in path.parents}
    assert {p for p in now - outside if p != site and site not in p.parents} == set()


@pytest.mark.parametrize("where", ["missing", "branch:results@/nowhere"])
@pytest.mark.parametrize("command", ["store check", "gate --commit x", "model"])
def test_a_store_that_is_not_there_is_named(tmp_path, where, command):
    place = tmp_path / where if ":" not in where else where

    answered = run(*command.split(), "--store", place)

    assert answered.exit_code in {1, UNREADABLE}
    (line,) = answered.stderr.splitlines()
    assert str(place) in line


@pytest.mark.usefixtures("user")
def test_runs_go_from_a_server_into_a_store_and_back_to_the_letter(
    tmp_path, server, store
):
    posted = run("store", "post", "--store", store, "--server", server)
    again = run("store", "post", "--store", store, "--server", server)
    options = ("--store", tmp_path / "taken", "--server", server)
    taken = run("store", "take", "--project", "hydro", *options)
    second = run("store", "take", "--project", "hydro", *options)

    assert [each.exit_code for each in (posted, again, taken, second)] == [0] * 4
    assert posted.stdout.startswith("150 runs posted")
    assert "150 of them before" in again.stdout
    assert taken.stdout.startswith("150 runs added")
    assert second.stdout.startswith("0 runs added")
    assert lines(tmp_path / "taken") == lines(store)
    run_id = json.loads(lines(store)[0])["id"]
    payload = ask(f"{server}/p/hydro/runs/{run_id}/payload")
    assert payload.content == lines(store)[0]


def test_a_server_that_is_not_there_takes_nothing(store):
    posted = run("store", "post", "--store", store, "--server", NOBODY)
    taken = run(
        *("store", "take", "--store", store, "--server", NOBODY, "--project", "x")
    )

    assert (posted.exit_code, taken.exit_code) == (REFUSED, REFUSED)
    assert NOBODY in posted.stderr
    assert NOBODY in taken.stderr


def test_a_store_is_served_and_nothing_is_changed_there(tmp_path, store):
    settings = {"SCALEWATCH_HOME": str(tmp_path / "home")}
    command = ["serve", "--store", str(store), "--port", "0"]

    with running(command, settings) as process:
        address = process.stdout.readline().split()[3]
        home = ask(f"{address}/p/hydro")
        report_page = ask(f"{address}/p/hydro/c/{sha(3)}")
        posted = httpx2.post(
            f"{address}/api/v1/runs", content=lines(store)[0], timeout=PATIENCE
        )

    assert home.status_code == 200
    assert report_page.status_code == 200
    assert posted.status_code == 403
    assert "store" in posted.json()["detail"]
