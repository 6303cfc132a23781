from builders import sweep_reports
from histories import LINEAR, PROCESSES, TREE, commit, record_commit, reports
from recorded import record


def gate(client, **query):
    return client.get("/api/v1/projects/mpich/gate", params=query)


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
    assert said["sentence"] == "nothing was measured before it to compare it with"


def test_one_job_alone_is_a_suspicion_and_a_second_one_stops_the_commit(
    client, sessions
):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": LINEAR})

    suspected = gate(client, commit=commit(2)["sha"]).json()
    again = sweep_reports(
        PROCESSES,
        {"MPI_Bcast": LINEAR},
        seed=99,
        project="mpich",
        commit=commit(2),
        machine={"name": "jureca", "fingerprint": {"cores": 128}},
        suite="again",
    )
    record(sessions, again)
    confirmed = gate(client, commit=commit(2)["sha"]).json()

    (finding,) = suspected["findings"]
    assert suspected["outcome"] == "undecided"
    assert "once more on jureca at p = 4, p = 8" in finding["todo"]
    assert confirmed["outcome"] == "worse"
    assert confirmed["findings"][0]["sentence"] == (
        "grows like p instead of log p: no longer as expected"
    )


def test_a_branch_is_compared_with_where_it_left_the_main_line(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": TREE})
    record_commit(sessions, 3, {"MPI_Bcast": TREE})
    topic = commit(4, parents=[commit(2)["sha"]], branch="topic")
    record(sessions, reports(4, {"MPI_Bcast": TREE}, commit=topic))

    said = gate(client, commit=topic["sha"]).json()

    assert said["relation"] == "merge base"
    assert said["baseline"]["sha"] == commit(2)["sha"]


def test_an_unknown_commit_is_a_problem(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})

    assert gate(client, commit="nothing").status_code == 404
