"""The real application on a free port."""

import threading
from contextlib import contextmanager
from typing import Final

import httpx2
import uvicorn

PATIENCE: Final = 60.0
"""Seconds that an answer may take on a machine that does much else."""


@contextmanager
def serving(app, port=0, sockets=None, **settings):
    """A server in a thread, by default on a free port; yields its address.

    Parameters
    ----------
    sockets
        Those that it listens at, in place of a port.
    """
    config = uvicorn.Config(app, port=port, log_level="error", **settings)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=(sockets,), daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.05)
        assert thread.is_alive(), f"no server starts at port {port}"
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)


def ask(address: str, **query: str) -> httpx2.Response:
    """Return what a server answers, however slow the machine is."""
    return httpx2.get(address, params=query, timeout=PATIENCE)
