"""A process that has imported the product, and forks for each command it is asked for.

Importing takes most of the time that a command needs until it is ready. Whatever the
command does then, it does as if it had been started alone.
"""

import gc
import io
import json
import os
import signal
import socket
import sys
from contextlib import suppress

from scalewatch.cli import main
from scalewatch.loading import without_collections

with without_collections():
    from scalewatch import app as _app  # noqa: F401 - to have it
    from scalewatch.cli.server import serve as _serve  # noqa: F401
    from scalewatch.cli.server import worker as _worker  # noqa: F401

MOST_BYTES = 2**17
"""Of arguments and environment."""


def arguments_in_a_child(asking: socket.socket) -> list[str]:
    """Return, in a new process each time, the arguments that are asked for.

    Its parent, a process that does nothing else, tells with which status it ends.
    """
    while True:
        message, (*streams, telling), *_ = _next(asking)
        if os.fork():
            for each in (*streams, telling):
                os.close(each)
            _reap()
            continue
        if child := os.fork():
            for each in (0, 1, 2, *streams, asking.detach()):
                os.close(each)
            os.write(telling, b"%d\n" % os.waitpid(child, 0)[1])
            os._exit(0)
        return _become(json.loads(message), streams, telling)


def _next(asking: socket.socket) -> tuple[bytes, list[int], int, object]:
    asked = socket.recv_fds(asking, MOST_BYTES, 4)
    if not asked[0]:  # nobody is left who could ask
        _reap()
        sys.exit()
    return asked


def _reap() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _become(asked: dict, streams: list[int], telling: int) -> list[str]:
    """Let this process have its own session, streams, environment and arguments."""
    if asked["start_new_session"]:
        os.setsid()
    for standard, stream in enumerate(streams):
        os.dup2(stream, standard)
        os.close(stream)
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False))
    sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.FileIO(each, "w", closefd=False), write_through=True)
        for each in (1, 2)
    )
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.write(telling, b"%d\n" % os.getpid())
    os.close(telling)
    return asked["arguments"]


def _hear_signals() -> None:
    """Let commands hear what tests send, which what runs in a background may ignore."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


if __name__ == "__main__":
    gc.freeze()
    _hear_signals()
    with socket.socket(fileno=int(sys.argv[1])) as asking:
        sys.argv[1:] = arguments_in_a_child(asking)
    alone = "from scalewatch.cli import main; main()"
    sys.orig_argv[1:] = ["-c", alone, *sys.argv[1:]]  # by which it may start anew
    del __file__  # or processes that it spawns would import this one
    main()
