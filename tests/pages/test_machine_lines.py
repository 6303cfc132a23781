import csv
import json
from io import StringIO

import plotly.graph_objects as go
import pytest

from scalewatch.api.http.described import schema_of
from scalewatch.services.machines.lines import MachineLines
from support import sentences
from support.builders import sweep_reports
from support.recorded import record, record_project

PAGE = "/p/hydro/scaling/sizes"
API = "/api/v1/projects/hydro/machine-lines"

MACHINES = {
    "cluster": lambda n: 2e-3 + 1e-6 * n,  # a fast network, slow cores
    "workstation": lambda n: 1e-3 + 2e-6 * n,
}


def record_machines(sessions, machines=MACHINES, sizes=(250, 500, 1000, 2000, 4000)):
    """Record a code on 4 processes at several problem sizes on each machine."""
    reports = []
    for number, (machine, time) in enumerate(machines.items()):
        for n in sizes:
            reports += sweep_reports(
                (4,),
                {"solve": lambda _p, n=n, time=time: time(n)},
                noise=0.005,
                seed=n + number,
                project="hydro",
                coordinate={"p": 4, "n": n},
                machine={"name": machine},
            )
    record(sessions, reports)


def test_crossing_and_slopes_are_what_was_put_in(client, sessions):
    record_machines(sessions)

    shown = client.get(API).json()

    schema_of(MachineLines).model_validate(shown)
    (pair,) = shown["pairs"]
    assert pair["crossing"]["value"] == pytest.approx(1000, rel=0.1)
    assert pair["slope_difference"]["value"] == pytest.approx(-1e-6, rel=0.05)
    assert pair["slope_p_value"] < 0.01


def test_three_machines_are_compared_each_with_each(client, sessions):
    record_machines(sessions, MACHINES | {"laptop": lambda n: 5e-3 + 3e-6 * n})

    shown = client.get(API).json()

    assert len(shown["pairs"]) == 3


def test_a_project_without_sizes_says_what_to_run(client, sessions):
    record_project(sessions)

    page = client.get("/p/openmpi/scaling/sizes").text

    assert sentences.NO_SIZES in page
    why = "None of the successful runs records n."
    assert page.count(why) == 1
    assert f"node-shm, node-tcp: {why}" in page
    assert "<table" not in page


def test_figure_draws_points_and_line_of_each_machine(client, sessions):
    record_machines(sessions)

    drawn = client.get("/api/v1/figures/machine-lines", params={"project": "hydro"})

    modes = [trace.mode for trace in go.Figure(drawn.json()).data]
    assert modes == ["markers", "lines"] * 2


def test_exports_hold_times_and_lines(client, sessions):
    record_machines(sessions)

    rows = csv.DictReader(StringIO(client.get(PAGE, params={"format": "csv"}).text))
    table = client.get(PAGE, params={"format": "md"}).text
    shown = json.loads(client.get(PAGE, params={"format": "json"}).text)

    assert len(list(rows)) == 10
    assert "| cluster" in table
    assert len(shown["lines"]) == 2


@pytest.mark.parametrize(
    ("query", "status"),
    [({"scale": "5"}, 404), ({"scale": "many"}, 422), ({"region": "moon"}, 404)],
    ids=str,
)
def test_questions_without_sense_get_an_error(client, sessions, query, status):
    record_machines(sessions)

    assert client.get(PAGE, params=query).status_code == status
    assert client.get(API, params=query).status_code == status


SAID = {
    # They cross where 1e-3 + 1e-6 n is lost and won.
    "machines are interpreted": (
        {},
        "cluster is faster from n = 1",
        "workstation below",
        "Lines cross at n",
    ),
    "growth that fits better": (
        {"machines": MACHINES | {"laptop": lambda n: 1e-3 + 2e-9 * n**2}},
        "another growth fits better than the line",
        "On laptop another growth fits better than a line",
    ),
    "single machine has nothing to compare with": (
        {"machines": {"cluster": MACHINES["cluster"]}},
        "Machines are compared with each other: 2 needed, cluster measured",
    ),
    "single size": (
        {"sizes": (1000,)},
        "No problem sizes recorded",
        "at three problem sizes or more",
    ),
}


@pytest.mark.parametrize(("recorded", "said"), [
    pytest.param(recorded, said, id=about) for about, (recorded, *said) in SAID.items()
])  # fmt: skip
def test_page_says_what_lines_tell_and_what_they_lack(client, sessions, recorded, said):
    record_machines(sessions, **recorded)

    page = client.get(PAGE).text

    assert [text for text in said if text not in page] == []
    has_pairs = len(recorded.get("machines", MACHINES)) > 1 and "sizes" not in recorded
    assert ("Machine against machine" in page) == has_pairs
