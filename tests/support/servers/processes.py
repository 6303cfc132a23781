"""The product's commands as processes that end with the test, whatever happens."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Final

from .forked import Forked

SCALEWATCH: Final = (
    sys.executable,
    "-c",
    "from scalewatch.cli import main; main()",
)


def environment(**settings: str) -> dict[str, str]:
    """Return this process's environment with these settings and no others of ours."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("SCALEWATCH_")
    }
    return inherited | {"PYTHONUNBUFFERED": "1"} | settings


def start(
    arguments: Sequence[str], settings: Mapping[str, str]
) -> subprocess.Popen[str]:
    """Start a command of the product; its first line says that it is ready.

    Settings of others than the product are for an interpreter that starts with them.
    """
    is_forked = all(name.startswith("SCALEWATCH_") for name in settings)
    begin = Forked if is_forked else subprocess.Popen[str]
    return begin(
        [*arguments] if is_forked else [*SCALEWATCH, *arguments],
        env=environment(**settings),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@contextmanager
def running(
    arguments: Sequence[str], settings: Mapping[str, str]
) -> Iterator[subprocess.Popen[str]]:
    """Run a command of the product until the end of the block."""
    process = start(arguments, settings)
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[str]) -> None:
    """End a process and its children as a crash does, whatever has become of it."""
    with suppress(ProcessLookupError):  # it has ended, and no child has outlived it
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout:
        process.stdout.close()
