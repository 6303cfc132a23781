import csv
import json
from io import StringIO

import pytest

from support.recorded import record_hydro

HYDRO = "/p/hydro/hotspots"


def test_functions_of_one_profile_only_are_named(client, sessions):
    record_hydro(sessions)
    record_hydro(sessions, processes=(7,), seconds={"rebalance": 50.0}, number=1)

    page = client.get(HYDRO, params={"held": "distribution=tiled"}).text

    assert "only after: rebalance" in page


def test_exports_hold_all_profiles_and_steps(client, sessions):
    record_hydro(sessions)
    query = {"held": "distribution=tiled"}

    listed = csv.DictReader(
        StringIO(client.get(HYDRO, params=query | {"format": "csv"}).text)
    )
    steps = client.get(HYDRO, params=query | {"format": "md"}).text
    shown = json.loads(client.get(HYDRO, params=query | {"format": "json"}).text)

    seconds = {(row["p"], row["function"]): float(row["seconds"]) for row in listed}
    assert seconds["5", "exchange"] == 80
    assert steps.count("significant") == 2
    assert [step["is_significant"] for step in shown["chosen"]["steps"]] == [
        False,
        False,
        True,
        True,
    ]


def test_hostile_names_stay_text(client, sessions):
    name = "<script>alert(1)<\u2044script>"
    record_hydro(sessions, seconds={name: 900.0})

    page = client.get(HYDRO).text

    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(
    ("query", "status"),
    [({"over": "moon"}, 404), ({"unit": "0"}, 422), ({"against": "next"}, 422)],
    ids=str,
)
def test_questions_without_sense_get_an_error_page(client, sessions, query, status):
    record_hydro(sessions)

    assert client.get(HYDRO, params=query).status_code == status
