from scalewatch.api.gates import Confirmations
from scalewatch.api.histories import Aliases, Webhooks
from scalewatch.api.http.described import schema_of
from scalewatch.services.gates.declared_rules import GateRules
from scalewatch.services.gates.gate import Gate
from scalewatch.services.histories.histories import History
from scalewatch.services.operations.status import Status
from scalewatch.services.regressions.regressions import Regression, Regressions
from scalewatch.services.regressions.webhooks import NewWebhook
from support.histories import LINEAR, TREE, record_history, sha

PROJECT = "/api/v1/projects/mpich"
AT, COMMITS = 7, 11

ANSWERS = {
    "/api/v1/status": Status,
    f"{PROJECT}/aliases": Aliases,
    f"{PROJECT}/confirmations": Confirmations,
    f"{PROJECT}/gate/rules": GateRules,
    f"{PROJECT}/gate?commit={sha(AT)}": Gate,
    f"{PROJECT}/history": History,
    f"{PROJECT}/history?region=MPI_Bcast": History,
    f"{PROJECT}/regressions": Regressions,
    f"{PROJECT}/regressions/1": Regression,
    f"{PROJECT}/webhooks": Webhooks,
}


def test_answers_about_a_regression_are_as_documented(client, sessions):
    record_history(
        sessions,
        lambda number: {"MPI_Bcast": LINEAR if number >= AT else TREE},
        COMMITS,
    )
    hook = {"author": "ada", "url": "https://chat.example.org/hooks/scalewatch"}
    added = client.post(f"{PROJECT}/webhooks", json=hook)
    names = {"author": "ada", "aliases": {"bcast": "MPI_Bcast"}}
    client.put(f"{PROJECT}/aliases", json=names)
    client.post(f"{PROJECT}/confirmations", json={"commit": sha(AT)})

    answers = {address: client.get(address) for address in ANSWERS}

    schema_of(NewWebhook).model_validate_json(added.content)
    for address, kind in ANSWERS.items():
        schema_of(kind).model_validate_json(answers[address].content)
    (found,) = answers[f"{PROJECT}/regressions"].json()["regressions"]
    assert found["last"]["sha"] == sha(AT)
    assert answers[f"{PROJECT}/history"].json()["regressions"][0]["id"] == found["id"]
    assert answers[f"{PROJECT}/aliases"].json()["aliases"] == [
        {"former": "bcast", "name": "MPI_Bcast"}
    ]
    assert len(answers[f"{PROJECT}/webhooks"].json()["webhooks"]) == 1
