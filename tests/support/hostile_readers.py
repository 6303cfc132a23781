"""Functions that a reader process is asked for in tests, hostile ones among them."""

import os
import re
import signal
import tempfile
import time
from pathlib import Path

from scalewatch.errors import UnreadableFiles

FAULTS = ("line 1: expected a number", "line 2: expected a number")


def process_id() -> bytes:
    """Return the id of the process that reads."""
    return str(os.getpid()).encode()


def surroundings() -> bytes:
    """Return the names of all variables, and what descriptors are open on."""
    descriptors = Path("/proc/self/fd").iterdir()
    targets = [str(path.readlink()) for path in descriptors if path.is_symlink()]
    return "\n".join([*os.environ, *targets]).encode()


def refuse() -> bytes:
    """Refuse a file for two faults."""
    raise UnreadableFiles(FAULTS)


def spin(trace: str = os.devnull) -> bytes:
    """Match an expression that never ends, and that holds the interpreter's lock."""
    Path(trace).write_text(str(os.getpid()), "ascii")
    return str(re.fullmatch("(a+)+b", "a" * 60)).encode()


def wait(trace: str = os.devnull) -> bytes:
    """Wait without end, using no processor."""
    Path(trace).write_text(str(os.getpid()), "ascii")
    time.sleep(3600)
    return b""


def swell() -> bytes:
    """Take memory without end."""
    taken = []
    while True:
        taken.append(bytearray(2**24))


def flood(size: int) -> bytes:
    """Answer with many bytes."""
    return bytes(size)


def crash() -> bytes:
    """End as by a fault of C."""
    os.kill(os.getpid(), signal.SIGSEGV)
    return b""


def fail() -> bytes:
    """End as by a mistake of ours."""
    raise ZeroDivisionError


def litter(trace: str) -> bytes:
    """Leave a file in the temporary folder, and end."""
    _, path = tempfile.mkstemp()
    Path(trace).write_text(path, "utf-8")
    os.abort()
