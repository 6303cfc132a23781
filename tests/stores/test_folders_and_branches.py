"""Stores in folders and on branches: what is added is there, once, whoever adds."""

import json
import subprocess
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewatch.errors import NoStore, RunAlreadyRecorded, StoreUnwritable
from scalewatch.stores.files import MOST_BYTES, StoredRun, in_order, plain
from scalewatch.stores.store import Store
from scalewatch.wire import RunReport
from support.stored import history, report

JOBS = 16


def git(*arguments):
    done = subprocess.run(["git", *arguments], check=True, capture_output=True)
    return done.stdout.decode()


@pytest.fixture(params=["folder", "remote branch", "branch here"])
def where(request, tmp_path, monkeypatch):
    """A place for a store of each kind."""
    if request.param == "folder":
        return str(tmp_path / "results")
    if request.param == "remote branch":
        git("init", "--quiet", "--bare", str(tmp_path / "remote"))
        return f"branch:results@{tmp_path / 'remote'}"
    git("init", "--quiet", str(tmp_path / "checkout"))
    monkeypatch.chdir(tmp_path / "checkout")
    return "branch:results"


def held(where):
    wrong = []
    contents = Store.at(where).contents()
    parts = contents.runs(contents.files, wrong.append)
    assert [*contents.faults, *wrong] == []
    return sorted(run.line for _, runs in parts for run in runs)


def add_some(place):
    where, job = place
    runs = [report(1, p, {"solve": [float(job)]}, job=str(job)) for p in (2, 4, 8)]
    return Store.at(where).add(runs).runs


def test_what_is_added_is_there_to_the_letter_and_once(where):
    runs = [*history(6)]

    first = Store.at(where).add(runs)
    again = Store.at(where).add(reversed(runs))

    assert (first.runs, first.known) == (30, 0)
    assert (again.runs, again.known, again.files) == (0, 30, 0)
    assert held(where) == sorted(runs)


def test_runs_of_a_job_that_adds_twice_are_in_one_file(where):
    runs = [*history(1)]

    Store.at(where).add(runs[:2])
    Store.at(where).add(runs[1:])

    assert held(where) == sorted(runs)
    assert len(Store.at(where).contents().files) == 1


def test_jobs_that_add_at_once_lose_nothing(where):
    with ProcessPoolExecutor(JOBS) as pool:
        added = [*pool.map(add_some, [(where, job) for job in range(JOBS)])]

    assert added == [3] * JOBS
    assert len(held(where)) == 3 * JOBS
    assert len(Store.at(where).contents().files) == JOBS


def test_a_run_of_the_same_id_with_other_content_is_refused_with_all_beside_it(where):
    Store.at(where).add([report(1, 2, {"solve": [1.0]})])

    with pytest.raises(RunAlreadyRecorded):
        Store.at(where).add(
            [report(1, 2, {"solve": [2.0]}), report(1, 4, {"solve": [2.0]})]
        )

    assert held(where) == [report(1, 2, {"solve": [1.0]})]


def test_compacting_thins_old_runs_alone_and_keeps_lowest_and_highest(where):
    store = Store.at(where)
    old = report(0, 2, {"solve": [float(each) for each in range(21)]})
    new = report(90, 2, {"solve": [float(each) for each in range(21)]})
    store.add([old, new])

    thinned = store.compact(datetime(2024, 1, 15, tzinfo=UTC), 5)

    assert (thinned.runs, thinned.files) == (1, 1)
    by_size = sorted(map(RunReport.model_validate_json, held(where)), key=values_of)
    assert [values_of(run) for run in by_size] == [
        [*map(float, range(21))],
        [0, 5, 10, 15, 20],
    ]
    assert new in held(where)


def values_of(run):
    return [*run.results[0].values]


def test_a_compacted_branch_has_no_past(tmp_path):
    remote = tmp_path / "remote"
    git("init", "--quiet", "--bare", str(remote))
    store = Store.at(f"branch:results@{remote}")
    for number in range(3):
        store.add([report(number, 2, {"solve": [1.0, 2.0, 3.0]})])

    store.compact(datetime(2030, 1, 1, tzinfo=UTC), 2)

    assert git("-C", str(remote), "rev-list", "--count", "results").strip() == "1"
    assert len(held(f"branch:results@{remote}")) == 3


def test_a_branch_of_a_remote_is_found_by_its_name(tmp_path, monkeypatch):
    git("init", "--quiet", "--bare", str(tmp_path / "remote"))
    git("init", "--quiet", str(tmp_path / "checkout"))
    git("-C", str(tmp_path / "checkout"), "remote", "add", "origin", "../remote")
    monkeypatch.chdir(tmp_path / "checkout")

    Store.at("branch:results@origin").add([*history(1)])

    assert len(held(f"branch:results@{tmp_path / 'remote'}")) == 5
    assert git("status", "--porcelain") == ""
    assert "promisor" not in Path(".git", "config").read_text()


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("branch:results@/nowhere/at/all", "/nowhere/at/all"),
        ("branch:two words@.", "two words"),
        ("branch:-x@.", "-x"),
    ],
)
def test_a_place_that_is_none_is_named(place, said, tmp_path, monkeypatch):
    git("init", "--quiet", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises((NoStore, StoreUnwritable), match=said):
        Store.at(place).add([*history(1)])


def test_a_branch_that_refuses_says_why(tmp_path):
    remote = tmp_path / "remote"
    git("init", "--quiet", "--bare", str(remote))
    hook = remote / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho closed for the night >&2\nexit 1\n")
    hook.chmod(0o755)

    with pytest.raises(StoreUnwritable, match="nothing was added"):
        Store.at(f"branch:results@{remote}").add([*history(1)])


def faults_of(where):
    wrong = []
    counted = Store.at(where).check(wrong.append)
    return counted, [(each.file.rpartition("/")[2], each.line) for each in wrong]


def first_file(folder, at=0):
    return sorted((folder / "runs").rglob("*.jsonl"))[at]


def test_a_file_that_was_cut_counts_no_more_and_is_named(tmp_path):
    Store.at(str(tmp_path)).add([*history(3)])
    file = first_file(tmp_path)
    file.write_bytes(file.read_bytes()[:-40])

    counted, faults = faults_of(str(tmp_path))

    assert counted == (3, 10)
    assert faults == [(file.name, 5)]


@pytest.mark.parametrize("at", [100, 900, 1500])
def test_a_byte_that_was_flipped_is_noticed_wherever_it_is(tmp_path, at):
    Store.at(str(tmp_path)).add([*history(3)])
    file = first_file(tmp_path)
    content = bytearray(file.read_bytes())
    content[at] ^= 1
    file.write_bytes(content)

    counted, faults = faults_of(str(tmp_path))

    assert counted == (3, 10)
    assert {name for name, _ in faults} == {file.name}


def test_lines_that_others_wrote_count_but_for_those_that_cannot_be_read(tmp_path):
    runs = [*history(1)]
    Store.at(str(tmp_path)).add(runs[:1])
    folder = first_file(tmp_path).parent
    lines = [runs[1], b"{", runs[2].replace(b'"s"', b'"parsec"'), b"", runs[3]]
    (folder / "by-hand.jsonl").write_bytes(b"\n".join(lines))

    counted, faults = faults_of(str(tmp_path))

    assert counted == (2, 3)
    assert faults == [("by-hand.jsonl", 2), ("by-hand.jsonl", 3)]


def test_a_run_of_another_project_in_a_folder_does_not_count(tmp_path):
    Store.at(str(tmp_path)).add([*history(1)])
    stranger = report(1, 2, {"solve": [1.0]}, project="bank")
    (first_file(tmp_path).parent / "x.jsonl").write_bytes(stranger)

    assert faults_of(str(tmp_path)) == ((2, 5), [("x.jsonl", 1)])


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    Store.at(str(tmp_path)).add([*history(1)])
    large = first_file(tmp_path).parent / "large.jsonl"
    with large.open("wb") as file:
        file.truncate(MOST_BYTES + 1)

    assert faults_of(str(tmp_path)) == ((1, 5), [("large.jsonl", None)])


def test_links_and_files_of_other_names_are_not_followed(tmp_path):
    store, outside = tmp_path / "store", tmp_path / "outside.jsonl"
    Store.at(str(store)).add([*history(1)])
    outside.write_bytes(report(1, 2, {"solve": [1.0]}))
    folder = first_file(store).parent
    (folder / "link.jsonl").symlink_to(outside)
    (folder / "notes.txt").write_text("hello")

    assert faults_of(str(store)) == ((1, 5), [("notes.txt", None)])


@pytest.mark.parametrize(
    "stated", ["", "[]", '{"store": 2, "reports": 1}', '{"store": true}', "{" * 9999]
)
def test_a_store_of_an_unknown_version_is_left_alone(tmp_path, stated):
    Store.at(str(tmp_path)).add([*history(1)])
    (tmp_path / "store.json").write_text(stated)

    with pytest.raises(NoStore, match=r"store\.json"):
        Store.at(str(tmp_path)).contents()
    with pytest.raises(NoStore, match=r"store\.json"):
        Store.at(str(tmp_path)).add([*history(2)])


def test_a_folder_without_a_store_is_none(tmp_path):
    with pytest.raises(NoStore, match="store add"):
        Store.at(str(tmp_path)).contents()


@pytest.mark.parametrize(
    "name", ["..", "../../etc", "CON", "Solve", "solve", "a b", ""]
)
def test_hostile_machines_and_jobs_write_inside_the_store(tmp_path, name):
    folder = tmp_path / "deep" / "store"
    run = report(
        1, 2, {"solve": [1.0]}, job=name or "x", machine=name.strip("./") or "m"
    )

    Store.at(str(folder)).add([run])

    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["store"]
    assert held(str(folder)) == [run]


@given(st.lists(st.text(min_size=1, max_size=80), min_size=2, max_size=20))
def test_names_are_plain_and_differ_where_texts_do(texts):
    names = [*map(plain, texts)]

    assert all(
        set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789.-") for name in names
    )
    assert all(len(name) <= 67 and name.strip(".") for name in names)
    assert len({name.lower() for name in names}) == len(set(texts))


def test_a_report_of_several_lines_becomes_one(tmp_path):
    text = json.dumps(json.loads(report(1, 2, {"solve": [1.0]})), indent=2).encode()

    Store.at(str(tmp_path)).add([text])

    (line,) = held(str(tmp_path))
    assert RunReport.model_validate_json(line) == RunReport.model_validate_json(text)


def test_runs_of_one_moment_come_by_machine_and_setting_whatever_their_files():
    runs = [
        StoredRun.of(report(1, p, {"solve": [1.0]}, machine=machine))
        for machine in ("b", "a")
        for p in (16, 2, 4)
    ]

    ordered = [
        (run.report.machine.name, run.report.coordinate["p"]) for run in in_order(runs)
    ]

    assert ordered == [(name, p) for name in "ab" for p in (2, 4, 16)]
