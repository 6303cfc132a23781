"""The metrics of a commit, which nearly every page asks for first."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.caches.editions import kept_at
from scalewatch.services.caches.lru import Kept
from scalewatch.storage.runs import measurements

_METRICS: Final = Kept[Sequence[str]](10_000)


def metrics_at(session: Session, commit_id: int) -> Sequence[str]:
    """Return the metrics that were measured at a commit, by name."""
    return kept_at(
        session,
        commit_id,
        _METRICS,
        (),
        lambda: measurements.metrics_at_commit(session, commit_id),
    )
