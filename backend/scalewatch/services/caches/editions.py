"""Answers about commits, kept in one cache by the present edition of each commit.

The edition of a commit changes with everything that is measured or analysed of it, so
that nothing is ever invalidated: what an older edition answered is never looked up
again, and leaves as others come.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

from sqlalchemy.orm import Session

from scalewatch.services.caches.lru import Kept, key_of
from scalewatch.storage.judgements import editions

Answer = TypeVar("Answer")

MOST_KILOBYTES: Final = 256_000
"""Memory for answers about commits: two of 15,000 series, with what pages compute."""


@dataclass(frozen=True, slots=True)
class _Weighed:
    """An answer and the memory that it takes, in kilobytes."""

    answer: Any
    kilobytes: int


# No answer weighs less than one kilobyte, which bounds their number, too.
_ANSWERS: Final = Kept[_Weighed](MOST_KILOBYTES, lambda weighed: weighed.kilobytes)


def kept_at(
    session: Session,
    commit_id: int,
    question: Sequence[object],
    read: Callable[[], Answer],
    kilobytes: Callable[[Answer], float] = lambda _: 1,
) -> Answer:
    """Return an answer about a commit, cached by its present edition, see `kept_of`."""
    # Read the edition first, so that the data can only be newer than it is.
    edition = editions.at(session, [commit_id]).get(commit_id)
    return kept_of(edition, commit_id, question, read, kilobytes)


def kept_of(
    edition: editions.Edition | None,
    commit_id: int,
    question: Sequence[object],
    read: Callable[[], Answer],
    kilobytes: Callable[[Answer], float] = lambda _: 1,
) -> Answer:
    """Return an answer about an edition of a commit, from the cache if it is there.

    Parameters
    ----------
    edition
        None keeps nothing.
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

    def weighed(_: object) -> list[_Weighed]:
        answer = read()
        return [_Weighed(answer, max(1, round(kilobytes(answer))))]

    key = key_of(edition, commit_id, *question)
    answer: Answer = _ANSWERS.answers([key], weighed)[0].answer
    return answer


def all_kept_at(
    session: Session,
    commit_ids: Sequence[int],
    question: Sequence[object],
    read: Callable[[int], Answer],
) -> list[Answer]:
    """Return a small answer about each commit, as `kept_at`."""
    present = editions.at(session, commit_ids)
    return [
        kept_of(present.get(commit_id), commit_id, question, partial(read, commit_id))
        for commit_id in commit_ids
    ]
