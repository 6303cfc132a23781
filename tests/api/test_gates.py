import re

import pytest
from sqlalchemy import event

from scalewatch.services.commit_reports.report import commit_report
from scalewatch.services.selection.view import View
from support import sentences
from support.histories import LINEAR, TREE, commit, record_commit, reports, sha
from support.recorded import record, record_runs


def gate(client, **query):
    return client.get("/api/v1/projects/mpich/gate", params=query)


def dearer(factor):
    return lambda p: factor * TREE(p)


def record_again(sessions, number, growths, **fields):
    """Measure a commit once more, by a second job."""
    record(sessions, reports(number, growths, suite="again", **fields))


def test_a_commit_passes_that_scales_as_before(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": TREE})

    said = gate(client, commit=commit(2)["sha"]).json()

    assert (said["outcome"], said["findings"]) == ("fine", [])
    assert said["relation"] == "parent"


def test_the_first_commit_lacks_a_baseline_and_no_measurements(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})

    said = gate(client, commit=commit(1)["sha"]).json()

    assert (said["outcome"], said["baseline"]) == ("undecided", None)
    assert said["sentence"] == sentences.NOTHING_BEFORE


def test_a_commit_waits_for_the_analysis_of_what_it_is_compared_with(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": TREE})
    with sessions.writing.begin() as session:
        record_runs(session, reports(1, {"MPI_Bcast": TREE}, suite="again"))

    said = gate(client, commit=commit(2)["sha"]).json()

    assert said["outcome"] == "pending"
    assert said["sentence"] == sentences.ANALYSIS_UNFINISHED


def test_one_job_alone_is_a_suspicion_and_a_second_one_stops_the_commit(
    client, sessions
):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": LINEAR})

    suspected = gate(client, commit=commit(2)["sha"]).json()
    record_again(sessions, 2, {"MPI_Bcast": LINEAR})
    confirmed = gate(client, commit=commit(2)["sha"]).json()

    (finding,) = suspected["findings"]
    assert suspected["outcome"] == "undecided"
    assert sentences.RERUN in finding["todo"]
    assert confirmed["outcome"] == "worse"
    assert confirmed["findings"][0]["sentence"] == (sentences.NO_LONGER_AS_EXPECTED)


def test_a_worse_constant_stops_a_commit_once_a_second_job_says_so(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE, "MPI_Barrier": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": dearer(1.3), "MPI_Barrier": TREE})

    suspected = gate(client, commit=commit(2)["sha"]).json()
    record_again(sessions, 2, {"MPI_Bcast": dearer(1.3), "MPI_Barrier": TREE})
    confirmed = gate(client, commit=commit(2)["sha"]).json()

    (doubt,), (finding,) = suspected["findings"], confirmed["findings"]
    assert suspected["outcome"] == "undecided"
    assert doubt["sentence"].endswith(sentences.THROUGHOUT_SINGLE_JOB)
    assert sentences.RERUN in doubt["todo"]
    assert confirmed["outcome"] == "worse"
    assert confirmed["sentence"].startswith(sentences.ONE_OF_TWO_WORSE)
    assert (finding["region"], finding["kind"]) == ("MPI_Bcast", "constant")
    assert sentences.TIMES_AS_MUCH in finding["sentence"]
    assert finding["probability"] > 0.99
    effect = finding["at_target"]
    assert 1.25 < effect["low"] < 1.3 < effect["high"] < 1.35
    assert finding["target"] == {"p": 16 * 64}


def test_the_report_of_a_commit_and_its_gate_agree_on_constants(client, sessions):
    before = {"MPI_Bcast": TREE, "MPI_Barrier": TREE, "MPI_Reduce": TREE}
    after = before | {"MPI_Bcast": dearer(1.3), "MPI_Reduce": dearer(1 / 1.3)}
    record_commit(sessions, 1, before)
    record_commit(sessions, 2, after)
    record_again(sessions, 2, after)

    said = gate(client, commit=commit(2)["sha"]).json()
    with sessions.reading() as session:
        report = commit_report(session, View("mpich", commit=commit(2)["sha"]), None)

    kinds = {each.region: str(each.kind) for each in report.changes}
    (finding,) = said["findings"]
    worse = next(each for each in report.changes if each.region == "MPI_Bcast")
    assert kinds == {
        "MPI_Bcast": "worse constant",
        "MPI_Reduce": "better constant",
        "MPI_Barrier": "unchanged",
    }
    counts = {name: number for name, number in said["counts"].items() if number}
    assert counts == {"worse": 1, "better": 1, "unchanged": 1}
    assert (finding["region"], finding["sentence"]) == (
        "MPI_Bcast",
        worse.constant.sentence,
    )


def test_a_worse_constant_that_a_second_job_denies_is_nothing(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": dearer(1.3)})
    record_again(sessions, 2, {"MPI_Bcast": TREE})

    said = gate(client, commit=commit(2)["sha"]).json()

    assert (said["outcome"], said["findings"]) == ("fine", [])


def test_a_worse_constant_that_a_second_job_of_the_baseline_denies_is_nothing(
    client, sessions
):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_again(sessions, 1, {"MPI_Bcast": dearer(1.3)})
    record_commit(sessions, 2, {"MPI_Bcast": dearer(1.3)})
    record_again(sessions, 2, {"MPI_Bcast": dearer(1.3)})

    said = gate(client, commit=commit(2)["sha"]).json()

    assert (said["outcome"], said["findings"]) == ("fine", [])


@pytest.mark.parametrize(
    ("factor", "least"), [(1.03, 0.0), (1.3, 0.5), (1.3, None), (0.7, 0.0)], ids=str
)
def test_a_constant_passes_that_is_not_surely_worse_by_what_is_minded(
    client, sessions, factor, least
):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": dearer(factor)})
    rules = {"author": "ada", "rules": {"constant": least}}
    client.put("/api/v1/projects/mpich/gate/rules", json=rules)

    assert gate(client, commit=commit(2)["sha"]).json()["outcome"] == "fine"


@pytest.mark.parametrize(("factor", "outcome"), [(0.7, "undecided"), (1.4, "fine")])
def test_a_rate_is_worse_where_it_yields_less(client, sessions, factor, outcome):
    for number, times in ((1, 1.0), (2, factor)):
        swept = reports(number, {"stream": dearer(times)})
        record(
            sessions,
            [
                run.model_copy(
                    update={
                        "results": tuple(
                            result.model_copy(
                                update={
                                    "metric": "rate",
                                    "unit": "B/s",
                                    "better": "higher",
                                }
                            )
                            for result in run.results
                        )
                    }
                )
                for run in swept
            ],
        )

    assert gate(client, commit=commit(2)["sha"]).json()["outcome"] == outcome


def test_one_job_that_measured_two_configurations_is_still_one(client, sessions):
    for number, curve in ((1, TREE), (2, LINEAR)):
        for size in (8, 1024):
            settings = {"message_bytes": size}
            record_commit(sessions, number, {"solve": curve}, configuration=settings)

    said = gate(client, commit=commit(2)["sha"]).json()

    assert said["outcome"] == "undecided"
    assert all(each["todo"] for each in said["findings"])


def test_a_branch_is_compared_with_where_it_left_the_main_line(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": TREE})
    record_commit(sessions, 3, {"MPI_Bcast": TREE})
    topic = commit(4, parents=[commit(2)["sha"]], branch="topic")
    record(sessions, reports(4, {"MPI_Bcast": TREE}, commit=topic))

    said = gate(client, commit=topic["sha"]).json()

    assert said["relation"] == "merge base"
    assert said["baseline"]["sha"] == commit(2)["sha"]


def test_a_branch_whose_parents_are_said_later_is_compared_anew(client, sessions):
    for number in (1, 2, 3):
        record_commit(sessions, number, {"MPI_Bcast": TREE})
    topic = commit(4, parents=[], branch="topic")
    record(sessions, reports(4, {"MPI_Bcast": TREE}, commit=topic))
    alone = gate(client, commit=topic["sha"]).json()

    record_again(
        sessions,
        4,
        {"MPI_Bcast": TREE},
        commit={**topic, "parents": [commit(2)["sha"]]},
    )
    said = gate(client, commit=topic["sha"]).json()

    assert (alone["relation"], alone["baseline"]["sha"]) == (
        "earlier",
        commit(3)["sha"],
    )
    assert (said["relation"], said["baseline"]["sha"]) == (
        "merge base",
        commit(2)["sha"],
    )


def test_a_branch_that_the_main_line_takes_in_is_compared_with_its_parent(
    client, sessions
):
    for number in (1, 2, 3):
        record_commit(sessions, number, {"MPI_Bcast": TREE})
    for number, parent in ((4, 1), (5, 4)):
        topic = commit(number, parents=[commit(parent)["sha"]], branch="topic")
        record(sessions, reports(number, {"MPI_Bcast": TREE}, commit=topic))
    open_ = gate(client, commit=topic["sha"]).json()

    merge = commit(6, parents=[commit(3)["sha"], topic["sha"]])
    record(sessions, reports(6, {"MPI_Bcast": TREE}, commit=merge))
    merged = gate(client, commit=topic["sha"]).json()

    assert open_["baseline"]["sha"] == commit(1)["sha"]
    assert (merged["relation"], merged["baseline"]["sha"]) == (
        "parent",
        commit(4)["sha"],
    )


def test_asking_whether_a_branch_may_pass_never_reads_the_whole_history(
    client, sessions, engine
):
    for number in (1, 2, 3):
        record_commit(sessions, number, {"MPI_Bcast": TREE})
    topic = commit(4, parents=[commit(2)["sha"]], branch="topic")
    record(sessions, reports(4, {"MPI_Bcast": TREE}, commit=topic))
    asked = []

    @event.listens_for(engine, "before_cursor_execute")
    def note(_connection, _cursor, statement, *_):
        if re.search(r'commit"?\.project_id = \S+ ORDER BY .* DESC$', statement):
            asked.append(statement)

    answer = gate(client, commit=topic["sha"]).json()
    event.remove(engine, "before_cursor_execute", note)

    assert answer["baseline"]["sha"] == sha(2)
    assert asked == []


def test_an_unknown_commit_is_a_problem(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})

    assert gate(client, commit="nothing").status_code == 404
