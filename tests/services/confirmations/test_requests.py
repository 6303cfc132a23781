"""A suspicion asks for a run, one agent makes it, and two jobs decide."""

import pytest
from sqlalchemy import select, update

from scalewatch.errors import ConfirmationLost
from scalewatch.services.confirmations import requests
from scalewatch.services.confirmations.requests import MOST_ASKED, ConfirmationState
from scalewatch.services.gates.decision import GateOutcome
from scalewatch.services.gates.gate import confirm_suspicions, gate_of
from scalewatch.storage import tables
from scalewatch.storage.histories import regressions
from scalewatch.storage.tables import now
from support.builders import sweep_reports
from support.histories import (
    LINEAR,
    PROCESSES,
    TREE,
    commit,
    record_commit,
    record_history,
    sha,
)
from support.recorded import failed_result, record
from support.service_sentences import SAID


@pytest.fixture
def suspected(sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": LINEAR})
    return sessions


def ask(sessions):
    with sessions.writing.begin() as session:
        return confirm_suspicions(session, "mpich", sha(2), None)


def claim(sessions, agent, machine="jureca"):
    with sessions.writing.begin() as session:
        return requests.claim(session, machine, agent)


def finish(sessions, number, agent, state=ConfirmationState.DONE):
    with sessions.writing.begin() as session:
        return requests.finish(session, number, agent, state, "5 runs posted")


def measure_again(sessions):
    runs = sweep_reports(
        PROCESSES,
        {"MPI_Bcast": LINEAR},
        seed=99,
        project="mpich",
        commit=commit(2),
        machine={"name": "jureca", "fingerprint": {"cores": 128}},
    )
    record(sessions, runs)


def end_leases(sessions):
    with sessions.writing.begin() as session:
        session.execute(update(tables.Confirmation).values(due_at=now()))


def test_what_is_suspected_twice_is_asked_for_once(suspected):
    ask(suspected)

    (asked,) = ask(suspected)

    assert (asked.machine, asked.state) == ("jureca", ConfirmationState.OPEN)
    assert SAID["suspected growth"] in asked.reason
    assert SAID["waits for an agent"] in asked.sentence


def test_job_that_failed_confirms_nothing(suspected):
    runs = sweep_reports(
        PROCESSES,
        {"MPI_Bcast": LINEAR},
        project="mpich",
        commit=commit(2),
        machine={"name": "jureca", "fingerprint": {"cores": 128}},
        results=[failed_result("MPI_Bcast")],
    )
    record(suspected, runs)

    with suspected.reading() as session:
        found = gate_of(session, "mpich", sha(2), None)

    assert found.outcome is GateOutcome.UNDECIDED
    assert [each.is_sure for each in found.findings] == [False]
    assert found.next_step is not None


def test_one_of_two_agents_gets_a_run_with_all_places_that_lack_a_job(suspected):
    ask(suspected)

    order, nothing = claim(suspected, "one"), claim(suspected, "two")

    assert nothing is None
    assert order.confirmation.agent == "one"
    assert [each.coordinate for each in order.settings] == [{"p": p} for p in PROCESSES]


def test_another_machine_gets_nothing(suspected):
    ask(suspected)

    assert claim(suspected, "one", machine="juwels") is None


def test_a_lost_agent_delays_a_run_and_cannot_end_it_any_more(suspected):
    (asked,) = ask(suspected)
    claim(suspected, "one")
    end_leases(suspected)

    order = claim(suspected, "two")

    assert order.confirmation.attempts == 2
    with pytest.raises(ConfirmationLost, match="no longer one's"):
        finish(suspected, asked.id, "one")
    assert finish(suspected, asked.id, "two").state is ConfirmationState.DONE


def test_a_run_whose_agents_are_always_lost_is_given_up(suspected):
    ask(suspected)
    for agent in ("one", "two", "three"):
        assert claim(suspected, agent)
        end_leases(suspected)

    assert claim(suspected, "four") is None
    (asked,) = ask(suspected)[-1:]
    assert (asked.state, asked.outcome) == (
        ConfirmationState.FAILED,
        SAID["given up"],
    )


def test_a_run_that_was_made_meanwhile_is_not_asked_for(suspected):
    ask(suspected)
    measure_again(suspected)

    assert claim(suspected, "one") is None
    with suspected.reading() as session:
        (asked,) = requests.confirmations_of(session, "mpich")
        assert (asked.state, asked.outcome) == (
            ConfirmationState.DONE,
            "measured meanwhile",
        )


def test_a_commit_is_not_measured_for_ever(suspected):
    for _ in range(MOST_ASKED + 2):
        ask(suspected)
        if order := claim(suspected, "one"):
            finish(suspected, order.confirmation.id, "one", ConfirmationState.FAILED)

    assert len(ask(suspected)) == MOST_ASKED


def test_a_suspected_regression_asks_and_is_sure_once_it_is_confirmed(sessions):
    last = 30

    def runs(number, seed):
        return sweep_reports(
            range(2, 34, 2),  # enough settings for one commit to stand out
            {"MPI_Bcast": LINEAR if number == last else TREE},
            repetitions=5,
            noise=0.01,
            seed=seed,
            project="mpich",
            commit=commit(number),
            machine={"name": "jureca", "fingerprint": {"cores": 128}},
        )

    record(sessions, [each for n in range(1, last + 1) for each in runs(n, n)])

    with sessions.reading() as session:
        (row,) = session.scalars(select(tables.Regression)).all()
        (asked,) = requests.confirmations_of(session, "mpich")
        assert not row.is_sure
        assert asked.commit.sha == sha(last)
        assert f"regression {row.id} is suspected" in asked.reason
    record(sessions, runs(last, 99))

    with sessions.reading() as session:
        (row,) = session.scalars(select(tables.Regression)).all()
        happened = regressions.events(session, [row.id])[row.id]
        assert row.is_sure
        assert [each.action for each in happened] == ["found", "confirmed"]


@pytest.mark.parametrize(
    ("curve", "outcome"),
    [(TREE, "5 later commits do not show it"), (LINEAR, "later commits confirm it")],
    ids=["nothing", "confirmed"],
)
def test_a_run_is_withdrawn_once_later_commits_have_settled_it(
    sessions, curve, outcome
):
    record_history(sessions, lambda _: {"MPI_Bcast": TREE}, 12)
    record_commit(sessions, 13, {"MPI_Bcast": LINEAR})
    with sessions.writing.begin() as session:
        confirm_suspicions(session, "mpich", sha(13), None)

    for number in range(14, 19):
        record_commit(sessions, number, {"MPI_Bcast": curve})

    with sessions.reading() as session:
        states = {
            each.outcome: each.state
            for each in requests.confirmations_of(session, "mpich")
            if each.commit.sha == sha(13)
        }
    ((said, state),) = states.items()
    assert said.startswith(outcome)
    assert state is ConfirmationState.WITHDRAWN
