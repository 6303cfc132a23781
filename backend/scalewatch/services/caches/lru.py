"""Answers that are kept for those who ask the same again.

The key of an answer is all that it depends on: an answer that is no longer right is
never found, so nothing has to say what became invalid. A look at a project asks again
about every history, of which an analysis has changed those of one machine.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from threading import Lock
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


class Kept(Generic[Answer]):
    """The answers that were asked for last.

    Parameters
    ----------
    most
        How much is kept: so many answers or, where `size` is given, as many as have
        this size together.
    size
        Returns how large an answer is.
    """

    def __init__(
        self, most: int, size: Callable[[Answer], int] = lambda _answer: 1
    ) -> None:
        self.most = most
        self._size = size
        self._held = 0
        self._answers: OrderedDict[bytes, Answer] = OrderedDict()
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
            known |= zip((keys[place] for place in missing), found, strict=True)
        with self._lock:
            for key in keys:
                self._held += self._size(known[key])
                if key in self._answers:
                    self._held -= self._size(self._answers.pop(key))
                self._answers[key] = known[key]
            while self._held > self.most:
                _, forgotten = self._answers.popitem(last=False)
                self._held -= self._size(forgotten)
        return [known[key] for key in keys]


def key_of(*parts: object) -> bytes:
    """Return a key for what an answer depends on, each part by its bytes or `repr`."""
    digest = blake2b(digest_size=16)
    for part in parts:
        content = part if isinstance(part, bytes) else repr(part).encode()
        digest.update(len(content).to_bytes(8, "big"))
        digest.update(content)
    return digest.digest()
