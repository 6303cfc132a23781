import re

import pytest

from scalewatch.services.access import tokens
from scalewatch.services.access.callers import Role
from support import sentences
from support.builders import sweep_reports
from support.recorded import PROCESSES, record, record_project, record_runs
from support.shown_pages import words_of


def test_start_is_reached_from_every_page(client):
    for address in ("/", "/glossary", "/nonesuch"):
        assert 'href="/start"' in client.get(address).text


def test_new_project_has_its_name_in_every_command(client):
    page = client.get("/start?project=hydro").text

    assert words_of(page).count("--project hydro") == 5
    assert sentences.NO_RUN_OF_HYDRO in page
    assert sentences.OPEN_TO_ALL in page


def test_options_of_commands_are_never_broken(client):
    page = client.get("/start?project=hydro&ci=github").text

    commands = re.findall(r"<pre><code[^>]*>(.*?)</code>", page, re.DOTALL)
    whole = re.compile(r'<span class="option">(-[^<]*)</span>')
    options = [option for command in commands for option in whole.findall(command)]
    assert {"--project", "--role", "--server"} <= {*options}
    assert not any(" --" in whole.sub("", command) for command in commands)


def test_known_project_is_the_default_and_has_its_ticks(client, sessions):
    record_project(sessions)

    page = client.get("/start").text

    assert "--project openmpi" in words_of(page)
    assert "20 runs arrived" in page
    assert "2 commits measured" in page
    assert page.count("step__mark--done") == 4


def test_run_that_awaits_its_verdict_is_told_of(client, sessions):
    with sessions.writing.begin() as session:
        record_runs(session, sweep_reports(PROCESSES, project="early"))

    page = client.get("/start?project=early").text

    assert "verdicts follow" in page
    assert page.count("step__mark--done") == 3


def test_token_is_asked_for_once_there_is_one(client, sessions):
    with sessions.writing.begin() as session:
        tokens.create(session, "ci", Role.INGEST, "hydro")

    page = client.get("/start?project=hydro").text

    assert sentences.ASKS_FOR_A_ROLE in page
    assert "Ask the administrator" in page


@pytest.mark.parametrize(
    ("ci", "words"),
    [
        ("github", ".github/workflows/scalability.yml"),
        ("gitlab", ".gitlab-ci.yml"),
        ("curl", "curl --fail-with-body"),
    ],
)
def test_ci_service_is_chosen_by_the_address(client, ci: str, words: str):
    assert words in words_of(client.get(f"/start?ci={ci}").text)


@pytest.mark.parametrize(
    "query", ["ci=jenkins", "project=a%2Fb", f"project={'x' * 201}"]
)
def test_what_cannot_be_is_refused(client, query: str):
    assert client.get(f"/start?{query}").status_code == 422


def test_empty_name_is_none(client):
    assert "--project my-code" in words_of(client.get("/start?project=").text)


def test_names_are_text(client, sessions):
    name = "<img src=x onerror=alert(1)>"
    record(sessions, sweep_reports(PROCESSES, project=name))

    page = client.get("/start", params={"project": name}).text

    assert "<img" not in page
