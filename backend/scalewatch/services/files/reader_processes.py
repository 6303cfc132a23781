"""Reader processes: strangers' files are read outside the server, within limits.

A reader that loops, swells or crashes costs its process and nothing else: the file is
refused, and another process takes the place. Reader processes share a socket with the
server, but neither its database, its port nor its settings. A request is a pickled
call; an answer is a byte for its kind and then bytes, of which nothing is unpickled.
"""

import fcntl
import json
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from scalewatch import errors
from scalewatch.importers.recognition import load_readers
from scalewatch.settings import Settings

NICENESS: Final = 5
"""How much a reader gives way to whoever asks for a page, as `nice` counts it."""

ENDING_SECONDS: Final = 5.0
"""Seconds after which a process that hung up is killed, should it not have ended."""

IGNORED: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Signals to all processes of a server: its readers end with the server itself."""

_PROGRAM: Final = (
    "from scalewatch.services.files.reader_processes import answer_requests; "
    "answer_requests()"
)
_READ, _REFUSED = b"+", b"-"
_OUT_OF_MEMORY, _ANSWER_TOO_LARGE = 3, 4
"""Exit codes of a reader that ends for want of resources."""


@dataclass(frozen=True, slots=True)
class ReaderLimits:
    """The resources that reading one posted file may take; beyond, it is refused.

    Parameters
    ----------
    seconds
        Processor time. A sound body of 32 MiB takes up to 18 s of a slow core.
    megabytes
        Memory (`RLIMIT_DATA`, in MiB), of which an idle reader has 110. A sound body
        of 32 MiB takes up to 400.
    answer_megabytes
        Runs as JSON, in MiB. The 100,000 measurements that a body may hold take 11.
    """

    seconds: int = 30
    megabytes: int = 1024
    answer_megabytes: int = 64

    def refusal(self, code: int) -> errors.ScalewatchError:
        """Return why a file is refused whose reader ended with an exit code."""
        if code == -signal.SIGXCPU:
            limit = f"{self.seconds} s of a processor"
            return errors.ReadingLimitExceeded(limit, "SCALEWATCH_READER_SECONDS")
        if code == _OUT_OF_MEMORY:
            limit = f"{self.megabytes:,} MiB of memory"
            return errors.ReadingLimitExceeded(limit, "SCALEWATCH_READER_MEGABYTES")
        if code == _ANSWER_TOO_LARGE:
            return errors.ReadingLimitExceeded(
                f"{self.answer_megabytes:,} MiB for its runs"
            )
        return errors.ReaderDied(code)


class ReaderProcesses:
    """Processes that read files, started when they are first needed, and then kept.

    Parameters
    ----------
    places
        The most that work at once; the callers of `read` see to it.
    limits
        What a file may take.
    patience
        Seconds by the clock after which nobody waits for an answer any more.
    """

    def __init__(
        self,
        places: int = 1,
        limits: ReaderLimits | None = None,
        patience: float = 90.0,
    ) -> None:
        self.places = places
        self._limits = limits or ReaderLimits()
        self._patience = patience
        self._idle: list[_Reader] = []
        self._all: set[_Reader] = set()
        # For whoever forgets to close: at the latest when the interpreter ends.
        weakref.finalize(self, _end_all, self._all)

    def read(self, function: Callable[..., bytes], *arguments: object) -> bytes:
        """Return what a function of some module returns, called in a reader process.

        Raises
        ------
        ReadingLimitExceeded, ReaderDied
            If it takes more than the limits, or its process ends.
        TookTooLong
            If it does not end within the patience, though it uses no processor.
        ScalewatchError
            Whatever the function raises.
        """
        request = pickle.dumps((function, arguments), pickle.HIGHEST_PROTOCOL)
        reader = self._take()
        try:
            kind, answer = reader.call(request, self._patience)
        except errors.ScalewatchError as error:
            if reader not in self._all:
                reader.end()
                # `close` has killed it, and not the file.
                raise errors.TooBusy from error
            self._end(reader)
            # It loads its readers meanwhile.
            self._idle.append(self._started())
            raise
        self._idle.append(reader)
        if kind == _REFUSED:
            raise _error_of(answer)
        return answer

    def close(self) -> None:
        """End all processes; whoever waits for one is told that the server is busy."""
        for reader in list(self._all):
            self._all.discard(reader)
            reader.kill()
        while self._idle:
            self._idle.pop().end()

    def _take(self) -> "_Reader":
        """Return a process that lives, a new one if there is none."""
        while self._idle:
            reader = self._idle.pop()
            if reader.is_alive():
                return reader
            self._end(reader)
        return self._started()

    def _started(self) -> "_Reader":
        reader = _Reader(self._limits)
        self._all.add(reader)
        return reader

    def _end(self, reader: "_Reader") -> None:
        reader.end()
        self._all.discard(reader)


def configured_readers(settings: Settings) -> ReaderProcesses:
    """Return the reader processes of a server, or of a command, with these settings."""
    limits = ReaderLimits(settings.reader_seconds, settings.reader_megabytes)
    return ReaderProcesses(settings.readers, limits, settings.request_seconds)


class _Reader:
    """A reader process, seen from the server."""

    def __init__(self, limits: ReaderLimits) -> None:
        self._limits = limits
        # Owned by the server: what a killed reader leaves there goes with it.
        self._folder = tempfile.TemporaryDirectory(
            prefix="scalewatch-reader-", ignore_cleanup_errors=True
        )
        self._connection, its = Pipe()
        with its:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [
                    *(sys.executable, "-P", "-c", _PROGRAM, str(its.fileno())),
                    *map(str, astuple(limits)),
                ],
                env=_environment(self._folder.name),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[its.fileno()],
            )

    def is_alive(self) -> bool:
        """Tell whether it can take a request."""
        return self._process.poll() is None

    def call(self, request: bytes, patience: float) -> tuple[bytes, bytes]:
        """Return the kind of an answer, and the answer.

        Raises
        ------
        ReadingLimitExceeded, ReaderDied, TookTooLong
            If there is none.
        """
        most = self._limits.answer_megabytes * 2**20 + 1
        try:
            self._connection.send_bytes(request)
            if not self._connection.poll(patience):
                raise errors.TookTooLong(patience)
            answer = self._connection.recv_bytes(most)
        except (OSError, EOFError):
            raise self._limits.refusal(self._exit_code()) from None
        return answer[:1], answer[1:]

    def kill(self) -> None:
        """End the process; whoever waits for its answer learns of it."""
        self._process.kill()

    def end(self) -> None:
        """End the process, and remove what it left."""
        self._process.kill()
        self._process.wait()
        self._connection.close()
        self._folder.cleanup()

    def _exit_code(self) -> int:
        """Wait for a process that hung up; return its exit code."""
        try:
            return self._process.wait(ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


def _end_all(readers: set[_Reader]) -> None:
    for reader in list(readers):
        reader.end()


def _environment(folder: str) -> dict[str, str]:
    """Return the environment of a reader: no settings of the server, no threads."""
    kept = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith("SCALEWATCH_")
    }
    return kept | {
        "TMPDIR": folder,
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }


def _error_of(answer: bytes) -> errors.ScalewatchError:
    """Return a refusal as a reader process raised it, with its evidence."""
    refusal = json.loads(answer)
    kind: type[errors.ScalewatchError] = getattr(errors, refusal["kind"])
    error = kind.__new__(kind, refusal["message"])
    error.__dict__.update(refusal["evidence"])
    return error


def answer_requests() -> None:
    """Answer requests until the server is gone: the program of a reader process."""
    descriptor, *values = map(int, sys.argv[1:])
    limits = ReaderLimits(*values)
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    os.nice(NICENESS)
    # Where memory is short, Linux ends a reader rather than the server.
    adjustment = Path("/proc/self/oom_score_adj")
    if adjustment.exists():
        adjustment.write_text("1000", "ascii")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    load_readers()
    most = limits.megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    try:
        with Connection(descriptor) as connection, suppress(EOFError, ConnectionError):
            while True:
                request = connection.recv_bytes()
                _allow_seconds(limits.seconds)
                with _ending_with_server(descriptor):
                    answer = _answer(request, limits)
                connection.send_bytes(answer)
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)  # a regular end may need more


def _allow_seconds(seconds: int) -> None:
    """Let the kernel end this process after so much more processor time.

    A regular expression that backtracks hears no signal that Python handles; SIGXCPU,
    which nothing handles, ends it all the same.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(time.process_time()) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


@contextmanager
def _ending_with_server(descriptor: int) -> Iterator[None]:
    """End this process inside the block as soon as the server hangs up.

    While it reads it does not look at its socket; the kernel does, and sends SIGIO,
    which nothing handles. The server itself says nothing until it is answered.
    """
    fcntl.fcntl(descriptor, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_ASYNC)
    try:
        yield
    finally:
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)


def _answer(request: bytes, limits: ReaderLimits) -> bytes:
    try:
        function, arguments = pickle.loads(request)  # noqa: S301 - of the server itself
        answer: bytes = function(*arguments)
    except errors.ScalewatchError as error:
        return _REFUSED + _refusal_text(error)
    if len(answer) > limits.answer_megabytes * 2**20:
        sys.exit(_ANSWER_TOO_LARGE)
    return _READ + answer


def _refusal_text(error: errors.ScalewatchError) -> bytes:
    known = (kind.__name__ for kind in type(error).__mro__)
    refusal = {
        "kind": next(name for name in known if hasattr(errors, name)),
        "message": str(error),
        "evidence": vars(error),
    }
    return json.dumps(refusal, default=str).encode()
