"""A wall clock that jumps, for the processes that are started with it.

libfaketime stands between a process and the clock of the machine. As where an
administrator sets the time, only the wall clock jumps: what measures durations goes on.
"""

import importlib.util
import os
import platform
import subprocess
import sys
import time
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path

import httpx2

from .programs import NoProgram

CLOCK_VARIABLE = "SCALEWATCH_TEST_FAKETIME"
NOTICED_SECONDS = 1
"""How soon a process notices that its clock was set."""

DISTANT = 86_400
NEAR = 600
PATIENCE = 60.0


class WallClock:
    """What a file says how many seconds it is fast by."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "clock"
        self.fast_by = 0
        self.set_by(0)
        self.variables = _variables(faketime_library(), self.file)

    def set_by(self, seconds: int) -> None:
        """Set the clock forth, or back."""
        self.fast_by += seconds
        written = self.file.with_suffix(".new")
        written.write_text(f"{self.fast_by:+d}\n")
        written.replace(self.file)

    def wait_until_told_by(self, base: str) -> None:
        """Wait until a server tells this time in the head of its answers."""
        deadline = time.monotonic() + PATIENCE
        with httpx2.Client(base_url=base, timeout=PATIENCE) as client:
            while abs(time.time() + self.fast_by - _told_by(client)) > NEAR:
                assert time.monotonic() < deadline, "the server does not see its clock"
                time.sleep(0.05)


@cache
def faketime_library() -> Path:
    """Return the library that is loaded before others.

    Raises
    ------
    NoProgram
        If there is none that works here.
    """
    package = importlib.util.find_spec("libfaketime")
    folder = Path(package.origin).parent if package and package.origin else None
    candidates = [
        os.environ.get(CLOCK_VARIABLE),
        folder and folder / "vendor/libfaketime/src/libfaketime.so.1",
        f"/usr/lib/{platform.machine()}-linux-gnu/faketime/libfaketime.so.1",
    ]
    for candidate in candidates:
        if candidate and Path(candidate).exists() and _works(Path(candidate)):
            return Path(candidate)
    raise NoProgram("libfaketime", "libfaketime", CLOCK_VARIABLE)


def _told_by(client: httpx2.Client) -> float:
    told = client.get("/healthz").headers["Date"]
    return parsedate_to_datetime(told).timestamp()


def _works(library: Path) -> bool:
    """Tell whether a process sees another time by it."""
    done = subprocess.run(
        [sys.executable, "-c", "import time; print(time.time())"],
        env={**os.environ, "LD_PRELOAD": str(library), "FAKETIME": f"+{DISTANT}s"},
        capture_output=True,
        text=True,
        check=False,
    )
    is_answer = done.returncode == 0 and done.stdout
    return bool(is_answer) and float(done.stdout) > time.time() + DISTANT / 2


def _variables(library: Path, file: Path) -> dict[str, str]:
    return {
        "LD_PRELOAD": str(library),
        "FAKETIME_TIMESTAMP_FILE": str(file),
        "FAKETIME_CACHE_DURATION": str(NOTICED_SECONDS),
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "DONT_FAKE_MONOTONIC": "1",
    }
