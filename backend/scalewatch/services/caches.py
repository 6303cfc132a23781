"""Answers that are kept in memory, keyed by all that they depend on.

An answer that is no longer right is never looked up again, so that nothing has to say
what became invalid: the edition of a commit changes with everything that is measured or
analysed of it (`storage/judgements/editions`). What nobody asks for leaves as other
answers come.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import Lock, RLock
from typing import Any, Final, Generic, TypeVar

from cachetools import LRUCache

Answer = TypeVar("Answer")

MOST_KILOBYTES: Final = 160_000
"""Memory for answers about commits: two of 15,000 series, with what pages compute."""


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
        self._turns: dict[bytes, _Turn] = {}

    def answers(
        self, keys: Sequence[bytes], compute: Callable[[list[int]], Sequence[Answer]]
    ) -> list[Answer]:
        """Return an answer for each key.

        Parameters
        ----------
        compute
            Called, once if at all, with the positions whose answers are not known;
            returns these answers.
        """
        known = self._known(keys)
        missing = [place for place, key in enumerate(keys) if key not in known]
        if missing:
            computed = compute(missing)
            new = dict(zip((keys[place] for place in missing), computed, strict=True))
            with self._lock:
                for key, answer in new.items():
                    if self._answers.getsizeof(answer) <= self._answers.maxsize:
                        self._answers[key] = answer
            known |= new
        return [known[key] for key in keys]

    def answer(self, key: bytes, compute: Callable[[], Answer]) -> Answer:
        """Return the answer for one key; whoever asks meanwhile waits for the first.

        Eight readers who come at once would else read, and hold, a commit eight times.
        """
        with self._lock:
            turn = self._turns.setdefault(key, _Turn())
            turn.waiting += 1
        try:
            with turn.lock:
                (answer,) = self.answers([key], lambda _: [compute()])
        finally:
            with self._lock:
                turn.waiting -= 1
                if not turn.waiting:
                    del self._turns[key]
        return answer

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, Answer]:
        with self._lock:
            return {key: self._answers[key] for key in keys if key in self._answers}


@dataclass(slots=True)
class _Turn:
    """The lock of those who wait for an answer, and their number."""

    lock: AbstractContextManager[bool] = field(default_factory=RLock)
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class _Weighed:
    """An answer and the memory that it takes, in kilobytes."""

    answer: Any
    kilobytes: int


# No answer weighs less than one kilobyte, which bounds their number, too.
_ANSWERS: Final = Kept[_Weighed](MOST_KILOBYTES, lambda weighed: weighed.kilobytes)


def kept_of(
    edition: object | None,
    commit_id: int,
    question: Sequence[object],
    read: Callable[[], Answer],
    kilobytes: Callable[[Answer], float] = lambda _: 1,
) -> Answer:
    """Return an answer about an edition of a commit, from the cache if it is there.

    Parameters
    ----------
    edition
        As `storage.judgements.editions` reads it, before all else, so that the answer
        can only be newer than it is; None keeps nothing.
    question
        The name of what is asked, and all that the answer depends on beside the
        measurements and models of the commit.
    read
        Returns the answer, from these.
    kilobytes
        Returns the memory that an answer takes.
    """
    if edition is None:
        return read()

    def weighed() -> _Weighed:
        answer = read()
        return _Weighed(answer, max(1, round(kilobytes(answer))))

    key = key_of(edition, commit_id, *question)
    answer: Answer = _ANSWERS.answer(key, weighed).answer
    return answer


def key_of(*parts: object) -> bytes:
    """Return a key for what an answer depends on, each part by its bytes or `repr`."""
    digest = blake2b(digest_size=16)
    for part in parts:
        content = part if isinstance(part, bytes) else repr(part).encode()
        digest.update(len(content).to_bytes(8, "big"))
        digest.update(content)
    return digest.digest()
