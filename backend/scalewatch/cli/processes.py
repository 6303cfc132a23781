"""The product's own commands as child processes that never outlive their parent."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

STOPPING_SECONDS: Final = 15.0


def program(name: str) -> Path:
    """Return the command `name` that was installed beside this Python."""
    return Path(sys.executable).with_name(name)


@contextmanager
def child(
    *arguments: str | Path,
    environment: Mapping[str, str],
    output: IO[str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command in a process group of its own; stop the group at the end.

    The terminal sends Ctrl-C to the parent alone, which then stops its children in
    order: an agent can end its MPI job before the server it posts to goes away.
    """
    process = subprocess.Popen(  # noqa: S603 - the product's own commands
        [str(argument) for argument in arguments],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output and subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ask the group to end, wait, and end what is left of it."""
    if process.poll() is None:
        process.terminate()  # in a shell's background, SIGINT would be ignored
        try:
            process.wait(STOPPING_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return  # nothing of the group is left, as it should be
