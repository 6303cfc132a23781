"""What the server answers while its database is not as it should be."""

import re

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from scalewatch.app import create_app
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import connect
from support.builders import sweep


def test_readiness_follows_the_database(blank):
    schema.upgrade(blank)
    with TestClient(create_app(blank, embedded_worker=False)) as client:
        ready = client.get("/readyz")
        with blank.begin() as connection:
            connection.execute(text("DROP TABLE job"))
        broken = client.get("/readyz")
        alive = client.get("/healthz")

    assert (ready.status_code, broken.status_code) == (200, 503)
    assert alive.status_code == 200
    assert "missing" in broken.json()["detail"]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("postgresql+psycopg://ada:secret@127.0.0.1:1/db", "nothing listens"),
        ("postgresql+psycopg://ada:secret@no.invalid/db", "its host name is not known"),
        ("sqlite:////proc/scalewatch.db", "its file cannot be opened"),
    ],
    ids=["port", "host", "file"],
)
def test_readiness_says_why_the_database_is_away_but_not_where_it_is(url, reason):
    app = create_app(connect(url), embedded_worker=False)
    with TestClient(app) as client:
        answer = client.get("/readyz")

    assert answer.status_code == 503
    assert f": {reason}" in answer.json()["detail"].lower()
    assert not re.search("ada|secret|127|invalid|proc", answer.text)


def test_database_without_a_schema_is_not_ready(blank):
    with TestClient(create_app(blank, embedded_worker=False)) as client:
        answers = [client.get(path) for path in ("/readyz", "/api/v1/projects", "/")]

    for answer in answers:
        assert answer.status_code == 503
        assert "no schema yet" in answer.text
        assert "run `scalewatch migrate`" in answer.text


def test_whatever_is_asked_of_an_old_schema_is_told_to_migrate_it(blank):
    schema.upgrade(blank, "0003")
    with TestClient(create_app(blank, embedded_worker=False)) as client:
        answers = [
            client.get("/readyz"),
            client.get("/api/v1/projects"),
            client.post("/api/v1/runs", json=sweep()),
            client.get("/p/mpich"),
        ]

    for answer in answers:
        assert answer.status_code == 503
        assert "has schema 0003, " in answer.text
        assert "run `scalewatch migrate`" in answer.text


def test_schema_of_a_later_version_is_not_to_be_migrated(blank):
    schema.upgrade(blank)
    with blank.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with TestClient(create_app(blank, embedded_worker=False)) as client:
        answer = client.get("/readyz")

    assert answer.status_code == 503
    assert "a later version" in answer.json()["detail"]


@pytest.mark.parametrize("dialect", ["postgresql"])
@pytest.mark.parametrize("table", ["run", "point"])
def test_a_run_that_postgresql_cannot_write_is_refused_for_now(engine, table):
    """Files that fail are internal errors of PostgreSQL, not operational ones."""
    with engine.begin() as connection:
        connection.execute(text(FAILING_FILE))
        trigger = f"CREATE TRIGGER failing BEFORE INSERT ON {table}"
        connection.execute(text(f"{trigger} EXECUTE FUNCTION failing_file()"))
    app = create_app(engine, embedded_worker=False)
    with TestClient(app, raise_server_exceptions=False) as client:
        answer = client.post("/api/v1/runs", json=sweep())
        with engine.begin() as connection:
            connection.execute(text("DROP FUNCTION failing_file CASCADE"))
        again = client.post("/api/v1/runs", json=sweep())

    assert answer.status_code == 503
    assert "disk is full" in answer.json()["detail"]
    assert again.status_code == 202


FAILING_FILE = """
CREATE FUNCTION failing_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'could not write to log file "7" at offset 0: File too large'
        USING ERRCODE = 'XX000';
END $$
"""
