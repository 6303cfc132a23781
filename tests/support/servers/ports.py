"""Ports of the loopback address that nobody listens at."""

import os
import socket
from functools import cache
from itertools import count
from pathlib import Path
from typing import Final

FIRST: Final = 20_000
USUAL: Final = 49_152
"""From here on systems hand out ports to whoever asks for any, says RFC 6335."""

EACH: Final = 64
"""So many ports a process takes before it comes to those of the next one."""

_taken = count()


def free_port() -> int:
    """Return a port that is free, and that nobody gets who asks for any port.

    One of those that the system hands out could belong to another test before it is
    listened at, or while the server that listens at it is down.
    """
    ports = _never_handed_out()
    while True:
        port = ports[(os.getpid() * EACH + next(_taken)) % len(ports)]
        if is_free(("127.0.0.1", port)):
            return port


def is_free(address: tuple[str, int]) -> bool:
    """Tell whether nobody listens at an address."""
    try:
        with socket.create_server(address):
            return True
    except OSError:
        return False


@cache
def _never_handed_out() -> range:
    chosen = Path("/proc/sys/net/ipv4/ip_local_port_range")
    first = int(chosen.read_text().split()[0]) if chosen.exists() else USUAL
    return range(FIRST, first) if first > FIRST else range(FIRST, USUAL)
