"""The server's commands as processes."""

import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest
from click.testing import CliRunner

from scalewatch.cli import main
from support.builders import sweep
from support.servers.forked import Forked
from support.servers.ports import is_free

PATIENCE = 240  # a loaded machine takes its time to start a process


@pytest.fixture
def environment(tmp_path):
    """A user without settings, whose data lie in a folder that does not exist yet."""
    own = {
        "SCALEWATCH_HOME": str(tmp_path / "data" / "scalewatch"),
        "SCALEWATCH_DATABASE_WAIT_SECONDS": "0",
    }
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("SCALEWATCH_")
    }
    return inherited | own


def scalewatch(environment, *arguments):
    """Run a command in this process: to import all that it needs takes a second."""
    apart = dict.fromkeys(os.environ) | environment
    return CliRunner(env=apart).invoke(main, arguments)


@contextmanager
def running(environment, *arguments) -> Iterator[subprocess.Popen[str]]:
    """Run a command in the background; end it if the test does not."""
    with Forked(
        [*arguments],
        env=environment | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def url_of(server):
    return re.search(r"http://\S+", server.stdout.readline()).group()


def stop(process, number=signal.SIGINT):
    """End a process in order; return what it complained about."""
    process.send_signal(number)
    _, complaints = process.communicate(timeout=PATIENCE)
    return complaints


def eventually(found):
    """Wait until a function returns something, and return that."""
    deadline = time.monotonic() + PATIENCE
    while not (value := found()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return value


def state_of(client):
    """Return how the analysis of a run has ended, if it has."""
    run = sweep()[0]["id"]
    state = client.get(f"/api/v1/runs/{run}/verdict").json()["state"]
    return None if state == "pending" else state


@pytest.mark.parametrize(
    "workers", ["1", pytest.param("2", marks=pytest.mark.thorough)]
)
def test_server_creates_its_database_analyses_and_stops_in_order(environment, workers):
    with running(environment, "serve", "--port", "0", "--workers", workers) as server:
        with httpx2.Client(base_url=url_of(server), timeout=PATIENCE) as client:
            accepted = client.post("/api/v1/runs", json=sweep())
            state = eventually(lambda: state_of(client))

        complaints = stop(server)

    assert accepted.status_code == 202
    assert state == "done"
    assert (server.returncode, complaints) == (0, "")
    told = json.loads(scalewatch(environment, "status", "--json").stdout)
    assert told["runs"] == 6


def test_processes_together_allow_a_client_what_is_set_and_killed_leave_their_port(
    environment,
):
    environment["SCALEWATCH_REQUESTS_PER_MINUTE"] = "6"
    environment["SCALEWATCH_EMBEDDED_WORKER"] = "false"  # nothing is analysed
    each_anew = {"Connection": "close"}  # by whichever process
    with running(environment, "serve", "--port", "0", "--workers", "2") as server:
        url = url_of(server)
        started = time.monotonic()
        with httpx2.Client(base_url=url, timeout=PATIENCE, headers=each_anew) as client:
            statuses = [client.get("/glossary").status_code for _ in range(60)]
        refilled = (time.monotonic() - started) / 10

        server.kill()

        address = ("127.0.0.1", int(url.rpartition(":")[2]))
        eventually(lambda: is_free(address))

    assert set(statuses) == {200, 429}
    assert statuses.count(200) <= 6 + refilled + 1


def test_occupied_port_is_one_clear_line(environment):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]

        result = scalewatch(environment | {"SCALEWATCH_PORT": str(port)}, "serve")

    assert result.exit_code == 3
    (line,) = result.stderr.splitlines()
    assert f"port {port}" in line
    assert f"--port {port + 1}" in line


def test_address_of_another_machine_is_one_clear_line(environment):
    result = scalewatch(environment, "serve", "--host", "192.0.2.1", "--port", "0")

    assert result.exit_code == 3
    assert len(result.stderr.splitlines()) == 1


def test_worker_beside_a_server_without_one_analyses(environment):
    apart = environment | {"SCALEWATCH_EMBEDDED_WORKER": "false"}
    with (
        running(apart, "serve", "--port", "0") as server,
        httpx2.Client(base_url=url_of(server), timeout=PATIENCE) as client,
    ):
        client.post("/api/v1/runs", json=sweep())
        before = state_of(client)
        with running(apart, "worker") as worker:
            worker.stdout.readline()
            after = eventually(lambda: state_of(client))
            stop(worker, signal.SIGTERM)

    assert (before, after) == (None, "done")
    assert worker.returncode == 0


def test_worker_with_a_broker_ends_in_order_on_ctrl_c(environment, broker_server):
    distributed = environment | {"SCALEWATCH_BROKER_URL": broker_server.url}

    with running(distributed, "worker", "--processes", "1") as worker:
        assert "Ctrl-C stops it" in worker.stdout.readline()
        asked = ("status", "--json")
        eventually(lambda: "Celery" in scalewatch(distributed, *asked).stdout)
        complaints = stop(worker)
    with running(distributed, "worker", "--processes", "1") as hasty:
        hasty.stdout.readline()
        stop(hasty)

    assert "Traceback" not in complaints
    assert worker.returncode == 0
    assert hasty.returncode in {0, 130}


def test_migrate_creates_the_schema_once(environment):
    first = scalewatch(environment, "migrate")
    second = scalewatch(environment, "migrate")

    assert "now has schema" in first.stdout
    assert "up to date" in second.stdout


def test_status_without_a_database_says_what_to_do(environment):
    result = scalewatch(environment, "status")

    assert result.exit_code == 1
    assert "scalewatch migrate" in result.stderr


def test_status_is_a_sentence_for_people(environment):
    scalewatch(environment, "migrate")

    told = scalewatch(environment, "status").stdout

    assert told.splitlines()[-1].split(";")[0] == "0 runs of 0 projects"
    assert told.endswith("; 0 failed\n")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SCALEWATCH_PORT", "http"),
        ("SCALEWATCH_DATABASE_URL", "nonsense"),
        ("SCALEWATCH_DATABASE_URL", "sqlite://"),
        ("SCALEWATCH_DATABASE_URL", "oracle+nonesuch://localhost/x"),
        ("SCALEWATCH_DATABASE_URL", "sqlite:////proc/scalewatch.db"),
        ("SCALEWATCH_DATABASE_URL", "postgresql+psycopg://u:secret@127.0.0.1:1/x"),
    ],
)
def test_wrong_setting_is_one_clear_line(environment, name, value):
    result = scalewatch(environment | {name: value}, "migrate")

    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert "secret" not in line


@pytest.mark.parametrize("command", ["serve", "worker"])
@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("secret", "that is no URL"),
        ("redis:/secret", "that is no URL"),
        ("foo://:secret@localhost", "No such transport: foo"),
        ("redis://:secret@localhost:http", "'http'"),
        ("redis://:secret@localhost:99999", "0-65535"),
        ("redis://:secret@localhost/jobs", "'jobs'"),
    ],
)
def test_no_broker_can_be_at_a_wrong_url(environment, command, url, fault):
    result = scalewatch(environment | {"SCALEWATCH_BROKER_URL": url}, command)

    assert result.exit_code == 1
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: SCALEWATCH_BROKER_URL: ")
    assert line.endswith("; write redis://HOST:6379/0")
    assert fault in line
    assert "secret" not in line


def test_empty_variable_names_no_broker(environment):
    with running(environment | {"SCALEWATCH_BROKER_URL": ""}, "worker") as worker:
        told = worker.stdout.readline()
        complaints = stop(worker)

    assert "woken by" not in told
    assert worker.returncode == 0
    assert complaints == ""


@pytest.mark.parametrize(
    ("name", "value", "advice"),
    [
        ("SCALEWATCH_HOME", "/proc/nowhere", "SCALEWATCH_HOME"),
        ("SCALEWATCH_DATABASE_URL", "mysql://localhost/x", "postgresql+psycopg://"),
        ("SCALEWATCH_DATABASE_URL", "nonsense", "sqlite:////absolute/path.db"),
    ],
)
def test_unusable_database_is_answered_with_one_that_is_usable(
    environment, name, value, advice
):
    result = scalewatch(environment | {name: value}, "migrate")

    assert result.exit_code == 1
    assert advice in result.stderr


def is_alive(pid):
    listed = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
    )
    return listed.stdout.strip()[:1] not in {"", "Z"}


def workers_of(client):
    """Return the process ids of the workers that a server knows of."""
    workers = client.get("/api/v1/status").json()["workers"]
    return {int(worker["name"].split(":")[1]) for worker in workers}


def test_worker_of_a_server_is_replaced_and_does_not_outlive_it(environment):
    with (
        running(environment, "serve", "--port", "0") as server,
        httpx2.Client(base_url=url_of(server), timeout=PATIENCE) as client,
    ):
        first = eventually(lambda: workers_of(client))

        os.kill(*first, signal.SIGKILL)
        [second] = eventually(lambda: workers_of(client) - first)
        client.post("/api/v1/runs", json=sweep())
        state = eventually(lambda: state_of(client))
        server.kill()

        assert state == "done"
        eventually(lambda: not is_alive(second))
