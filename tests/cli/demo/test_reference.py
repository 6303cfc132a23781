import json
from fractions import Fraction
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from scalewatch.app import create_app
from scalewatch.cli.demo import published_machines, simulated_machines
from scalewatch.cli.demo.demo import load_reference
from scalewatch.jobs import perform_next
from scalewatch.modelling import Growth, parse_growth
from scalewatch.storage.database.session import connect, sessions_of
from scalewatch.storage.tables import Table
from scalewatch.wire import RunReport
from support.builders import run as posted_run

REFERENCE = Path(__file__).parents[2] / "reference"
REGIONS = {"Bcast (binary tree litmus test)": "Bcast (binary tree)"}


def table(name):
    rows = json.loads((REFERENCE / name).read_text())["rows"]
    return {_region(row["region"]): row["machines"] for row in rows}


def _region(name):
    return REGIONS.get(name, name if name == "MPI memory" else f"MPI_{name}")


def growth(term):
    return Growth.of("p", Fraction(term["power"]), Fraction(term["log"]))


def test_growths_are_those_of_table_2():
    published = table("table2_mpi_runtime.json")

    assert set(published) == set(published_machines.GROWTHS)
    for region, machines in published.items():
        _, *growths = published_machines.GROWTHS[region]
        for machine, text in zip(published_machines.MACHINES, growths, strict=True):
            assert parse_growth(text) == growth(machines[machine]["model"])


def test_models_are_those_of_table_3():
    published = table("table3_mpi_memory.json")

    assert set(published) == set(published_machines.MEMORY)
    for region, machines in published.items():
        _, models = published_machines.MEMORY[region]
        for machine, model in zip(published_machines.MACHINES, models, strict=True):
            constant, coefficient, text = model
            expected = machines[machine]["model"]
            assert constant == expected["constant"]
            terms = [(coefficient, parse_growth(text))] if coefficient else []
            assert terms == [
                (term["coefficient"], growth(term)) for term in expected["terms"]
            ]


@pytest.mark.parametrize(
    "runs", [published_machines.published_runs, simulated_machines.simulated_runs]
)
def test_runs_are_the_same_each_time_and_valid(runs):
    first = [run.model_dump_json(by_alias=True) for run in runs()]

    assert [run.model_dump_json(by_alias=True) for run in runs()] == first
    assert len({RunReport.model_validate_json(each).id for each in first}) == len(first)


def test_simulation_reaches_4096_processes_and_shows_what_is_missing():
    runs = list(simulated_machines.simulated_runs())

    assert {run.coordinate["p"] for run in runs} == set(simulated_machines.PROCESSES)
    measured = {
        (run.machine.name, run.coordinate["p"], result.region)
        for run in runs
        for result in run.results
        if run.configuration["message_bytes"] == 8
    }
    assert ("fat tree", 4096, "MPI_Bcast") in measured
    assert ("fat tree", 4096, "MPI_Alltoall") not in measured


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """A server that was given everything twice, and has analysed it."""
    engine = connect(f"sqlite:///{tmp_path_factory.mktemp('reference')}/scalewatch.db")
    Table.metadata.create_all(engine)
    client = TestClient(create_app(engine, embedded_worker=False))
    load_reference(client)
    load_reference(client)
    while perform_next(sessions_of(engine), "test"):
        pass
    yield client
    engine.dispose()


def test_side_by_side_view_of_the_study_comes_back(loaded):
    report = loaded.get("/api/v1/projects/published-models/report").json()

    verdicts = {
        (row["region"], cell["machine"]): cell["standing"]["verdict"]
        for row in report["rows"]
        for cell in row["cells"]
    }
    published = {
        (region, machine): cell["match"]
        for region, machines in table("table2_mpi_runtime.json").items()
        for machine, cell in machines.items()
    }
    # Drawn with noise and judged with more doubt: some cells stay undecided.
    decided = {key for key, verdict in verdicts.items() if verdict != "undecided"}
    assert {key: verdicts[key] for key in decided} == {
        key: published[key] for key in decided
    }
    assert len(decided) >= 20


@pytest.mark.parametrize(
    ("project", "words"),
    [
        ("published-models", "Not measured: drawn from the models"),
        ("simulated-collectives", "Not measured: simulated with SimGrid"),
    ],
)
def test_every_page_says_that_nobody_measured(loaded, project, words):
    region = f"/p/{project}/r/MPI_Bcast"
    run = next(iter(simulated_machines.simulated_runs())).id
    pages = [
        f"/p/{project}",
        region,
        f"/p/{project}/scaling/contours?region=MPI_Bcast",
        "/",
    ]
    if project == simulated_machines.PROJECT:
        pages.append(f"/p/{project}/runs/{run}")

    for page in pages:
        answer = loaded.get(page)
        assert answer.status_code == 200, page
        assert words in answer.text, page
    machines = loaded.get(f"/api/v1/projects/{project}/machines").json()["machines"]
    assert all(machine["provenance"].startswith(words) for machine in machines)


def test_what_was_measured_bears_no_such_label(client):
    client.post("/api/v1/runs", json=posted_run())

    for page in ("/", "/p/mpich"):
        assert 'role="note"' not in client.get(page).text
