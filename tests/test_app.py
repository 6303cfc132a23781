from fastapi.testclient import TestClient

from scalewatch.app import create_app
from scalewatch.storage.database import schema
from support.builders import sweep


def test_application_with_a_worker_analyses_what_is_posted(blank):
    schema.upgrade(blank)
    with TestClient(create_app(blank, embedded_worker=True)) as client:
        client.post("/api/v1/runs", json=sweep())
        url = f"/api/v1/runs/{sweep()[0]['id']}/verdict"
        verdict = client.get(url, params={"wait": 60}).json()

    assert verdict["state"] == "done"
    assert len(verdict["series"]) == 2


def test_answers_are_compressed_and_protected(client):
    response = client.get("/api/v1/openapi.json", headers={"Accept-Encoding": "gzip"})

    assert response.headers["content-encoding"] == "gzip"
    assert "default-src 'self'" in response.headers["content-security-policy"]
