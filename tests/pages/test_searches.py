import pytest

from scalewatch.services.access import tokens
from scalewatch.services.access.callers import Role
from scalewatch.services.access.policies import Policy, change
from scalewatch.storage.access import projects
from support.builders import sweep_reports
from support.recorded import PROCESSES, record, record_project


def found(client, text: str, **query: str) -> dict[str, list[str]]:
    """Return the names of what was found, by kind."""
    answer = client.get("/search", params={"q": text, "format": "json", **query})
    assert answer.status_code == 200, answer.text
    names: dict[str, list[str]] = {}
    for hit in answer.json():
        names.setdefault(hit["kind"], []).append(hit["name"])
        assert client.get(hit["path"]).status_code == 200
    return names


@pytest.mark.parametrize(
    ("text", "kind", "names"),
    [
        ("barr", "Regions", ["MPI_Barrier"]),
        ("NODE shm", "Machines", ["node-shm"]),
        ("5.0.8", "Commits", ["v5.0.8"]),
        ("release v5.0.11", "Commits", ["v5.0.11"]),
        ("2026-09-02", "Commits", ["v5.0.11"]),
        ("guide", "Pages", ["Guidelines"]),
        ("openm", "Projects", ["openmpi"]),
    ],
)
def test_every_kind_is_found_by_its_words(client, sessions, text, kind, names):
    record_project(sessions)

    assert found(client, text, project="openmpi")[kind] == names


def test_search_of_the_server_names_the_projects(client, sessions):
    record_project(sessions, "openmpi")
    record_project(sessions, "mpich")

    answer = client.get("/search", params={"q": "Barrier", "format": "json"}).json()

    assert [(hit["name"], hit["detail"]) for hit in answer] == [
        ("MPI_Barrier", "mpich"),
        ("MPI_Barrier", "openmpi"),
    ]


def test_regressions_are_found_by_their_sentence(large_client):
    names = found(large_client, "find_neighbours", project="hydro")

    assert any("mesh::find_neighbours" in name for name in names["Regressions"])


@pytest.mark.parametrize("text", ["%", "_____________________", "\\", "'", "x" * 200])
def test_special_characters_mean_themselves(client, sessions, text):
    record_project(sessions)

    assert found(client, text) == {}


def test_nothing_is_asked_for_nothing(client, sessions):
    record_project(sessions)

    assert found(client, "  ") == {}
    assert client.get("/search").status_code == 200


def test_private_projects_are_not_found_by_strangers(client, sessions):
    record(sessions, sweep_reports(PROCESSES, project="secret"))
    with sessions.writing.begin() as session:
        assert projects.named(session, "secret")
        change(session, "secret", Policy(is_private=True))
        tokens.create(session, "ci", Role.INGEST, "secret")

    for text in ("secret", "MPI", "node", "2026"):
        hits = client.get("/search", params={"q": text, "format": "json"}).json()
        assert [hit for hit in hits if hit["kind"] != "Pages"] == []


def test_too_long_a_text_is_refused(client):
    assert client.get("/search", params={"q": "x" * 201}).status_code == 422
