"""Databases that are filled once, and get the same content again when asked to.

The content of a database and the runs that are recorded in it determine what is stored
in the end, but for times and random marks.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from cachetools import LRUCache
from sqlalchemy import Engine

from scalewatch.services.caches import key_of
from support.database_contents import content_of, put

MOST_BYTES: Final = 2**26
"""Of contents that are kept, those of a few hundred small projects."""

WORKER: Final = "scalewatch-worker"
"""Name of the thread of a worker, which writes to the database when it likes."""

_kept: LRUCache[bytes, bytes] = LRUCache(MOST_BYTES, len)


def fill(
    engine: Engine, parts: Sequence[str | bytes], how: Callable[[], object]
) -> None:
    """Fill a database, or put in its place what `how` once made of the same content.

    Parameters
    ----------
    parts
        All that `how` depends on beside the content.
    """
    if any(thread.name == WORKER for thread in threading.enumerate()):
        how()
        return
    key = key_of(content_of(engine), *parts)
    if key in _kept:
        put(engine, _kept[key])
        return
    how()
    content = content_of(engine)
    if len(content) <= _kept.maxsize:
        _kept[key] = content


@contextmanager
def filled_anew() -> Iterator[None]:
    """Fill all databases anew until the end of the block, and keep none of them."""
    global _kept  # noqa: PLW0603 - one for the process, as the contents are
    before, _kept = _kept, LRUCache(0, len)
    try:
        yield
    finally:
        _kept = before
