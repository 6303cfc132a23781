import csv
import json
import re
from io import StringIO
from uuid import UUID

from support import sentences
from support.builders import result, run_report, sweep_reports
from support.histories import store_nights
from support.recorded import record, record_half_failed_project, record_project


def report(number: int, mpi: str, **fields):
    return run_report(
        id=f"00000000-0000-0000-0000-{number:012}",
        commit={"sha": f"c{number}", "committed_at": f"2026-01-0{number}T00:00:00Z"},
        machine={"name": "jureca", "fingerprint": {"cores": 128, "mpi": mpi}},
        **fields,
    )


def test_bytes_of_a_fingerprint_have_a_unit(client, sessions):
    facts = {"cpu": "x", "memory_bytes": 274_877_906_944}
    machine = {"name": "jureca", "fingerprint": facts}
    record(sessions, [run_report(machine=machine)])

    page = client.get("/p/mpich/m/jureca").text

    assert "<dt>memory_bytes</dt><dd>275\N{NARROW NO-BREAK SPACE}GB</dd>" in page


def test_newest_commits_are_said_to_be_some_of_all(client, sessions):
    runs = [
        run_report(id=str(UUID(int=number)), commit={"sha": f"c{number}"})
        for number in range(1, 23)
    ]

    record(sessions, runs[:20])
    all_of_them = client.get("/p/mpich/m/jureca").text
    record(sessions, runs[20:])
    some_of_them = client.get("/p/mpich/m/jureca").text

    assert "measured commits." not in all_of_them
    assert sentences.TWENTY_OF_TWENTY_TWO in some_of_them


def test_noise_is_the_interquartile_range_over_the_median(client, sessions):
    values = [1.0, 2.0, 3.0, 4.0, 5.0]
    record(sessions, [report(1, "MPICH 5", results=[result(values=values)])])

    shown = json.loads(client.get("/p/mpich/m/jureca?format=json").text)

    (noise,) = shown["noise"]
    assert noise["scatter"]["median"] == (4 - 2) / 3
    assert noise["regions"][0]["name"] == "MPI_Bcast"


def test_page_says_how_curves_are_taken_to_depart_from_models(client, sessions):
    record(sessions, sweep_reports(repetitions=5))

    page = client.get("/p/mpich/m/jureca").text
    (noise,) = client.get("/p/mpich/m/jureca?format=json").json()["noise"]

    assert noise["future"] > 0
    assert 0 < noise["departing"] <= 1
    assert f"{100 * noise['departing']:.2g}\N{NO-BREAK SPACE}%" in page.replace(
        "&nbsp;", "\N{NO-BREAK SPACE}"
    )


def test_coverage_counts_runs_results_and_failures(client, sessions):
    record_half_failed_project(sessions)

    table = client.get("/p/fragile/m/broken?format=csv").text

    newest = next(csv.DictReader(StringIO(table)))
    assert newest["runs"] == "5"
    assert newest["results"] == newest["failures"] == "17"


def test_unknown_machine_is_not_found(client, sessions):
    record_project(sessions)

    assert client.get("/p/openmpi/m/moon").status_code == 404


def test_nights_are_said_to_be_correlated_with_their_spread(client, sessions):
    record(sessions, [report(1, "MPICH 5")])
    store_nights(sessions)

    page = client.get("/p/mpich/m/jureca").text

    assert sentences.NIGHTS_CORRELATED in page
    assert "<title>bad night at c2</title>" in page
    assert sentences.BAD_NIGHTS in page
    assert re.findall(r'text-anchor="(\w+)">(c\d)', page) == [
        ("start", "c1"),
        ("end", "c3"),
    ]
    assert re.findall(r'class="chart__tick"[^>]*>([^<]*)<', page) == [
        "−1.0\u202f%",
        "0\u202f%",
        "+20.0\u202f%",
    ]


def test_a_machine_that_stayed_slow_says_since_when(client, sessions):
    record(sessions, [report(1, "MPICH 5")])
    step = {"commit": "c3", "factor": 1.12, "origin": "machine"}
    store_nights(sessions, correlation=0.0, steps=[step])

    page = client.get("/p/mpich/m/jureca").text

    assert sentences.NIGHTS_INDEPENDENT in page
    assert sentences.SLOW_SINCE in page


def test_a_step_that_no_other_machine_tells_of_is_left_open(client, sessions):
    record(sessions, [report(1, "MPICH 5")])
    step = {"commit": "c3", "factor": 1.12, "origin": "undecided"}
    store_nights(sessions, nights=[], bad={}, steps=[step])

    page = client.get("/p/mpich/m/jureca").text

    said = "the machine&#39;s or the library&#39;s: a second machine would decide."
    assert f"× 1.12 since c3: {said}" in page


def test_a_machine_of_few_regions_says_nothing_of_nights(client, sessions):
    record(sessions, [report(1, "MPICH 5")])

    assert 'id="nights"' not in client.get("/p/mpich/m/jureca").text
