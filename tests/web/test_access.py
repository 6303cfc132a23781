"""Who may see and change what, over HTTP."""

import re
from pathlib import Path

import pytest

from scalewatch import pages
from scalewatch.services import jobs
from scalewatch.services.access import tokens
from scalewatch.services.jobs import JobKind
from scalewatch.storage.access import projects
from scalewatch.storage.tables import Token
from support.builders import run, sweep

RUNS = "/api/v1/runs"
EXPECTATIONS = "/api/v1/projects/mpich/expectations"
DECLARED = {
    "author": "ada",
    "expectations": [{"region": "MPI_Bcast", "growth": "O(p)"}],
}


def roles_that(answer, bearer):
    """Return the roles that are not refused."""
    refusals = {401, 403}
    return {
        role
        for role in ("read", "ingest", "admin")
        if answer(bearer(role)).status_code not in refusals
    }


def test_single_user_needs_no_token(client):
    assert client.post(RUNS, json=run()).status_code == 202
    assert client.put(EXPECTATIONS, json=DECLARED).status_code == 200


def test_posting_needs_the_role_ingest(client, bearer):
    def post(header):
        return client.post(RUNS, json=run(), headers=header)

    assert roles_that(post, bearer) == {"ingest", "admin"}


def test_measuring_for_others_needs_the_role_ingest(client, bearer):
    client.post(RUNS, json=run())
    header = bearer("read")
    offer = {"machine": "jureca", "agent": "node-1"}

    answers = [
        client.post("/api/v1/confirmations/claim", json=offer, headers=headers)
        for headers in ({}, header, bearer("ingest"))
    ]

    assert [answer.status_code for answer in answers] == [401, 403, 204]
    status = client.get("/api/v1/status", headers=header).json()
    assert [each["machine"] for each in status["waiting_agents"]] == ["jureca"]


def test_changing_expectations_needs_the_role_admin(client, bearer):
    client.post(RUNS, json=run())

    def put(header):
        return client.put(EXPECTATIONS, json=DECLARED, headers=header)

    assert roles_that(put, bearer) == {"admin"}


def test_stranger_reads_what_is_public_and_changes_nothing(client, bearer):
    client.post(RUNS, json=run())
    bearer()

    posted = client.post(RUNS, json=run())
    declared = client.put(EXPECTATIONS, json=DECLARED)

    assert client.get(EXPECTATIONS).status_code == 200
    assert (posted.status_code, declared.status_code) == (401, 401)
    assert posted.headers["www-authenticate"] == "Bearer"
    assert "ingest" in posted.json()["detail"]


def test_body_of_a_stranger_is_not_read(client, bearer):
    bearer()

    def endless():
        yield b"["
        pytest.fail("the body was read")

    assert client.post(RUNS, content=endless()).status_code == 401


def test_token_of_one_project_neither_posts_to_another_nor_learns_of_it(
    client, bearer, make_private
):
    make_private("secret")
    header = bearer("ingest", "mpich")

    answers = [
        client.post(RUNS, json=run(project=project), headers=header)
        for project in ("secret", "nonesuch")
    ]

    assert [answer.status_code for answer in answers] == [403, 403]
    details = [answer.json()["detail"] for answer in answers]
    assert details[0].replace("secret", "nonesuch") == details[1]


def test_runs_of_several_projects_are_stored_all_or_none(client, bearer):
    both = [run(), run(id="00000000-0000-0000-0000-000000000002", project="other")]

    refused = client.post(RUNS, json=both, headers=bearer("ingest", "mpich"))
    accepted = client.post(RUNS, json=both, headers=bearer("ingest", None))

    assert (refused.status_code, accepted.status_code) == (403, 202)


@pytest.mark.parametrize(
    "secret", ["", "x", "swt_", "swt_00000000_", "swt_00000000_x", "swt_\x7f", "ä"]
)
def test_token_that_was_never_made_is_refused(client, bearer, secret):
    bearer()

    header = {"Authorization": f"Bearer {secret}".encode()}
    answer = client.post(RUNS, json=run(), headers=header)

    assert answer.status_code == 401


def test_token_with_another_end_is_refused(client, bearer):
    good = bearer()["Authorization"]

    changed = {"Authorization": good[:-1] + ("A" if good[-1] != "A" else "B")}

    assert client.get("/api/v1/status", headers=changed).status_code == 401


def test_expired_token_is_refused_even_if_it_is_the_only_one(client, bearer):
    header = bearer(is_expired=True)

    assert client.post(RUNS, json=run(), headers=header).status_code == 401
    assert client.post(RUNS, json=run()).status_code == 401


def test_revoked_token_is_refused(client, bearer, sessions):
    header = bearer("ingest")
    with sessions.writing.begin() as session:
        (token,) = tokens.listed(session)
        tokens.revoke(session, token.prefix)

    assert client.post(RUNS, json=run(), headers=header).status_code == 401


def test_secret_of_a_token_is_not_in_the_database(bearer, engine, session):
    secret = bearer()["Authorization"].split("_", 2)[2]

    stored = session.query(Token).one()

    assert secret not in str(vars(stored))
    is_file = engine.dialect.name == "sqlite"
    folder = Path(engine.url.database).parent
    for file in folder.iterdir() if is_file else ():
        assert secret.encode() not in file.read_bytes()


def test_last_use_of_a_token_is_noted(client, bearer, sessions):
    header = bearer("read")
    client.get("/api/v1/projects", headers=header)

    with sessions.reading() as session:
        (token,) = tokens.listed(session)

    assert token.last_used_at is not None


# Private projects


NAMES = {
    "project": "mpich",
    "region": "MPI_Bcast",
    "machine": "jureca",
    "run": sweep()[0]["id"],
    "figure": "scaling",
    "commit": "v5.0.2",
    "regression": "1",
    "number": "1",
}


QUERY = (
    "region=MPI_Bcast&metric=time&commit=v5.0.2&a=v5.0.2&b=v5.0.2"
    "&subjects=v5.0.2...v5.0.2&regression=1"
)


def addresses(client):
    """Return an address for every reading route and page that names a project."""
    described = client.get("/api/v1/openapi.json").json()["paths"]
    for path, operations in described.items():
        parameters = operations.get("get", {}).get("parameters", [])
        named = {parameter["name"] for parameter in parameters}
        if named & {"project", "run"}:
            yield f"{filled(path)}?project=mpich&{QUERY}"
    for path in page_paths():
        if "{project}" in path:
            yield f"{filled(path)}?{QUERY}"


def page_paths():
    return (route.path for route in pages.routes if "GET" in route.methods)


def filled(path):
    return re.sub(r"{(\w+)[^}]*}", lambda found: NAMES.get(found[1], "v5.0.2"), path)


def test_private_project_is_invisible_without_a_token(
    client, work_off, make_private, bearer
):
    client.post(RUNS, json=sweep())
    work_off()
    make_private("mpich")
    header = bearer("read", "other")
    found = list(addresses(client))
    assert len(found) > 10

    for address in found:
        for headers in ({}, header):
            answer = client.get(address, headers=headers)
            assert answer.status_code == 404, address
            # What was asked for is repeated, so that one can log in and go on.
            assert "jureca" not in answer.text or "jureca" in address
    own = bearer("read")
    shown = [
        client.get(address, headers=own)
        for address in found
        if "/events" not in address  # a stream without end
    ]
    assert [answer.status_code for answer in shown].count(404) <= len(found) // 4


def test_private_project_shows_itself_to_its_token(
    client, work_off, make_private, bearer
):
    client.post(RUNS, json=sweep())
    work_off()
    make_private("mpich")
    header = bearer("read")

    names = client.get("/api/v1/projects", headers=header).json()["projects"]

    assert [project["name"] for project in names] == ["mpich"]
    assert client.get("/p/mpich", headers=header).status_code == 200
    url = f"{RUNS}/{sweep()[0]['id']}"
    assert client.get(url, headers=header).status_code == 200


def test_overviews_leave_private_projects_out(client, make_private, bearer):
    client.post(RUNS, json=run())
    client.post(RUNS, json=[run(id=f"{2:032x}", project="open-mpi")])
    make_private("mpich")
    bearer()

    assert "mpich" not in client.get("/").text
    listed = client.get("/api/v1/projects").json()["projects"]
    assert [project["name"] for project in listed] == ["open-mpi"]


def test_job_of_a_private_project_is_not_shown(client, make_private, bearer):
    job = client.post(RUNS, json=run()).json()["job"]
    make_private("mpich")
    header = bearer("read")

    assert client.get(job).status_code == 404
    assert client.get(job, headers=header).status_code == 200


@pytest.mark.parametrize(
    "kind", [JobKind.WATCH, JobKind.REJUDGE, JobKind.REANALYSE, JobKind.THIN]
)
def test_job_about_a_whole_project_is_shown_to_who_may_see_that(
    client, sessions, make_private, bearer, kind
):
    client.post(RUNS, json=run())
    with sessions.writing.begin() as session:
        project = projects.existing(session, "mpich")
        job = jobs.enqueue(session, kind, project.id)
    address, header = f"/api/v1/jobs/{job}", bearer("read")

    assert client.get(address).json()["kind"] == kind
    make_private("mpich")
    assert client.get(address).status_code == 404
    assert client.get(address, headers=bearer("read", "other")).status_code == 404
    assert client.get(address, headers=header).json()["kind"] == kind


def test_private_project_cannot_be_changed_by_who_cannot_see_it(
    client, make_private, bearer
):
    client.post(RUNS, json=run())
    make_private("mpich")
    header = bearer("admin", "other")

    for headers in ({}, header):
        answer = client.put(EXPECTATIONS, json=DECLARED, headers=headers)
        assert answer.status_code == 404
