"""However a server or a worker is stopped, nothing of it stays, and no job is held."""

import io
import os
import re
import signal
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import httpx2
import pytest
from sqlalchemy import select

from scalewatch.storage import tables
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import connect, sessions_of, transact
from support.endless_webhook import (
    PATIENCE,
    endless_webhook,
    eventually,
    queue_endless_job,
)
from support.servers.ports import is_free
from support.servers.processes import running

LEASE = 300
"""Seconds: longer than anybody here waits."""


@pytest.fixture
def settings(tmp_path):
    return {
        "SCALEWATCH_HOME": str(tmp_path),
        "SCALEWATCH_DATABASE_URL": f"sqlite:///{tmp_path}/scalewatch.db",
        "SCALEWATCH_LEASE_SECONDS": str(LEASE),
        "SCALEWATCH_EMBEDDED_WORKER": "true",
    }


@pytest.fixture
def sessions(settings):
    engine = connect(settings["SCALEWATCH_DATABASE_URL"])
    schema.upgrade(engine)
    yield sessions_of(engine)
    engine.dispose()


@pytest.fixture
def endless(sessions):
    """A job that waits, and that whoever takes it is never done with."""
    with endless_webhook() as hook:
        transact(sessions, partial(queue_endless_job, hook=hook))
        yield hook


def is_given_back(sessions):
    with sessions.reading() as session:
        job = session.scalars(select(tables.Job)).one()
    return (job.state, job.owner, job.attempts) == ("queued", None, 0)


def ctrl_c_twice(process):
    """Send what a terminal sends: to all processes of the command."""
    for _ in range(2):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.2)


def sent(number):
    return lambda process: process.send_signal(number)


STOPS = {
    "serve, SIGTERM": (["serve", "--port", "0"], sent(signal.SIGTERM)),
    "serve, Ctrl-C twice": (["serve", "--port", "0"], ctrl_c_twice),
    "serve, SIGKILL": (["serve", "--port", "0"], sent(signal.SIGKILL)),
    "serve --workers, SIGTERM": (
        ["serve", "--port", "0", "--workers", "2"],
        sent(signal.SIGTERM),
    ),
    "serve, SIGHUP": (["serve", "--port", "0"], sent(signal.SIGHUP)),
    "serve --workers, SIGHUP": (
        ["serve", "--port", "0", "--workers", "2"],
        sent(signal.SIGHUP),
    ),
    "serve --workers, SIGQUIT": (
        ["serve", "--port", "0", "--workers", "2"],
        sent(signal.SIGQUIT),
    ),
    "worker, SIGTERM": (["worker"], sent(signal.SIGTERM)),
    "worker, SIGHUP": (["worker"], sent(signal.SIGHUP)),
}


USUAL = {"serve, SIGTERM", "serve --workers, SIGHUP", "worker, SIGTERM"}


def representative(name, *values):
    """Leave all stops to the long form but one for each of the commands."""
    marks = () if name in USUAL else pytest.mark.thorough
    return pytest.param(*values, id=name, marks=marks)


@pytest.mark.parametrize(
    ("command", "stop"),
    [representative(name, *values) for name, values in STOPS.items()],
)
def test_an_endless_job_ends_with_its_server_and_is_given_back(
    command, stop, settings, sessions, endless
):
    with running(command, settings) as process:
        eventually(lambda: endless.open)

        stop(process)
        process.wait(PATIENCE)
        eventually(lambda: not endless.open)

        eventually(lambda: is_given_back(sessions))


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        pytest.param(signal.SIGHUP, marks=pytest.mark.thorough),
        pytest.param(signal.SIGKILL, marks=pytest.mark.thorough),
    ],
)
def test_an_endless_job_ends_with_its_celery_worker_and_is_given_back(
    settings, sessions, endless, broker_server, number
):
    broker_server.empty()
    distributed = settings | {"SCALEWATCH_BROKER_URL": broker_server.url}
    command = ["worker", "--processes", "1"]
    with running(command, distributed) as worker:
        eventually(lambda: endless.open)

        worker.send_signal(number)
        code = worker.wait(PATIENCE)
        eventually(lambda: not endless.open)

        eventually(lambda: is_given_back(sessions))
    assert code == (-number if number == signal.SIGKILL else 0)


SPINNING = """
import os, pathlib, re
pathlib.Path(__file__).with_suffix(f".{os.getpid()}").touch()
re.fullmatch("(a+)+b", "a" * 60)
"""


@pytest.mark.parametrize(
    ("workers", "number"),
    [
        ("1", signal.SIGTERM),
        pytest.param("1", signal.SIGHUP, marks=pytest.mark.thorough),
        pytest.param("2", signal.SIGTERM, marks=pytest.mark.thorough),
        pytest.param("1", signal.SIGKILL, marks=pytest.mark.thorough),
    ],
)
def test_a_server_that_is_stopped_ends_readers_that_never_end(
    settings, tmp_path, workers, number
):
    (tmp_path / "pycubexr.py").write_text(SPINNING)
    cube = io.BytesIO()
    with tarfile.open(fileobj=cube, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("anchor.xml"))
    serve = ["serve", "--port", "0", "--workers", workers]
    environment = settings | {
        "PYTHONPATH": str(tmp_path),
        "SCALEWATCH_EMBEDDED_WORKER": "false",
        "SCALEWATCH_READER_SECONDS": "10000",
    }
    with running(serve, environment) as server, ThreadPoolExecutor() as threads:
        url = server.stdout.readline().split()[3]
        eventually(lambda: answers(url))
        posted = [threads.submit(post_cube, url, cube.getvalue()) for _ in range(2)]
        eventually(lambda: list(tmp_path.glob("pycubexr.[0-9]*")))
        readers = [int(path.suffix[1:]) for path in tmp_path.glob("pycubexr.[0-9]*")]
        assert answers(url)

        server.send_signal(number)
        server.wait(PATIENCE)

        eventually(lambda: not any(Path(f"/proc/{each}").exists() for each in readers))
        statuses = {each.result() for each in posted}
    assert statuses == ({None} if number == signal.SIGKILL else {503})


def answers(url):
    try:
        return httpx2.get(f"{url}/healthz", timeout=PATIENCE).is_success
    except httpx2.ConnectError:
        return False


def post_cube(url, body):
    stated = {"project": "p", "commit": "v1", "machine": "m"}
    address = f"{url}/api/v1/import/cube"
    with suppress(httpx2.HTTPError):
        return httpx2.post(
            address, content=body, params=stated, timeout=PATIENCE
        ).status_code


ENDLESS = """
import os, pathlib, time
pathlib.Path(__file__).with_suffix(f".{os.getpid()}").touch()
time.sleep(3600)
"""


@pytest.fixture
def endless_import(tmp_path, settings):
    """A machine on which importing the application never ends."""
    (tmp_path / "jinja2.py").write_text(ENDLESS)
    return settings | {"PYTHONPATH": str(tmp_path)}


@pytest.mark.parametrize(
    "workers", [pytest.param("1", marks=pytest.mark.thorough), "2"]
)
@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGTERM, marks=pytest.mark.thorough), signal.SIGKILL]
)
def test_a_server_that_is_stopped_while_it_starts_leaves_its_port(
    endless_import, tmp_path, workers, number
):
    command = ["serve", "--port", "0", "--workers", workers]
    with running(command, endless_import) as server:
        url = server.stdout.readline()
        address = ("127.0.0.1", int(re.search(r"127.0.0.1:(\d+)", url)[1]))

        eventually(lambda: len(list(tmp_path.glob("jinja2.[0-9]*"))) == int(workers))

        server.send_signal(number)

        server.wait(PATIENCE)
        eventually(lambda: is_free(address))
