"""All repetitions of some series at a commit, together or job by job."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.errors import ModellingError
from scalewatch.modelling.arrays import Reals
from scalewatch.services.analysis.pooling import SeriesPool, pool
from scalewatch.services.caches.editions import kept_at
from scalewatch.services.caches.lru import Kept
from scalewatch.services.shared_cores import accepts_shared_cores, left_out_at, places
from scalewatch.storage.runs import points, samples
from scalewatch.storage.runs.points import StoredMeasurement

KEPT: Final = 32_000_000
"""Bytes of repetitions that are kept: a preview asks for them at each growth."""


@dataclass(frozen=True, slots=True)
class PooledSeries:
    """A series that a machine measured of a commit.

    Parameters
    ----------
    pool
        Its repetitions, or the reason why they cannot be modelled.
    crowded
        Settings of which its pool has nothing, since processes shared cores there.
    """

    series_id: int
    region: str
    metric: str
    pool: SeriesPool | str
    crowded: str

    @property
    def size(self) -> int:
        """Bytes of its repetitions."""
        return 0 if isinstance(self.pool, str) else self.pool.values.nbytes


_POOLED: Final = Kept[tuple[PooledSeries, ...]](
    KEPT, lambda found: sum(each.size for each in found) + 1
)


def pooled_at(
    session: Session, commit_id: int, machine_id: int, metric: str | None = None
) -> tuple[PooledSeries, ...]:
    """Return the series that a machine measured of a commit, by their ids."""
    measured = points.of_commit(session, commit_id, machine_id, metric)
    blobs = samples.of_runs(session, {each.run_id for each in measured})
    left_out = left_out_at(session, commit_id, measured)
    found = []
    for series_id, group in groupby(measured, key=lambda each: each.series_id):
        own = list(group)
        one: SeriesPool | str
        try:
            one = pool([each for each in own if each not in left_out], blobs)
        except ModellingError as error:
            one = str(error)
        crowded = places(each.coordinate for each in own if each in left_out)
        found.append(
            PooledSeries(series_id, own[0].region, own[0].metric, one, crowded)
        )
    return tuple(found)


def kept_pools_at(
    session: Session, commit_id: int, machine_id: int, metric: str
) -> tuple[PooledSeries, ...]:
    """Return the series of a metric as `pooled_at`, cached by the commit's edition."""
    asked = (machine_id, metric, accepts_shared_cores(session, commit_id))
    return kept_at(
        session,
        commit_id,
        _POOLED,
        asked,
        lambda: pooled_at(session, commit_id, machine_id, metric),
    )


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
