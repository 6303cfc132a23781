"""A serving process: it ends with its parent, and seldom collects garbage."""

import ctypes
import gc
import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Final

import uvicorn
from sqlalchemy import URL

from scalewatch.loading import without_collections

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
"""Signals that ask a server to stop."""

AGAIN: Final = 1.0
"""Seconds after which a process whose parent is gone is asked to stop once more."""

M_ARENA_MAX: Final = -8
"""The option of `mallopt`, see `malloc.h`."""

HEAPS: Final = 2

TRIM_SECONDS: Final = 5.0

YOUNG: Final = 10_000
"""Objects after which the collector looks for garbage. A page makes a hundred thousand,
most of which live as long as it: at the default of 700, looking takes four times as
long in all."""


class Config(uvicorn.Config):
    """The configuration of a serving process, which can end while it still starts.

    Importing the application takes seconds, on a busy machine many. Until it is there,
    uvicorn only notes signals, and the port is occupied by who answers nobody.
    """

    def load(self) -> None:
        """Import the application, unless a signal or the parent's end comes before."""
        _end_with_parent()
        with _interruptible(), without_collections():
            super().load()


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let signals that ask for the end raise an exception inside the block."""
    noting = {
        number: signal.signal(number, signal.default_int_handler) for number in SIGNALS
    }
    try:
        yield
    finally:
        for number, handler in noting.items():
            signal.signal(number, handler)


def _end_with_parent() -> None:
    """Stop in order once the process that started this one is gone, if one did.

    Otherwise the port would stay occupied by processes that nobody watches.
    """
    parent = parent_process()
    if parent is not None:
        Thread(
            target=_follow, args=(parent,), name="scalewatch-orphan", daemon=True
        ).start()


def _follow(parent: BaseProcess) -> None:
    parent.join()
    # An exception that a signal raises while modules load may be lost in a finalizer.
    while True:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(AGAIN)


def spare_collections() -> None:
    """Let the collector pass over what is loaded by now, and come more rarely.

    Garbage of loading stays, less than 1 MB: to find it takes a twelfth of the time in
    which a server starts.
    """
    gc.freeze()
    gc.set_threshold(YOUNG, 10, 10)


LEAST_BYTES: Final = 16 * 2**20
"""Room of SQLite's disk below which posts would soon be refused."""

DOUBT_SECONDS: Final = 10.0
"""How long a database counts as full after it was; then the next post is the test."""


def give_memory_back() -> None:
    """Let threads share heaps, and give free memory back every few seconds.

    The allocator of GNU makes a heap for each thread that answers, and keeps what a
    wide answer has freed in all of them. Others have no such functions.
    """
    library = ctypes.CDLL(None)
    if hasattr(library, "mallopt") and hasattr(library, "malloc_trim"):
        library.mallopt(M_ARENA_MAX, HEAPS)
        Thread(target=_trim, args=(library,), name="memory", daemon=True).start()


def _trim(library: ctypes.CDLL) -> None:
    while True:
        time.sleep(TRIM_SECONDS)
        library.malloc_trim(0)


class DatabaseDisk:
    """The room on the disk of the database, as far as this process knows."""

    def __init__(self, url: URL) -> None:
        is_file = url.get_backend_name() == "sqlite" and url.database
        self._folder = Path(str(url.database)).parent if is_file else None
        self._doubted_until = -1.0

    def note_full(self) -> None:
        """Note that something could not be stored for want of room."""
        self._doubted_until = monotonic() + DOUBT_SECONDS

    @property
    def has_room(self) -> bool:
        """Whether a post is likely to be stored."""
        if monotonic() < self._doubted_until:
            return False
        if self._folder is None or not self._folder.exists():
            return True
        return shutil.disk_usage(self._folder).free >= LEAST_BYTES
