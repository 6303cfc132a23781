"""A wrong address keeps the menu of its project and offers what it may mean."""

import re
from html import unescape

import pytest

from scalewatch.services.access import tokens
from scalewatch.services.access.callers import Role
from scalewatch.storage.access import projects
from support import sentences
from support.recorded import record_project

REGION = "/p/openmpi/r/"


@pytest.fixture
def _recorded(sessions):
    record_project(sessions)


def ways(page):
    """Return the addresses that a page of an error offers, by their names."""
    listed = re.search(r'id="near">Did you mean</h2>(.*?)</ul>', page, re.DOTALL)
    found = re.findall(r'href="([^"]*)"><bdi>(.*?)</bdi>', listed[1] if listed else "")
    return {unescape(name): unescape(path) for path, name in found}


def menu(page):
    """Return the names in the menu of a project."""
    listed = re.search(r'<ul class="menu__list">(.*?)</ul>', page, re.DOTALL)
    return re.findall(r">([^<>]+)</a>", listed[1]) if listed else []


@pytest.mark.usefixtures("_recorded")
@pytest.mark.parametrize(
    ("address", "name", "path"),
    [
        (f"{REGION}MPI_Bcst", "MPI_Bcast", f"{REGION}MPI_Bcast"),
        (f"{REGION}bcast?metric=time", "MPI_Bcast", f"{REGION}MPI_Bcast?metric=time"),
        (f"{REGION}MPI_Bcast?machine=node", "node-shm", "?machine=node-shm"),
        ("/p/openmpi/m/node-shn", "node-shm", "/p/openmpi/m/node-shm"),
        ("/p/openmpi/c/v5.0.9", "v5.0.8", "/p/openmpi/c/v5.0.8"),
        ("/p/openmpi?commit=5.0.11", "v5.0.11", "/p/openmpi?commit=v5.0.11"),
        ("/p/openmpi/compare/node-shm...node-tpc", "node-tcp", "node-shm...node-tcp"),
        ("/p/openmpi?metric=times", "time", "/p/openmpi?metric=time"),
        ("/p/openmpi/regresions", "Regressions", "/p/openmpi/regressions"),
    ],
)
def test_mistyped_name_keeps_the_menu_and_offers_the_right_one(
    client, address, name, path
):
    answer = client.get(address)
    offered = ways(answer.text)

    assert answer.status_code == 404
    assert {"Overview", "Changes", "Scaling"} <= set(menu(answer.text))
    assert offered[name].endswith(path)
    assert client.get(offered[name]).status_code == 200


@pytest.mark.usefixtures("_recorded")
def test_mistyped_project_offers_the_right_one_and_no_menu(client):
    answer = client.get("/p/openmp/history")

    assert menu(answer.text) == []
    assert ways(answer.text) == {"openmpi": "/p/openmpi"}


@pytest.mark.usefixtures("_recorded")
def test_unknown_page_of_the_server_offers_the_near_one(client):
    assert ways(client.get("/glosary").text) == {"Glossary": "/glossary"}


@pytest.mark.usefixtures("_recorded")
def test_wrong_value_in_the_address_keeps_the_menu(client):
    answer = client.get("/p/openmpi?sort=upwards")

    assert answer.status_code == 422
    assert "Overview" in menu(answer.text)


@pytest.mark.usefixtures("_recorded")
def test_name_that_resembles_nothing_offers_nothing(client):
    answer = client.get(f"{REGION}zzzzzzzz")

    assert ways(answer.text) == {}
    assert sentences.SEARCH_WITHIN in answer.text


@pytest.mark.usefixtures("_recorded")
@pytest.mark.parametrize(
    "address", ["/p/openmpi/nonesuch", f"{REGION}MPI_Bcst", "/p/openmp", "/p/openmpi"]
)
def test_private_project_is_neither_named_nor_offered(client, sessions, address):
    with sessions.writing.begin() as session:
        project = projects.existing(session, "openmpi")
        projects.change_policy(session, project.id, {"is_private": True})
        tokens.create(session, "ops", Role.ADMIN, None)

    answer = client.get(address)

    assert answer.status_code == 404
    assert (menu(answer.text), ways(answer.text)) == ([], {})
    assert "MPI_Bcast" not in answer.text
