"""All repetitions of some series at a commit, together or job by job."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby

from sqlalchemy.orm import Session

from scalewatch.errors import ModellingError
from scalewatch.modelling.arrays.types import Reals
from scalewatch.services.analysis.pooling import SeriesPool, pool
from scalewatch.services.shared_cores import left_out_at
from scalewatch.storage.runs import points, samples
from scalewatch.storage.runs.points import StoredMeasurement


def pools_of(
    session: Session, commit_id: int, series_ids: Collection[int]
) -> dict[int, SeriesPool]:
    """Return the pooled repetitions of those series that can be pooled."""
    found = {}
    for series_id, measured, blobs in _measured(session, commit_id, series_ids):
        try:
            found[series_id] = pool(measured, blobs)
        except ModellingError:
            continue
    return found


def pools_by_job(
    session: Session, commit_id: int, series_ids: Collection[int]
) -> dict[int, tuple[SeriesPool, ...]]:
    """Return the repetitions of series by the jobs that measured them.

    That is the first job and all later ones, where each setting was measured by two at
    least; otherwise one pool holds everything.
    """
    found = {}
    for series_id, measured, blobs in _measured(session, commit_id, series_ids):
        try:
            found[series_id] = tuple(pool(job, blobs) for job in _jobs(measured))
        except ModellingError:
            continue
    return found


def _measured(
    session: Session, commit_id: int, series_ids: Collection[int]
) -> Iterator[tuple[int, list[StoredMeasurement], Mapping[int, Reals]]]:
    """Yield the evidence about each series, with the repetitions of its runs."""
    points_at = points.of_series(session, commit_id, series_ids)
    left_out = left_out_at(session, commit_id, points_at)
    measured = [each for each in points_at if each not in left_out]
    blobs = samples.of_runs(session, {each.run_id for each in measured if each.count})
    for series_id, group in groupby(measured, key=lambda each: each.series_id):
        yield series_id, list(group), blobs


def _jobs(measured: Sequence[StoredMeasurement]) -> list[list[StoredMeasurement]]:
    """Split what was measured of a series: what came first at its setting, and later.

    Runs come oldest first.
    """
    seen: Counter[tuple[tuple[str, float], ...]] = Counter()
    first: list[StoredMeasurement] = []
    later: list[StoredMeasurement] = []
    for each in measured:
        if not each.count:
            continue
        place = tuple(sorted(each.coordinate.items()))
        (later if seen[place] else first).append(each)
        seen[place] += 1
    is_repeated = bool(seen) and min(seen.values()) > 1
    return [first, later] if is_repeated else [[*measured]]
