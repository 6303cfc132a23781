"""What /start offers to copy works, whatever the project is called."""

import json
import subprocess
from uuid import uuid4

import pytest
import yaml

from scalewatch.pages.start import Forge, Recipes
from scalewatch.wire import RunReport

SERVER = "http://scale.example:8000"
NAMES = ["hydro", 'it\'s $HOME `date` \\ "x": - 1', "קצב", "a b"]


def arguments(command: str) -> list[str]:
    """Return what the shell makes of a command."""
    code = f"printf '%s\\0' {command}"
    told = subprocess.run(["/bin/sh", "-c", code], capture_output=True, check=True)
    return told.stdout.decode().split("\0")[:-1]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "command", ["token", "suite", "suite_with_library", "imported"]
)
def test_commands_name_the_project_as_it_is(name: str, command: str):
    told = arguments(getattr(Recipes(name, SERVER), command))

    assert told[told.index("--project") + 1] == name


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("forge", [Forge.GITHUB, Forge.GITLAB])
def test_jobs_are_yaml_and_ask_the_gate_about_the_project(name: str, forge: Forge):
    job = yaml.safe_load(Recipes(name, SERVER).ci(forge))

    if forge is Forge.GITHUB:
        steps = job["jobs"]["scalability"]["steps"]
        gate = steps[-1]["run"]
        server = job["jobs"]["scalability"]["env"]["SCALEWATCH_SERVER"]
    else:
        gate = job["scalability"]["script"][-1].partition(" > ")[0]
        server = job["scalability"]["variables"]["SCALEWATCH_SERVER"]
    told = arguments(gate)
    assert told[:2] == ["scalewatch", "gate"]
    assert told[told.index("--project") + 1] == name
    assert server == SERVER


@pytest.mark.parametrize("name", NAMES)
def test_body_that_curl_posts_is_a_run(name: str):
    script = Recipes(name, SERVER).ci(Forge.CURL)
    body = script.split("<<END\n")[1].split("\nEND\n")[0]
    code = f"SHA={'a' * 40}\nuuidgen() {{ echo {uuid4()}; }}\ncat <<END\n{body}\nEND\n"

    shown = subprocess.run(["/bin/sh", "-c", code], capture_output=True, check=True)

    report = RunReport.model_validate_json(shown.stdout)
    assert report.project == name
    assert report.commit.sha == "a" * 40
    assert json.loads(shown.stdout)["results"][0]["values"]


@pytest.mark.parametrize("name", NAMES)
def test_curl_asks_the_gate_of_the_project(name: str, client):
    script = Recipes(name, "http://testserver").ci(Forge.CURL)
    line = next(line for line in script.splitlines() if "/gate" in line)

    *_, url = arguments(line.removesuffix("\\"))

    answer = client.get(url)
    assert answer.status_code == 404
    assert repr(name) in answer.json()["detail"]
