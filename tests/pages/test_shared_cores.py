"""Pages where processes shared cores: no verdict, and why, in one plain sentence."""

import re
from html import unescape
from uuid import uuid4

import pytest

from scalewatch.texts.numbers import SPACE
from support import sentences
from support.builders import on_cores, sweep_reports
from support.histories import LINEAR, TREE, commit, reports, sha
from support.recorded import record

REASON = "processes shared cores at p = 4, 8, 16, 32, 64"
CROWDED = (
    "2 of 2 series cannot be judged: processes shared cores or others took "
    "processors of the job."
)
BCAST = "/p/mpich/r/MPI_Bcast"


@pytest.fixture
def crowded(sessions):
    for number, curve in ((1, TREE), (2, LINEAR)):
        growths = {"MPI_Bcast": curve, "MPI_Reduce": curve}
        record(sessions, on_cores(2, reports(number, growths)))


def text(client, address):
    return unescape(client.get(address).text)


@pytest.mark.usefixtures("crowded")
@pytest.mark.parametrize("address", ["/", "/p/mpich", f"/p/mpich/c/{sha(2)}"])
def test_first_screens_say_how_many_series_and_what_to_do(client, address):
    page = text(client, address)

    assert f"<strong>{CROWDED}</strong>" in page
    assert sentences.MEASURE_ON_MORE in page
    assert 'href="/p/mpich/settings/gate"' in page
    assert "verdict--mismatch" not in page


@pytest.mark.usefixtures("crowded")
def test_cells_and_regions_say_the_reason_and_no_growth(client):
    table, region = text(client, "/p/mpich?view=table"), text(client, BCAST)

    assert table.count("cell--undecided") == 2
    assert f'<span class="cell__reason">{REASON}' in table
    assert f"has no model: {REASON}" in region
    assert region.count("<strong>left out</strong>") == 5


@pytest.mark.usefixtures("crowded")
def test_files_say_the_reason(client):
    markdown = client.get("/p/mpich?format=md").text
    report = client.get("/api/v1/projects/mpich/report").json()
    changes = text(client, f"/p/mpich/c/{sha(2)}")
    (measured, *_) = client.get(f"{BCAST}?format=json").json()["scans"][0][
        "measurements"
    ]

    assert f"? undecided: {REASON}" in markdown
    standing = report["rows"][0]["cells"][0]["standing"]
    assert (standing["verdict"], standing["model"]) == ("undecided", None)
    assert standing["reason"].startswith(REASON)
    assert sentences.CROWDED_CHANGES in changes
    assert measured["is_left_out"] is True


def test_settings_left_out_are_told_beside_the_verdict(client, sessions):
    processes = (2, 3, 4, 6, 8, 16)
    record(sessions, on_cores(8, sweep_reports(processes, {"MPI_Bcast": TREE})))

    region, table = text(client, BCAST), text(client, "/p/mpich?view=table")

    assert sentences.SIXTEEN_LEFT_OUT in region
    assert sentences.SIXTEEN_LEFT_OUT_OF in table
    assert "cannot be judged" not in table


def test_expansions_of_a_commit_compare_what_had_cores_enough(client, sessions):
    processes = (2, 3, 4, 6, 8, 16)
    for number in (1, 2):
        runs = sweep_reports(processes, {"solve": TREE}, commit=commit(number))
        record(sessions, on_cores(8, runs))
    row = "solve jureca time message_bytes=256"

    page = client.get(f"/p/mpich/c/{sha(2)}", params={"all": 1, "expand": row})

    assert "as before" in page.text.replace(SPACE, " ")


def test_counts_of_a_project_agree_and_its_other_metrics_are_named(client, sessions):
    unexpected = {"MPI_Bcast": TREE, "solve": TREE}
    record(sessions, on_cores(2, reports(1, unexpected)))
    counts = [
        run.model_copy(
            update={
                "id": uuid4(),
                "results": tuple(
                    each.model_copy(update={"metric": "calls", "unit": "1"})
                    for each in run.results
                ),
            }
        )
        for run in reports(1, unexpected)
    ]
    record(sessions, counts)

    home, table = text(client, "/"), text(client, "/p/mpich?metric=time")

    assert sentences.HOME_UNJUDGED in home
    assert sentences.TABLE_UNJUDGED in table
    assert re.search(
        r'Measured as well:\s+<a href="[^"]*metric=calls">calls</a>\.', table
    )
