import csv
import json
import re
from io import StringIO

import pytest

from support import sentences
from support.recorded import record, record_hydro
from support.traced import RELEASES, SWEEP3D, sweep3d, traced_run, wavefront

SWEEP = "/p/sweep/traces"


def text(client, path=SWEEP, **query):
    answer = client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return answer.text


def test_report_names_ten_of_many_locations_and_counts_the_others(client, sessions):
    regions = {f"step_{at} › MPI_Recv": at for at in range(40)}
    runs = []
    for p in (4, 8, 16, 32, 64, 128):
        times = {name: p + (1 + at / 100) * p**2 for name, at in regions.items()}
        total = {"runtime": 1e6, "overhead": sum(times.values())}
        places = {name: {"overhead": time} for name, time in times.items()}
        runs.append(traced_run(p, {"program": total, **places}))
    record(sessions, runs)

    page = text(client)

    blamed = page[page.index("Most of that comes from") :]
    blamed = blamed[: blamed.index("</li>")]
    assert blamed.count("<bdi>") == 10
    assert blamed.index("step_39 ") < blamed.index("step_30 ")
    assert re.search(r" and \d+ others \(\d+\.\d.% together\)\.", blamed)
    shown = json.loads(text(client, format="json"))
    assert max(len(one["locations"]) for one in shown["chosen"]["conclusions"]) > 10


def test_every_location_has_its_row_and_link(client, sessions):
    record(sessions, wavefront())

    page = text(client)

    rows = page[page.index('aria-label="Locations"') :]
    assert rows.index("receive › MPI_Recv") < rows.index("send › MPI_Send")
    assert "late sender" in rows
    assert "location=send+%E2%80%BA+MPI_Send" in rows or "location=send" in rows


def test_one_location_is_shown_with_its_table_model_and_history(client, sessions):
    record(sessions, wavefront())

    page = text(client, location="send › MPI_Send")

    assert "sweep.c:52" in page
    assert ">its history</a>" in page
    assert page.count(sentences.FIRST_SETTINGS) == 1


@pytest.mark.parametrize(("release", "variant"), RELEASES.items())
def test_published_tables_of_sweep3d_are_on_the_page_to_the_printed_digit(
    client, sessions, release, variant
):
    record(sessions, sweep3d())

    shown = json.loads(text(client, "/p/sweep3d/traces", commit=release, format="json"))

    found = [
        {
            "points": len(row["settings"]),
            "a0": round(row["a0"], 2),
            "a1": round(row["a1"], 2),
            "a2": round(row["a2"], 2),
            "e_max": round(row["e_max"], 2),
            "d": row["d"] if row["d"] is None else round(row["d"], 2),
        }
        for row in shown["chosen"]["total"]["extrapolations"]
    ]
    assert found == SWEEP3D["variants"][variant]["table"]


def test_blocking_and_non_blocking_sweep3d_stand_side_by_side(client, sessions):
    record(sessions, sweep3d())

    page = text(
        client, "/p/sweep3d/traces", commit="blocking", vs="commit=non-blocking"
    )

    blocking, non_blocking = page.split('<h3 class="heading--minor">commit non-block')
    assert sentences.NOT_LINEAR in blocking
    assert sentences.LINEAR in non_blocking
    assert re.search(r"a₂·P² is −[\d.]+.% of it at the largest P, and a₂ = −", blocking)
    assert page.count(sentences.USABLE) == 2
    assert page.count(sentences.FIRST_SETTINGS) == 2
    assert page.index("−18.79") < page.index("−11.48")


def test_exports_hold_times_tables_and_figures(client, sessions):
    record(sessions, sweep3d())
    query = {"commit": "blocking", "vs": "commit=non-blocking"}
    path = "/p/sweep3d/traces"

    times = list(csv.DictReader(StringIO(text(client, path, **query, format="csv"))))
    tables = text(client, path, **query, format="md")
    latex = text(client, path, **query, format="tex")
    gnuplot = text(client, f"{path}.gp", **query)

    assert len(times) == 14
    assert times[0] == {
        "commit": "blocking",
        "region": "program",
        "file": "",
        "line": "",
        "metric": "overhead",
        "p": "4.0",
        "seconds": "26.172",
    }
    assert "| 4,8,12,14,21,24 | -18.79 | 11.2 |" in tables
    # Wider than paper, its columns go on in a table below.
    assert "17.80 \\\\" in latex
    assert "23.22" in latex
    assert gnuplot.count("<< EOD") == 2
    assert "set output 'extrapolation1.svg'" in gnuplot
    last = re.search(r"data0_7\(x\) = (\S+) \+ \((\S+)\)\*x \+ \((\S+)\)", gnuplot)
    assert [round(float(each), 2) for each in last.groups()] == [-2.15, 7.72, -0.08]


def test_menu_leads_to_traces_only_where_there_are_some(client, sessions):
    record(sessions, wavefront())
    record_hydro(sessions)

    assert "/p/sweep/traces" in client.get("/p/sweep/cost").text
    assert "/p/hydro/traces" not in client.get("/p/hydro/cost").text


def test_hostile_names_stay_text(client, sessions):
    name = "<script>alert(1)</script>".replace("/", "_")
    times = {"mpi_time": 1.0, "overhead": 1.0, "line": 3}
    record(
        sessions,
        [
            traced_run(p, {"program": {"overhead": 1.0 * p}, name: times})
            for p in (2, 4, 8, 16)
        ],
    )

    page = text(client, location=name)

    assert "<script>alert" not in page
    assert "alert" in text(client, f"{SWEEP}.gp", location=name)
    assert "<" not in text(client, f"{SWEEP}.gp", location=name).replace("<< EOD", "")


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"target": "many"}, 422),
        ({"target": "p=-3"}, 422),
        ({"repeat": "worst"}, 422),
        ({"location": "nowhere"}, 404),
        ({"vs": "planet=mars"}, 404),
        ({"metric": "calls"}, 404),
    ],
)
def test_bad_question_is_refused_in_words(client, sessions, query, status):
    record(sessions, wavefront())

    assert client.get(SWEEP, params=query).status_code == status


def test_target_is_stated_with_or_without_its_parameter(client, sessions):
    record(sessions, wavefront())

    for stated in ("1024", "p=1024"):
        shown = json.loads(text(client, target=stated, format="json"))
        assert shown["chosen"]["target"] == 1024
