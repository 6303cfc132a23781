"""The dashboard as a child process, and a client that reads it."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click
import httpx2
from rich.console import Console

from scalewatch import private_files
from scalewatch.cli.processes import child, program

STARTING_SECONDS: Final = 60.0
EXIT_CANNOT_SERVE: Final = 3


@contextmanager
def serving(port: int, home: Path, console: Console) -> Iterator[httpx2.Client]:
    """Serve the dashboard from `home` and return a client that reads it.

    Ends the program with a clear line where the port is taken or it does not start.
    """
    _refuse_occupied(port)
    log = home / "server.log"
    database = {"SCALEWATCH_HOME": str(home)}
    serve = (program("scalewatch"), "serve", "--port", str(port))
    with (
        private_files.open_file(log, "w") as output,
        child(*serve, environment=database, output=output) as server,
        httpx2.Client(
            base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False
        ) as client,
    ):
        with console.status("Starting the dashboard …"):
            _await_answer(client, server, log)
        yield client


def _refuse_occupied(port: int) -> None:
    with socket.socket() as probe:
        # As the server does: a port that merely rests after its last use is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            click.echo(
                f"Port {port} cannot be used ({error.strerror}): another program is "
                f"there. Choose a free one, for example SCALEWATCH_PORT={port + 1}.",
                err=True,
            )
            sys.exit(EXIT_CANNOT_SERVE)


def _await_answer(
    client: httpx2.Client, server: subprocess.Popen[bytes], log: Path
) -> None:
    deadline = time.monotonic() + STARTING_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        try:
            if client.get("/healthz").is_success:
                return
        except httpx2.TransportError:
            time.sleep(0.1)
    click.echo(f"The dashboard did not start; {log} says why:", err=True)
    click.echo("\n".join(log.read_text().splitlines()[-5:]), err=True)
    sys.exit(EXIT_CANNOT_SERVE)
