"""The composition: valid, and its commands do what it relies on, as plain processes."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
import yaml
from psycopg import sql

from support.builders import sweep
from support.servers.forked import Forked
from support.servers.processes import environment, running

COMPOSE = Path(__file__).parents[1] / "docker-compose.yml"
PASSWORD = "correct horse"  # noqa: S105 - of a database that ends with the test
PATIENCE = 120


@pytest.fixture(scope="module")
def composed():
    return yaml.safe_load(COMPOSE.read_text())["services"]


@pytest.fixture
def here(postgresql, broker_server):
    """Replace the host names of the composition by where our own servers are."""
    role = sql.SQL("CREATE ROLE scalewatch LOGIN")
    postgresql.execute(role)
    postgresql.execute(sql.SQL("CREATE DATABASE scalewatch OWNER scalewatch"))
    broker_server.empty()

    def replace(value):
        value = re.sub(r"\$\{SCALEWATCH_DATABASE_PASSWORD:\?[^}]*\}", PASSWORD, value)
        value = re.sub(r"@database/(\w+)", rf"@/\1?host={postgresql.folder}", value)
        return value.replace("redis://redis:6379/0", broker_server.url)

    yield replace
    postgresql.drop("scalewatch")
    postgresql.execute(sql.SQL("DROP ROLE scalewatch"))


def settings(service, here, home):
    given = {name: here(value) for name, value in service["environment"].items()}
    return given | {"SCALEWATCH_HOME": str(home), "SCALEWATCH_PORT": "0"}


def ended(arguments, settings):
    """Run a command of the product to its end; return what it says."""
    with Forked(
        arguments, env=environment(**settings), stdout=subprocess.PIPE, text=True
    ) as process:
        told, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    return told


def test_composition_is_valid():
    command = ["-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    checked = subprocess.run(
        [sys.executable, *command, COMPOSE], capture_output=True, check=False, text=True
    )

    assert checked.returncode == 0, checked.stdout


def test_composition_holds_no_secret():
    for line in COMPOSE.read_text().splitlines():
        if "PASSWORD" in line and not line.startswith("#"):
            assert "${SCALEWATCH_DATABASE_PASSWORD:?" in line


def test_every_lasting_service_is_watched(composed):
    assert set(composed) == {"database", "redis", "migrate", "api", "worker"}
    for name, service in composed.items():
        assert ("healthcheck" in service) == (name != "migrate")


def test_every_service_is_confined(composed):
    for name, service in composed.items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["read_only"] is True, name
        assert service["tmpfs"], name
        assert service["mem_limit"].endswith(("m", "g")), name
    assert [n for n, each in composed.items() if "cap_add" in each] == ["database"]


def test_worker_is_well_only_while_it_says_so(composed, here, tmp_path):
    _, *migrate = composed["migrate"]["command"]
    own = settings(composed["api"], here, tmp_path)
    ended(migrate, own)
    _, _, *probe = composed["worker"]["healthcheck"]["test"]

    with Forked(probe, env=environment(**own), stderr=subprocess.PIPE) as process:
        _, complaint = process.communicate(timeout=PATIENCE)

    assert process.returncode == 1
    assert b"no worker of this host" in complaint


def test_what_server_and_workers_write_outlives_their_containers(composed):
    for service in (composed["api"], composed["worker"]):
        home = service["environment"]["SCALEWATCH_HOME"]
        assert f"home:{home}" in service["volumes"]


def test_its_commands_serve_and_analyse(composed, here, tmp_path):
    program, *migrate = composed["migrate"]["command"]
    assert program == "scalewatch"
    ended(migrate, settings(composed["migrate"], here, tmp_path))
    own = settings(composed["api"], here, tmp_path)
    with (
        running(composed["api"]["command"][1:], own) as api,
        running(composed["worker"]["command"][1:], own) as worker,
    ):
        secret = api.stdout.readline().split()[-1]
        port = re.search(r":(\d+)\s", api.stdout.readline()).group(1)
        assert "woken by redis" in worker.stdout.readline()
        base = f"http://127.0.0.1:{port}"
        bearer = {"Authorization": f"Bearer {secret}"}
        with httpx2.Client(base_url=base, timeout=PATIENCE, headers=bearer) as client:
            assert client.post("/api/v1/runs", json=sweep()).status_code == 202
            url = f"/api/v1/runs/{sweep()[0]['id']}/verdict"
            for _ in range(4):  # of a minute each: a loaded machine is slow
                verdict = client.get(url, params={"wait": 60}).json()
                if verdict["state"] == "done":
                    break
        _, probe = composed["api"]["healthcheck"]["test"]
        _, *probe = shlex.split(probe.replace("127.0.0.1:8000", f"127.0.0.1:{port}"))
        subprocess.run([sys.executable, *probe], check=True, timeout=PATIENCE)
        _, _, *probe = composed["worker"]["healthcheck"]["test"]
        told = ended(probe, own)

    assert verdict["state"] == "done"
    assert len(verdict["series"]) == 2
    assert "6 runs of 1 projects" in told
    assert "; 0 jobs" in told
