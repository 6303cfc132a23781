"""A database made of a store tells what a server tells that was fed the same runs."""

import json
from datetime import UTC, datetime
from http import HTTPStatus

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from scalewatch import jobs
from scalewatch.app import create_app
from scalewatch.cli import main as main_command
from scalewatch.cli.stores.filling import gate_content
from scalewatch.exporters.documents import json_text
from scalewatch.services.gates.gate import gate_of
from scalewatch.services.regressions.regressions import regressions_of
from scalewatch.services.runs.record import prepare, record_prepared
from scalewatch.services.stores import fill, order
from scalewatch.services.stores.kept import kept_commits
from scalewatch.storage import tables
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import connect, sessions_of, transact
from scalewatch.stores.decisions import Decision
from scalewatch.stores.store import Store
from scalewatch.wire import RunReport
from support.asv_results import asv_results
from support.exacb_reports import exacb_reports
from support.stored import history, report, sha

COMMITS = 60
STEPS = {20: (0, 1.06), 30: (1, 1.25), 45: (1, 0.8), 50: (2, 1.25)}


@pytest.fixture
def database(tmp_path):
    """Return a function that makes empty databases."""
    engines = []

    def new(name="new"):
        engines.append(connect(f"sqlite:///{tmp_path / name}.db"))
        schema.upgrade(engines[-1])
        return sessions_of(engines[-1])

    yield new
    for engine in engines:
        engine.dispose()


def fed(sessions, lines):
    """Post runs commit by commit, each analysed and watched before the next comes."""
    by_commit = {}
    for line in lines:
        by_commit.setdefault(json.loads(line)["commit"]["sha"], []).append(line)
    for runs in by_commit.values():
        prepared = [prepare(RunReport.model_validate_json(run), run) for run in runs]
        transact(sessions, lambda s, p=prepared: record_prepared(s, p))
        while jobs.perform_next(sessions, "tester"):
            pass


def filled(sessions, where, **options):
    contents = Store.at(str(where)).contents()
    commits = order.commits_in_order(contents, contents.files)
    return fill.fill(sessions, contents, commits, **options)


def locations(sessions):
    with sessions.reading() as session:
        names = {row.id: row.sha for row in session.query(tables.Commit)}
        series = {row.id: row.region for row in session.query(tables.Series)}
        return {
            (names[row.commit_id], series[row.series_id]): row.log
            for row in session.query(tables.Location)
        }


def regressions(sessions):
    with sessions.reading() as session:
        return sorted(
            (each.kind, each.state, each.first.sha, each.last.sha, each.regions)
            for each in regressions_of(session, "hydro").regressions
        )


def gates(sessions, numbers):
    found = []
    for number in numbers:
        fill.analyse_for_gate(sessions, "hydro", sha(number), None)
        with sessions.reading() as session:
            gate = gate_of(session, "hydro", sha(number), None)
        found.append(without_numbers(json.loads(json_text(gate))))
    return found


UNLIKE = {
    "id", "regression", "regressions", "series_id", "confirmations", "first_run_at",
    "modelled_at",
}  # fmt: skip
"""Numbers of rows, and when a server heard of a commit and modelled it."""


def without_numbers(content):
    """Leave out what says how a database came to be."""
    if isinstance(content, dict):
        return {
            key: without_numbers(value)
            for key, value in content.items()
            if key not in UNLIKE
        }
    if isinstance(content, list):
        return [*map(without_numbers, content)]
    return content


def test_a_filled_database_tells_what_a_server_tells(tmp_path, database, monkeypatch):
    lines = [*history(COMMITS, steps=STEPS)]
    Store.at(str(tmp_path / "store")).add(lines)
    monkeypatch.setattr(fill, "STRIDE", 25)
    served, made = database("served"), database("made")

    fed(served, lines)
    filled(made, tmp_path / "store")

    assert locations(made) == locations(served)
    assert regressions(made) == regressions(served)
    assert len(regressions(made)) >= 3
    numbers = [21, 31, 46, 51, COMMITS - 1]
    assert gates(made, numbers) == gates(served, numbers)


NEWEST = 50


def told(sessions, addresses):
    """Return what pages say as data, without numbers of rows."""
    with sessions.reading() as session:
        engine = connect(str(session.get_bind().engine.url))
    with TestClient(create_app(engine, embedded_worker=False)) as client:
        answers = [client.get(each) for each in addresses]
    engine.dispose()
    assert {each.status_code for each in answers} == {HTTPStatus.OK}
    contents = [without_numbers(each.json()) for each in answers]
    for address, content in zip(addresses, contents, strict=True):
        for line in content["series"] if "/history?" in address else ():
            del line["steps"][:-NEWEST]  # older commits have no models
    return contents


def test_pages_of_the_newest_commits_say_what_those_of_a_server_say(tmp_path, database):
    lines = [*history(COMMITS, regions=3, steps=STEPS)]
    Store.at(str(tmp_path / "store")).add(lines)
    served, made = database("served"), database("made")
    fed(served, lines)
    filled(made, tmp_path / "store")
    numbers = range(COMMITS - NEWEST, COMMITS)
    with made.reading() as session:
        kept = kept_commits(session, "hydro", NEWEST)
    fill.analyse(made, "hydro", kept.compared)

    addresses = [
        *(f"/p/hydro?commit={sha(number)}&format=json" for number in numbers),
        *(f"/p/hydro/c/{sha(number)}?format=json" for number in numbers),
        *(f"/p/hydro/history?region=kernel{at}&format=json" for at in range(3)),
        "/p/hydro/regressions?format=json",
        "/p/hydro/cost?format=json",
    ]

    assert {sha(number) for number in numbers} <= kept.labels.keys()
    pairs = zip(addresses, told(made, addresses), told(served, addresses), strict=True)
    assert [where for where, here, there in pairs if here != there] == []


def test_the_order_of_files_decides_nothing(tmp_path, database):
    lines = [*history(12)]
    for name, some in (("one", lines), ("other", reversed(lines))):
        Store.at(str(tmp_path / name)).add(some)
        filled(database(name), tmp_path / name)
    one, other = database("one"), database("other")

    assert locations(one) == locations(other)
    with one.reading() as first, other.reading() as second:
        moments = [
            [row.received_at for row in session.query(tables.Run).order_by("uuid")]
            for session in (first, second)
        ]
    assert moments[0] == moments[1]
    assert moments[0][0].year == 2024


def test_changes_are_found_that_are_older_than_a_line_is_long(tmp_path, database):
    lines = [*history(640, regions=1, steps={150: (0, 1.25)})]
    Store.at(str(tmp_path / "store")).add(lines)
    sessions = database()

    filled(sessions, tmp_path / "store")

    assert [first for _, _, first, *_ in regressions(sessions)] == [sha(150)]


def test_filling_again_adds_what_is_new_alone(tmp_path, database):
    lines = [*history(12)]
    store = Store.at(str(tmp_path / "store"))
    store.add(lines[:50])
    sessions = database()
    filled(sessions, tmp_path / "store")
    fill.analyse(sessions, "hydro", [sha(9)])
    more = report(9, 64, {"kernel0": [7.0, 7.1, 7.2]}, job="later")
    store.add([*lines[50:], more])

    came = filled(sessions, tmp_path / "store")

    assert (came.runs, came.known) == (61, 50)
    with sessions.reading() as session:
        measured = {
            row.points
            for row in session.query(tables.Model)
            .join(tables.Series, tables.Series.id == tables.Model.series_id)
            .filter(tables.Series.region == "kernel0")
        }
    assert measured == {6}


def test_decisions_of_people_hold_for_the_regressions_that_they_name(
    tmp_path, database
):
    store = Store.at(str(tmp_path / "store"))
    store.add(history(40, steps={20: (1, 1.3)}))
    store.decide(
        [
            Decision(
                project="hydro",
                first=sha(20),
                kind="constant",
                regions=("kernel1",),
                state="acknowledged",
                owner="ada",
                note="the new solver",
                author="ada",
                at=datetime(2024, 2, 1, tzinfo=UTC),
            )
        ]
    )
    sessions = database()

    for _ in range(2):
        filled(sessions, tmp_path / "store")

    with sessions.reading() as session:
        (regression,) = regressions_of(session, "hydro").regressions
    assert (regression.state, regression.owner) == ("acknowledged", "ada")
    notes = [event.note for event in regression.events if event.note]
    assert notes.count("the new solver") <= 1


def test_a_run_that_contradicts_another_loses_itself_alone(tmp_path, database):
    store = Store.at(str(tmp_path / "store"))
    store.add(history(2))
    twin = json.loads(next(iter(history(1))))
    twin["results"][0]["values"] = [99.0]
    folder = next((tmp_path / "store" / "runs").rglob("*.jsonl")).parent
    (folder / "twin.jsonl").write_text(json.dumps(twin))

    came = filled(database(), tmp_path / "store")

    assert came.runs == 10
    assert [twin["id"] in str(fault) for fault in came.faults] == [True]


def on_branch(number, parent, p, seconds):
    """Return the line of a run of a commit on a branch that left the main line."""
    content = json.loads(report(number, p, seconds, job=f"branch{number}"))
    content["commit"] |= {
        "sha": f"{number:040x}",
        "parents": [parent],
        "branch": "feature/x",
    }
    return json.dumps(content).encode()


def test_a_branch_is_compared_with_where_it_left_as_on_a_server(tmp_path, database):
    main = [*history(14)]
    scales = (2, 4, 8, 16, 32)
    first = [on_branch(14, sha(6), p, {"kernel0": [p * 1.0] * 3}) for p in scales]
    second = [
        on_branch(15, f"{14:040x}", p, {"kernel0": [p * 1.0] * 3}) for p in scales
    ]
    lines = [*main, *first, *second]
    Store.at(str(tmp_path / "store")).add(lines)
    served = database("served")
    fed(served, lines)
    commit = f"{15:040x}"

    content, came = gate_content(
        Store.at(str(tmp_path / "store")), [], "hydro", commit, None
    )

    fill.analyse_for_gate(served, "hydro", commit, None)
    with served.reading() as session:
        gate = gate_of(session, "hydro", commit, None)
    assert content["baseline"]["sha"] == sha(6)
    assert content["relation"] == "merge base"
    assert without_numbers(content) == without_numbers(json.loads(json_text(gate)))
    assert any(finding["recent"] for finding in content["findings"])
    assert came.faults == []


def stored_values(where):
    """Return the runs of a store, and how many values they hold."""
    runs = [
        json.loads(line)
        for file in (where / "runs").rglob("*.jsonl")
        for line in file.read_bytes().splitlines()
    ]
    measured = [result for run in runs for result in run["results"]]
    return runs, sum(len(result.get("values", ())) for result in measured)


def test_a_history_of_asv_loses_no_value_on_its_way_into_a_store(tmp_path):
    results = asv_results(tmp_path, 12, lambda _, p: 1 / p)
    where = tmp_path / "store"
    arguments = ["import", str(results), "--project", "x", "--store", str(where)]

    done = CliRunner().invoke(main_command, arguments, catch_exceptions=False)

    assert done.exit_code == 0, done.stderr
    runs, values = stored_values(where)
    assert values == 12 * 6 * 8
    assert len({run["commit"]["sha"] for run in runs}) == 12


def test_a_history_of_exacb_loses_no_value_and_says_what_failed(tmp_path):
    values = exacb_reports(tmp_path / "reports", commits=12, failing=[3])
    where = tmp_path / "store"
    arguments = ["import", tmp_path / "reports", "--project", "x", "--store", where]

    done = CliRunner().invoke(
        main_command, [*map(str, arguments)], catch_exceptions=False
    )

    assert done.exit_code == 0, done.stderr
    runs, stored = stored_values(where)
    failed = {
        run["commit"]["sha"]
        for run in runs
        for result in run["results"]
        if result.get("status") == "failed"
    }
    assert stored == values
    assert len({run["commit"]["sha"] for run in runs}) == 12
    assert failed == {sha(3)}
    assert "2 of them failed" in done.stdout
