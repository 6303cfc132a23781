"""`scalewatch report --project`: a section is that of the files posted to a server."""

import io
import json
import zipfile

import pytest
from click.testing import CliRunner

from scalewatch.cli import main
from scalewatch.services.access import tokens
from scalewatch.services.access.callers import Role
from scalewatch.storage.access import projects

FORMS = ("--format", "tex,md,csv,json", "--for", "proposal")
WORDS = ("--code", "NEKO & co", "--case", "a jet", "--machine", "lumi")
TIMES = "nodes,region,time\n" + "".join(
    f"{nodes},step,{seconds + shift}\n"
    for nodes, seconds in ((4, 1000), (8, 520), (16, 275), (32, 146), (64, 91))
    for shift in (0, 3, 5)
)


def run(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.fixture
def posted(tmp_path, monkeypatch, server, work_off):
    """Post a table to a server, and return what commands name it by."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "times.csv").write_text(TIMES)
    done = run(
        *("import", "times.csv", "--project", "neko", "--machine", "lumi"),
        *("--commit", "v1", "--server", server),
    )
    assert done.exit_code == 0, done.output
    work_off()
    return ("--project", "neko", "--server", server)


def files_of(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_the_documents_of_a_server_are_those_of_the_files(posted, tmp_path):
    plan = ("--runs", "10", "--length", "2", "--no-forecast")
    of_files = run("report", "times.csv", *FORMS, *WORDS, *plan, "--output", "files")
    of_server = run("report", *posted, *FORMS, *WORDS, *plan, "--output", "server")

    assert of_server.exit_code == 0, of_server.output
    written = files_of(tmp_path / "server")
    expected = files_of(tmp_path / "files")
    assert written.pop("manifest.json") != expected.pop("manifest.json")
    assert written == expected
    assert of_server.stdout.replace("server", "files") == of_files.stdout


def test_the_button_gives_the_files_of_the_command(posted, tmp_path, client):
    run("report", *posted, *FORMS, "--output", "server")

    page = client.get("/p/neko/scaling?region=step").text
    address = "/api/v1/projects/neko/proposal?region=step"
    assert f'href="{address}"' in page
    answer = client.get(f"{address}&format=tex,md,csv,json")
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        packed = {name: archive.read(name).decode() for name in archive.namelist()}
    assert packed == files_of(tmp_path / "server")


@pytest.mark.parametrize("limits", ["80%,50%", "80%", "90%,75%,60%"])
def test_choices_of_the_command_are_those_of_the_address(posted, tmp_path, limits):
    choices = (
        *("--base", "8", "--limit", limits, "--scaling", "strong"),
        *("--charge", "core-h = 128 * node-h", "--doubling", "1.5"),
    )
    for source, output in ((("times.csv",), "files"), (posted, "server")):
        options = (*FORMS, *WORDS, *choices, "--no-forecast", "--output", output)
        done = run("report", *source, *options)
        assert done.exit_code == 0, done.output

    read = [
        (tmp_path / each / "report.json").read_text() for each in ("files", "server")
    ]
    assert json.loads(read[0]) == json.loads(read[1])
    assert "core-h" in read[0]


def test_a_form_alone_is_written_alone(posted, tmp_path):
    done = run("report", *posted, "--for", "proposal", "--format", "md")

    assert done.exit_code == 0, done.output
    written = {path.name for path in (tmp_path / "scaling-report").iterdir()}
    assert written == {"section.md", "checklist.md", "manifest.json"}
    assert "32 nodes are" in done.stdout


def test_other_peoples_files_stay(posted, tmp_path):
    (tmp_path / "server").mkdir()
    (tmp_path / "server/section.tex").write_text("mine")

    done = run("report", *posted, *FORMS, "--output", "server")

    assert done.exit_code == 2
    assert (tmp_path / "server/section.tex").read_text() == "mine"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--commit", "v9"), "v9"),
        (("--region", "nothing"), "nothing"),
        (("--machine", "hawk"), "hawk"),
        (("--template", "times.csv"), "--template"),
    ],
)
def test_what_a_server_has_not_is_said_in_a_line(posted, options, said):
    done = run("report", *posted, *FORMS, *options)

    assert done.exit_code in {1, 2}
    assert said in done.stderr.splitlines()[-1]


def test_files_and_a_project_are_one_too_many(posted):
    assert run("report", "times.csv", *posted, *FORMS).exit_code == 2
    assert run("report", *FORMS).exit_code == 2


@pytest.fixture
def token(posted, sessions):  # noqa: ARG001 - its project has to be there
    """Make a project private, and a token that reads it."""
    with sessions.writing.begin() as session:
        _, secret = tokens.create(session, "reader", Role("read"), "neko")
        project = projects.existing(session, "neko")
        projects.change_policy(session, project.id, {"is_private": True})
    return secret


def test_a_private_project_is_reported_with_its_token_alone(
    posted, token, monkeypatch, tmp_path
):
    refused = run("report", *posted, *FORMS, "--output", "server")
    by_option = run("report", *posted, *FORMS, "--token", token, "--output", "server")
    monkeypatch.setenv("SCALEWATCH_TOKEN", token)
    by_variable = run("report", *posted, *FORMS, "--output", "again")

    assert refused.exit_code == 1
    assert len(refused.stderr.splitlines()) == 1
    assert "--token" in refused.stderr
    assert token not in refused.stderr
    assert (by_option.exit_code, by_variable.exit_code) == (0, 0)
    assert files_of(tmp_path / "server") == files_of(tmp_path / "again")
