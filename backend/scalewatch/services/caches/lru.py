"""An LRU cache of answers, keyed by content.

The key of an answer is all that it depends on: an answer that is no longer right is
never found, so nothing has to say what became invalid. A look at a project asks again
about every history, of which an analysis has changed those of one machine.
"""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache

Answer = TypeVar("Answer")


class Kept(Generic[Answer]):
    """The answers that were used last.

    Parameters
    ----------
    most
        How much is kept: so many answers or, where `size` is given, as many as have
        this size together.
    size
        Returns how large an answer is; one that is larger than `most` is not kept.
    """

    def __init__(self, most: int, size: Callable[[Answer], int] | None = None) -> None:
        self._answers: LRUCache[bytes, Answer] = LRUCache(most, size)
        self._lock = Lock()

    def answers(
        self, keys: Sequence[bytes], find: Callable[[list[int]], Sequence[Answer]]
    ) -> list[Answer]:
        """Return an answer for each key.

        Parameters
        ----------
        find
            Called, once if at all, with the positions whose answers are not known;
            returns these answers.
        """
        with self._lock:
            known = {key: self._answers[key] for key in keys if key in self._answers}
        missing = [place for place, key in enumerate(keys) if key not in known]
        if missing:
            found = find(missing)
            new = dict(zip((keys[place] for place in missing), found, strict=True))
            with self._lock:
                for key, answer in new.items():
                    if self._answers.getsizeof(answer) <= self._answers.maxsize:
                        self._answers[key] = answer
            known |= new
        return [known[key] for key in keys]


def key_of(*parts: object) -> bytes:
    """Return a key for what an answer depends on, each part by its bytes or `repr`."""
    digest = blake2b(digest_size=16)
    for part in parts:
        content = part if isinstance(part, bytes) else repr(part).encode()
        digest.update(len(content).to_bytes(8, "big"))
        digest.update(content)
    return digest.digest()
