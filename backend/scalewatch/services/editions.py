"""What is known of commits, kept as long as it is their present edition."""

from collections.abc import Callable, Sequence

from sqlalchemy.orm import Session

from scalewatch.services.kept import Answer, Kept, key_of
from scalewatch.storage import editions


def kept_at(
    session: Session,
    commit_id: int,
    kept: Kept[Answer],
    asked: Sequence[object],
    read: Callable[[], Answer],
) -> Answer:
    """Return what is known of a commit, as it was read before if that is all there is.

    Parameters
    ----------
    asked
        What the answer depends on beside the measurements and models of the commit.
    read
        Returns the answer, from these.
    """
    # Asked for before what it is about is read: that is never older.
    edition = editions.at(session, commit_id)
    if edition is None:
        return read()
    key = key_of(edition, *asked)
    (answer,) = kept.answers([key], lambda _places: [read()])
    return answer
