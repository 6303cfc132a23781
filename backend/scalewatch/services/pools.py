"""All repetitions of some series at a commit."""

from collections.abc import Collection
from itertools import groupby

from sqlalchemy.orm import Session

from scalewatch.errors import ModellingError
from scalewatch.services.pooling import Pool, pool
from scalewatch.storage import points, samples


def pools_of(
    session: Session, commit_id: int, series_ids: Collection[int]
) -> dict[int, Pool]:
    """Return the pooled repetitions of those series that can be pooled."""
    measured = points.of_series(session, commit_id, series_ids)
    blobs = samples.of_runs(session, {each.run_id for each in measured if each.count})
    found = {}
    for series_id, group in groupby(measured, key=lambda each: each.series_id):
        try:
            found[series_id] = pool(list(group), blobs)
        except ModellingError:
            continue
    return found
