"""One to four settings on the server: factors, and the gate on constants."""

import re

import pytest

from support import sentences
from support.builders import sweep_reports
from support.histories import commit
from support.recorded import record

FEW = (32, 64, 128)


def halving(factor=1.0):
    return {"step": lambda p: factor * (1e-3 + 1 / p)}


def measured(sessions, number, factor=1.0, seed=1, settings=FEW, **fields):
    runs = sweep_reports(
        settings,
        halving(factor),
        repetitions=5,
        noise=0.01,
        seed=seed,
        commit=commit(number),
        **fields,
    )
    record(sessions, runs)


@pytest.fixture
def few(sessions):
    record(sessions, sweep_reports(FEW, halving(), noise=0.005))


@pytest.mark.usefixtures("few")
def test_models_of_few_settings_have_factors_and_efficiency(client):
    (model,) = client.get("/api/v1/projects/mpich/models").json()["models"]

    assert model["standing"]["model"] is None
    assert model["standing"]["reason"] == (sentences.TWO_SETTINGS_MORE)
    assert [(step["start"], step["end"]) for step in model["steps"]] == [
        (32, 64),
        (64, 128),
        (32, 128),
    ]
    truth = (1e-3 + 1 / 128) / (1e-3 + 1 / 32)
    assert model["steps"][-1]["factor"] == pytest.approx(truth, rel=0.02)


@pytest.mark.usefixtures("few")
def test_pages_say_how_many_settings_there_are_and_which_would_tell_more(client):
    table = client.get("/p/mpich").text
    region = client.get("/p/mpich/r/step", params={"machine": "jureca"}).text

    assert "3 of 5 settings" in table
    assert sentences.SETTINGS_WOULD_TELL in table
    assert sentences.NO_VERDICT_UNDECLARED in region
    assert "3 of 5 settings" in region
    assert re.search(
        r"From p = 32 to 128, the time falls to 0\.27\d times \[0\.2\d\d, 0\.2\d\d\]\.",
        region,
    )
    assert re.search(
        r"On 128 processes step runs 3\.6\d × as fast as on 32: "
        r"parallel efficiency 9[12] ",
        region,
    )


def gate(client, number):
    query = {"commit": commit(number)["sha"]}
    return client.get("/api/v1/projects/mpich/gate", params=query).json()


@pytest.mark.parametrize(("settings", "factor"), [(FEW, 1.3), (FEW[:1], 2.0)])
def test_worse_constant_of_few_settings_stops_a_commit_at_the_second_job(
    client, sessions, settings, factor
):
    measured(sessions, 1, settings=settings)
    measured(sessions, 2, factor, seed=2, settings=settings)
    suspected = gate(client, 2)
    measured(sessions, 2, factor, seed=3, settings=settings, suite="again")

    confirmed = gate(client, 2)

    assert suspected["outcome"] == "undecided"
    assert suspected["findings"][0]["kind"] == "constant"
    assert confirmed["outcome"] == "worse"
    (finding,) = confirmed["findings"]
    times, _, words = finding["sentence"].partition(" ")
    assert float(times) == pytest.approx(factor, rel=0.02)
    assert words.startswith("times as much as before")
    assert finding["at_target"] is None


@pytest.mark.parametrize("settings", [FEW, FEW[:1]])
def test_unchanged_constant_of_few_settings_passes(client, sessions, settings):
    measured(sessions, 1, settings=settings)
    measured(sessions, 2, seed=2, settings=settings)
    measured(sessions, 2, seed=3, settings=settings, suite="again")

    said = gate(client, 2)

    assert (said["outcome"], said["findings"]) == ("fine", [])
