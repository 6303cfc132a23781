import csv
import json
from io import StringIO

import pytest

from support.recorded import record_hydro
from support.shown_pages import words_of

HYDRO = "/p/hydro/hotspots"


def test_a_jump_is_told_in_words_with_both_profiles(client, sessions):
    record_hydro(sessions)

    page = client.get(HYDRO, params={"held": "distribution=tiled"}).text

    assert "The profile changes at p = 5: <bdi>exchange</bdi> went from 11.1" in page
    assert "The profiles at 4 → 5" in page


def test_a_fix_is_told_beside_the_bug(client, sessions):
    record_hydro(sessions)

    page = client.get(
        HYDRO,
        params={"held": "distribution=even", "vs": "held=distribution=tiled"},
    ).text

    assert "The profile keeps its proportions over p: none of 4 comparisons" in page
    assert "distribution=tiled: 2 significant changes there." in page


def test_without_profiles_the_page_says_how_to_get_one(client, sessions):
    record_hydro(sessions, profiled=False)

    page = client.get(HYDRO).text

    assert "No profile yet" in page
    assert "examples/hydro.yaml --server http://testserver" in words_of(page)


def test_a_single_profile_says_why_nothing_is_compared(client, sessions):
    record_hydro(sessions, processes=(4,))

    page = client.get(HYDRO, params={"over": "p"}).text

    assert "Profiles are compared with each other: 2 needed, 1 given" in page


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
