from support import sentences
from support.histories import LINEAR, TREE, record_commit, sha

WISH = {"commit": sha(2)}
OFFER = {"machine": "jureca", "agent": "node-1"}


def test_an_agent_takes_a_run_and_says_what_came_of_it(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": LINEAR})
    asked = client.post("/api/v1/projects/mpich/confirmations", json=WISH).json()

    order = client.post("/api/v1/confirmations/claim", json=OFFER).json()
    nothing = client.post("/api/v1/confirmations/claim", json=OFFER)
    number = order["confirmation"]["id"]
    done = {"agent": "node-1", "state": "done", "outcome": "5 runs posted"}
    foreign = client.patch(
        f"/api/v1/confirmations/{number}", json=done | {"agent": "node-2"}
    )
    ended = client.patch(f"/api/v1/confirmations/{number}", json=done)

    assert [each["state"] for each in asked["confirmations"]] == ["open"]
    assert len(order["settings"]) == 5
    assert nothing.status_code == 204
    assert foreign.status_code == 409
    assert ended.json()["outcome"] == "5 runs posted"
    status = client.get("/api/v1/status").json()
    assert [each["state"] for each in status["confirmations"]] == ["done"]
    assert [each["machine"] for each in status["waiting_agents"]] == ["jureca"]


def test_pages_tell_of_the_runs_that_were_asked_for(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": LINEAR})
    before = client.get("/status").text
    client.post("/api/v1/projects/mpich/confirmations", json=WISH)

    for address in ("/status", "/p/mpich/regressions"):
        page = client.get(address).text
        assert sentences.SERVE_COMMAND in page.replace("&#39;", "'")
    assert sentences.NO_CONFIRMING_RUNS in before
