"""The real application on a free port."""

import threading
from contextlib import contextmanager

import uvicorn


@contextmanager
def serving(app, port=0, **settings):
    """A server in a thread, by default on a free port; yields its address."""
    config = uvicorn.Config(app, port=port, log_level="error", **settings)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        thread.join(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)
