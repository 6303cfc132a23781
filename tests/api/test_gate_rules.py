import pytest

from support import sentences
from support.histories import LINEAR, TREE, commit, record_commit, record_history, sha

RULES = "/api/v1/projects/mpich/gate/rules"


def gate(client, number):
    return client.get(
        "/api/v1/projects/mpich/gate", params={"commit": commit(number)["sha"]}
    ).json()


def declare(client, **rules):
    return client.put(RULES, json={"author": "ada", "rules": rules})


@pytest.fixture
def suspected(sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE, "MPI_Barrier": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": LINEAR, "MPI_Barrier": TREE})


@pytest.mark.usefixtures("suspected")
def test_rules_have_versions_and_say_what_stops_a_commit(client):
    usual = client.get(RULES).json()
    before = gate(client, 2)

    first = declare(client, new_mismatch=False, growth=False, constant=0.1).json()
    again = declare(client, new_mismatch=False, growth=False, constant=0.1).json()
    after = gate(client, 2)

    assert (usual["version"], usual["rule"]["constant"]) == (0, 0.0)
    assert (first["version"], again["version"]) == (1, 1)
    assert (before["outcome"], before["rules_version"]) == ("undecided", 0)
    assert (after["outcome"], after["rules_version"]) == ("fine", 1)


@pytest.mark.usefixtures("suspected")
def test_a_region_can_have_a_rule_of_its_own(client):
    quiet = {"new_mismatch": False, "growth": False}
    declare(client, regions={"MPI_Bcast": quiet})

    assert gate(client, 2)["outcome"] == "fine"
    rules = client.get(RULES).json()
    assert rules["regions"]["MPI_Bcast"]["growth"] is False
    assert rules["rule"]["growth"] is True


def test_old_mismatches_stop_a_commit_where_the_rules_say_so(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": LINEAR})
    record_commit(sessions, 2, {"MPI_Bcast": LINEAR})
    before = gate(client, 2)

    declare(client, mismatch=True)

    after = gate(client, 2)
    assert before["outcome"] == "fine"
    assert after["findings"][0]["sentence"] == (sentences.NOT_AS_EXPECTED)


@pytest.mark.usefixtures("suspected")
def test_what_is_undecided_names_the_next_measurement_and_its_cost(client):
    said = gate(client, 2)

    step = said["next_step"]
    assert step["at"] == [{"p": p} for p in (4, 8, 16, 32, 64)]
    # No job told its times: a second to start, and the repetitions themselves.
    assert step["hours"] == pytest.approx((4 + 8 + 16 + 32 + 64) / 3600, rel=1e-3)
    assert said["findings"][0]["todo"] == step["sentence"]
    assert "core-hours" in step["sentence"]


def test_effects_are_told_at_the_target(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    client.put(RULES, json={"author": "ada", "rules": {}, "target": {"p": 65536}})
    record_history(sessions, lambda n: {"MPI_Bcast": LINEAR if n >= 13 else TREE}, 16)

    found = client.get("/api/v1/projects/mpich/regressions").json()

    (regression,) = found["regressions"]
    assert regression["last"]["sha"] == sha(13)
    assert regression["members"][0]["details"]["target"] == {"p": 65536}


def test_a_guideline_that_held_before_is_a_finding(client, sessions):
    record_commit(sessions, 1, {"solve": TREE, "setup": lambda p: 2 * TREE(p)})
    record_commit(sessions, 2, {"solve": lambda p: 3 * TREE(p), "setup": TREE})
    rules = {"author": "ada", "guidelines": ["solve <= setup"]}
    client.put("/api/v1/projects/mpich/guidelines", json=rules)
    declare(client, constant=None)

    minded = gate(client, 2)
    page = client.get(f"/p/mpich/c/{sha(2)}").text
    declare(client, guideline=False, constant=None)
    ignored = gate(client, 2)

    (finding,) = minded["findings"]
    assert (finding["region"], finding["kind"]) == ("solve", "guideline")
    assert sentences.HELD_BEFORE in finding["sentence"]
    assert finding["probability"] > 0.95
    assert finding["target"] == {"p": 16 * 64}
    effect = finding["at_target"]
    assert effect["low"] < 3 < effect["high"]
    assert effect["value"] == pytest.approx(3, rel=0.1)
    assert finding["commits"] == f"{sha(1)[:10]}..{sha(2)[:10]}"
    assert sentences.BREAKS_GUIDELINE in page
    assert ignored["findings"] == []


def test_a_guideline_that_hardly_changed_is_no_finding(client, sessions):
    record_commit(sessions, 1, {"solve": lambda p: 1.045 * TREE(p), "setup": TREE})
    record_commit(sessions, 2, {"solve": lambda p: 1.052 * TREE(p), "setup": TREE})
    rules = {"author": "ada", "guidelines": ["solve <= setup"]}
    client.put("/api/v1/projects/mpich/guidelines", json=rules)

    assert gate(client, 2)["findings"] == []


@pytest.mark.usefixtures("suspected")
def test_a_finding_tells_its_probability_cost_and_commits(client):
    client.put(RULES, json={"author": "ada", "rules": {}, "target": {"p": 4096}})

    (finding,) = gate(client, 2)["findings"]

    assert finding["probability"] > 0.9
    assert finding["target"] == {"p": 4096}
    true = LINEAR(4096) / TREE(4096)
    effect = finding["at_target"]
    assert effect["low"] < true < effect["high"]
    assert finding["commits"] == f"{sha(1)[:10]}..{sha(2)[:10]}"


@pytest.mark.parametrize(
    ("rules", "field"),
    [
        ({"colour": 1}, "colour"),
        ({"constant": -1}, "constant"),
        ({"growth": 3}, "growth"),
    ],
    ids=str,
)
def test_rules_that_mean_nothing_are_refused(client, sessions, rules, field):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})

    answer = declare(client, **rules)

    assert answer.status_code == 422
    assert field in answer.json()["detail"]


def test_the_status_quo_becomes_the_promise(client, sessions, work_off):
    record_commit(sessions, 1, {"solve": LINEAR})
    address = "/api/v1/projects/mpich/expectations"
    before = client.get(address).json()["expectations"]

    wish = {"author": "ada", "reason": "reviewed"}
    client.post(f"{address}/status-quo", json=wish)
    work_off()

    (promised,) = client.get(address).json()["expectations"]
    assert before == []
    assert (promised["region"], promised["growth"]) == ("solve", "p")
    assert (promised["author"], promised["reason"]) == ("ada", "reviewed")


def test_a_renamed_region_keeps_its_history_and_circles_are_refused(
    client, sessions, work_off
):
    record_history(sessions, lambda _: {"bcast": TREE}, 12)
    for number in range(13, 16):
        record_commit(sessions, number, {"MPI_Bcast": LINEAR})
    address = "/api/v1/projects/mpich/aliases"
    before = client.get("/api/v1/projects/mpich/regressions").json()["regressions"]

    renamed = client.put(
        address, json={"author": "ada", "aliases": {"bcast": "MPI_Bcast"}}
    )
    work_off()

    after = client.get("/api/v1/projects/mpich/regressions").json()["regressions"]
    circle = client.put(
        address, json={"author": "ada", "aliases": {"MPI_Bcast": "bcast"}}
    )
    assert before == []
    assert renamed.json()["aliases"] == [{"former": "bcast", "name": "MPI_Bcast"}]
    assert after[0]["last"]["sha"] == sha(13)
    assert circle.status_code == 422


def test_times_of_shared_cores_are_accepted_by_a_version_of_the_rules(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})

    first, same, accepted = (
        declare(client, **rules).json()
        for rules in ({}, {"oversubscribed": "undecided"}, {"oversubscribed": "accept"})
    )
    wrong = declare(client, oversubscribed="maybe")

    assert (first["version"], same["version"], accepted["version"]) == (1, 1, 2)
    assert (first["oversubscribed"], accepted["oversubscribed"]) == (
        "undecided",
        "accept",
    )
    assert wrong.status_code == 422
    assert "rules.oversubscribed" in wrong.text
    quiet = declare(client, disturbed="accept").json()
    assert (quiet["version"], quiet["disturbed"]) == (3, "accept")
    assert first["disturbed"] == "undecided"
