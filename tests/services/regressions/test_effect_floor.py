"""Changes below the smallest effect of a project: drifts, and no regressions."""

import pytest
from sqlalchemy import select

from scalewatch.services.gates import declared_rules as rules
from scalewatch.services.regressions.changes import effect_floor
from scalewatch.services.regressions.regressions import regressions_of
from scalewatch.storage import tables
from support.histories import TREE, commit, record_commit, record_history
from support.service_sentences import SAID

COMMITS, AT = 24, 14


def times(factor):
    return lambda p: factor * TREE(p)


def curves(number):
    changed = 1.08 if number >= AT else 1.0
    return {"MPI_Bcast": times(changed), "MPI_Barrier": TREE}


@pytest.fixture
def state(sessions, work_off):
    """Return a function that states the smallest effect that matters."""

    def state(smallest):
        with sessions.writing.begin() as session:
            rules.declare(
                session,
                "mpich",
                {"smallest_effect": smallest},
                {},
                author="ada",
                reason=None,
            )
        work_off()

    return state


def found(sessions):
    with sessions.reading() as session:
        return regressions_of(session, "mpich", ())


def test_what_changes_by_less_than_a_project_minds_is_a_drift(sessions, state):
    record_history(sessions, curves, COMMITS)
    (before,) = found(sessions).regressions

    state(0.15)
    after = found(sessions)

    (row,) = after.regressions
    assert (str(before.state), str(row.state)) == ("open", "fixed")
    assert "a drift" in row.events[-1].note
    assert after.detection["drifts"] == 1
    (drift,) = after.detection["largest_drifts"]
    assert drift["region"] == "MPI_Bcast"
    assert drift["factor"] == pytest.approx(1.08, abs=0.03)


def test_a_floor_that_is_lowered_again_tells_it_again(sessions, state):
    record_history(sessions, curves, COMMITS)
    state(0.15)

    state(0.03)

    assert found(sessions).detection["drifts"] == 0
    assert "open" in {str(row.state) for row in found(sessions).regressions}


def test_floor_is_twice_the_usual_spread_of_a_machine_at_least():
    assert effect_floor(0.03, 0.01) == 0.03
    assert effect_floor(0.03, 0.04) == 0.08


def test_drifts_are_folded_on_the_page_and_name_their_commits(client, sessions, state):
    record_history(sessions, curves, COMMITS)
    state(0.15)

    page = client.get("/p/mpich/regressions").text

    assert SAID["drifts"] in page
    assert commit(AT)["sha"][:10] in page


def test_the_gate_minds_the_same_floor(client, sessions, state):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    for suite in ("first", "again"):
        record_commit(sessions, 2, {"MPI_Bcast": times(1.1)}, suite=suite)
    asked = {"commit": commit(2)["sha"]}
    before = client.get("/api/v1/projects/mpich/gate", params=asked).json()

    state(0.2)
    after = client.get("/api/v1/projects/mpich/gate", params=asked).json()

    assert (before["outcome"], after["outcome"]) == ("worse", "fine")


def test_an_effect_below_what_nights_allow_is_refused(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})

    answer = client.put(
        "/api/v1/projects/mpich/gate/rules",
        json={"author": "ada", "rules": {"smallest_effect": 0.001}},
    )

    assert answer.status_code == 422
    with sessions.reading() as session:
        assert session.scalars(select(tables.GateRules)).all() == []
