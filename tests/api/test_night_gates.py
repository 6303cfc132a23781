"""The gate of machines whose nights are known: a commit beside all nights before it."""

from datetime import datetime, timedelta

import numpy as np
import pytest

from support import sentences
from support.histories import LINEAR, TREE, commit, record_history, reports
from support.recorded import record

NIGHTS = 14
REGIONS = 10


def gate(client, number, **query):
    asked = {"commit": commit(number)["sha"], **query}
    return client.get("/api/v1/projects/mpich/gate", params=asked).json()


def times(factor, curve=TREE):
    return lambda p: factor * curve(p)


def night(number, spread=0.03):
    """Return what a night does to all regions."""
    return float(np.exp(np.random.default_rng((7, number)).normal(0, spread)))


def regions(factor, number=REGIONS, **others):
    found = {f"region-{each}": times(factor) for each in range(number)}
    return found | {f"region-{name}": curve for name, curve in others.items()}


def job_on(number, minutes=0):
    """Return a job that began on the night of a commit."""
    began = datetime.fromisoformat(commit(number)["committed_at"])
    return {"started_at": (began + timedelta(minutes=minutes)).isoformat()}


def record_nights(sessions, last, number=REGIONS, **fields):
    """Measure nights of one machine, and at the end a commit; each by two jobs."""
    record_history(
        sessions,
        lambda each: regions(night(each), number),
        NIGHTS,
        **fields,
    )
    for suite in ("first", "again"):
        record(sessions, reports(NIGHTS + 1, last, suite=suite, **fields))


def test_a_bad_night_of_the_only_machine_is_undecided_and_asks_for_another_night(
    client, sessions
):
    record_nights(sessions, regions(1.3))

    said = gate(client, NIGHTS + 1)

    (finding,) = said["findings"]
    assert said["outcome"] == "undecided"
    assert (finding["region"], finding["kind"]) == ("all regions", "night")
    assert "all 10 regions alike" in finding["sentence"]
    assert finding["todo"] == sentences.OTHER_NIGHT


SPEEDS = np.random.default_rng(11).random(50) < 0.5


def test_a_machine_of_two_speeds_that_is_slow_again_stops_nobody(client, sessions):
    record_history(
        sessions,
        lambda each: regions(night(each, 0.01) * (1.6 if SPEEDS[each - 1] else 1.0)),
        len(SPEEDS) - 1,
    )
    for suite in ("first", "again"):
        last = reports(len(SPEEDS), regions(1.6), suite=suite)
        record(sessions, last)

    said = gate(client, len(SPEEDS))

    assert [each["kind"] for each in said["findings"]] == []


def test_a_bad_night_tells_on_how_many_nights_it_was_as_bad(client, sessions):
    record_history(
        sessions,
        lambda each: regions(night(each, 0.01) * (1.5 if each == 4 else 1.0)),
        2 * NIGHTS,
    )
    for suite in ("first", "again"):
        record(sessions, reports(2 * NIGHTS + 1, regions(1.4), suite=suite))

    said = gate(client, 2 * NIGHTS + 1)

    (finding,) = said["findings"]
    assert "(as far out as on 1 of them)" in finding["sentence"]


def test_a_bad_night_that_another_machine_does_not_see_stops_nobody(client, sessions):
    record_nights(sessions, regions(1.3))
    record_nights(sessions, regions(1.0), machine="juwels")

    said = gate(client, NIGHTS + 1)

    assert (said["outcome"], said["findings"]) == ("fine", [])


def test_what_all_regions_do_on_two_machines_is_the_commits(client, sessions):
    record_nights(sessions, regions(1.3))
    record_nights(sessions, regions(1.3), machine="juwels")

    said = gate(client, NIGHTS + 1)

    assert said["outcome"] == "worse"
    assert {each["machine"] for each in said["findings"] if each["is_sure"]} == {
        "jureca",
        "juwels",
    }


def test_a_region_that_moves_alone_on_a_bad_night_is_worse_by_itself(client, sessions):
    record_nights(sessions, regions(1.2, **{"3": times(1.2 * 1.4)}))

    said = gate(client, NIGHTS + 1)

    assert said["outcome"] == "worse"
    sure = {each["region"] for each in said["findings"] if each["is_sure"]}
    assert sure == {"region-3"}


def test_a_growth_that_is_another_one_is_worse_by_itself(client, sessions):
    record_nights(sessions, regions(1.0, **{"3": LINEAR}))

    said = gate(client, NIGHTS + 1)

    assert said["outcome"] == "worse"
    assert {each["region"] for each in said["findings"]} == {"region-3"}


def test_of_few_regions_nights_tell_how_far_each_wanders(client, sessions):
    record_nights(sessions, regions(1.09, 2), 2)

    said = gate(client, NIGHTS + 1)

    assert (said["outcome"], said["findings"]) == ("fine", [])


def test_another_job_on_a_usual_night_denies_what_a_bad_night_told(client, sessions):
    record_nights(sessions, regions(1.3))
    record(sessions, reports(NIGHTS + 1, regions(1.0), suite="another night"))

    said = gate(client, NIGHTS + 1)

    assert (said["outcome"], said["findings"]) == ("fine", [])


@pytest.mark.filterwarnings("error")
def test_with_few_nights_two_commits_alone_tell(client, sessions):
    for number in (1, 2, 3):
        factor = 1.3 if number == 3 else 1.0
        for suite in ("first", "again"):
            record(sessions, reports(number, regions(factor, 2), suite=suite))

    said = gate(client, 3)

    assert said["outcome"] == "worse"
    assert {each["region"] for each in said["findings"]} == {"region-0", "region-1"}


def test_commits_of_one_night_are_one_night_and_tell_no_spread(client, sessions):
    """A history that was measured in an hour shows nothing of what nights do."""
    for number in range(1, NIGHTS + 1):
        job = job_on(1, minutes=4 * number)
        record(sessions, reports(number, regions(1.0, 2), job=job))
    for suite in ("first", "again"):
        job = job_on(NIGHTS + 1)
        newest = reports(NIGHTS + 1, regions(1.07, 2), suite=suite, job=job)
        record(sessions, newest)

    said = gate(client, NIGHTS + 1)

    assert not any("nights" in each["sentence"] for each in said["findings"])


@pytest.mark.parametrize(("apart", "outcome"), [(30, "undecided"), (1500, "worse")])
def test_two_jobs_in_one_night_are_one_night_where_its_effect_is_not_known(
    client, sessions, apart, outcome
):
    for number in range(1, NIGHTS + 1):
        grown = regions(night(number, 0.01), 2)
        record(sessions, reports(number, grown, job=job_on(number)))
    for suite, minutes in (("first", 0), ("again", apart)):
        job = job_on(NIGHTS + 1, minutes)
        record(sessions, reports(NIGHTS + 1, regions(1.3, 2), suite=suite, job=job))

    said = gate(client, NIGHTS + 1)

    assert said["outcome"] == outcome
    assert {each["region"] for each in said["findings"]} == {"region-0", "region-1"}
    another = {"rerun on jureca on another night"}
    todo = {each["todo"] for each in said["findings"]}
    assert todo == (another if outcome == "undecided" else {None})
