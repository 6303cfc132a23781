"""Loading large modules without looking for garbage in between."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collections() -> Iterator[None]:
    """Keep the collector away inside the block.

    Modules are made of objects that live on; to look for garbage among them takes up
    to a sixth of the time in which a server is imported.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
