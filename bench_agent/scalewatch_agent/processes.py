"""End a job with all its processes.

Starters put the processes of a job into groups and sessions of their own, so that no
single signal reaches them all; but each inherits the job's mark in its environment.
"""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MARK = "SCALEWATCH_AGENT_JOB"
GRACE = 3
"""Seconds that mpiexec has to end its processes itself."""


def end_processes(job: "subprocess.Popen[str]", mark: str) -> None:
    """End `job` and whatever carries its `mark`; harmless where it has ended."""
    try:
        job.terminate()
        job.wait(GRACE)
    except subprocess.TimeoutExpired:
        job.kill()
    finally:  # even where a second Ctrl-C ends the waiting
        for process in marked_processes(mark):
            _kill(process)
    job.wait()


def marked_processes(mark: str) -> Iterator[int]:
    """Yield the processes whose environment carries `mark`, where /proc tells."""
    wanted = f"{MARK}={mark}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:
            continue  # it has ended, or belongs to somebody else
        if wanted in environment.split(b"\0"):
            yield int(folder.name)


def resident_bytes(mark: str) -> int:
    """Return the memory that the processes with a `mark` hold together."""
    total = 0
    for process in marked_processes(mark):
        with suppress(OSError):
            pages = Path(f"/proc/{process}/statm").read_text().split()[1]
            total += int(pages) * os.sysconf("SC_PAGE_SIZE")
    return total


def _kill(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
