"""Answers about commits, cached by the present edition of each commit."""

from collections.abc import Callable, Sequence

from sqlalchemy.orm import Session

from scalewatch.services.caches.lru import Answer, Kept, key_of
from scalewatch.storage.judgements import editions


def kept_at(
    session: Session,
    commit_id: int,
    kept: Kept[Answer],
    asked: Sequence[object],
    read: Callable[[], Answer],
) -> Answer:
    """Return an answer about a commit, cached by its present edition.

    Parameters
    ----------
    asked
        What the answer depends on beside the measurements and models of the commit.
    read
        Returns the answer, from these.
    """
    (answer,) = all_kept_at(session, [commit_id], kept, asked, lambda _: [read()])
    return answer


def all_kept_at(
    session: Session,
    commit_ids: Sequence[int],
    kept: Kept[Answer],
    asked: Sequence[object],
    read: Callable[[list[int]], Sequence[Answer]],
) -> list[Answer]:
    """Return an answer about each commit, as `kept_at`.

    Parameters
    ----------
    read
        Returns it for those of which it is not known, by their ids.
    """
    # Read the editions first, so that the data can only be newer than they are.
    found = editions.at(session, commit_ids)
    known = [each for each in commit_ids if each in found]
    answers = dict(
        zip(
            known,
            kept.answers(
                [key_of(found[each], each, *asked) for each in known],
                lambda places: read([known[place] for place in places]),
            ),
            strict=True,
        )
    )
    others = [each for each in commit_ids if each not in found]
    if others:
        answers |= zip(others, read(others), strict=True)
    return [answers[each] for each in commit_ids]
