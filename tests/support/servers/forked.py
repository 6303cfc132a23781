"""Commands of the product, forked from a process that has imported it already."""

import atexit
import json
import os
import select
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

NURSERY = Path(__file__).with_name("nursery.py")


class Forked(subprocess.Popen[str]):
    """A command of the product as a process, which needs no imports any more.

    Everything else is as of `Popen`; but what variables like PYTHONPATH say to an
    interpreter that starts is not heard.
    """

    def _execute_child(self, args: list[str], *others: Any) -> None:
        """Have it forked; `Popen` calls this in place of the system."""
        _, _, _, _, cwd, env, _, _, _, *pipes = others[:15]
        asked = {
            "arguments": args,
            "cwd": str(cwd or Path.cwd()),
            "environment": {**(os.environ if env is None else env)},
            "start_new_session": others[-2],
        }
        streams = [
            own if given == -1 else given
            for own, given in enumerate((pipes[0], pipes[3], pipes[5]))
        ]
        reading, telling = os.pipe()
        socket.send_fds(_nursery(), [json.dumps(asked).encode()], [*streams, telling])
        os.close(telling)
        self._told = os.fdopen(reading)
        self.pid = int(self._told.readline())
        self._child_created = True
        self._close_pipe_fds(*pipes)

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        """Return its number and its status, or zeros where it goes on."""
        patience = 0 if wait_flags & os.WNOHANG else None
        if not select.select([self._told], [], [], patience)[0]:
            return 0, 0
        with self._told as told:
            return self.pid, int(told.readline())

    def _internal_poll(self, _deadstate: int | None = None) -> int | None:
        with self._waitpid_lock:
            if self.returncode is None:
                number, status = self._try_wait(os.WNOHANG)
                if number:
                    self._handle_exitstatus(status)
        return self.returncode


@cache
def _nursery() -> socket.socket:
    """Return where to ask for a process; one for each process that runs tests."""
    ours, asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with asked:
        process = subprocess.Popen(
            [sys.executable, "-P", NURSERY, str(asked.fileno())],
            pass_fds=[asked.fileno()],
            start_new_session=True,
        )

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours
