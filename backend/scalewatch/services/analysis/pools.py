"""Repetitions of series at a commit: read, and pooled over runs or job by job.

Runs at the same coordinate are repetitions of each other, whoever posted them when.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.errors import IncompleteCoordinates, ModellingError, NothingMeasured
from scalewatch.modelling.arrays import Reals, stacked
from scalewatch.services.caches import kept_of
from scalewatch.services.shared_cores import LeftOut, left_out_at, minded
from scalewatch.storage import tables
from scalewatch.storage.judgements import editions, gate_rules
from scalewatch.storage.runs import points, samples
from scalewatch.storage.runs.points import StoredMeasurement
from scalewatch.texts.scales import axis_of, followers_of, goes_with

Coordinate = Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class SeriesPool:
    """The repetitions of a series by coordinate.

    Parameters
    ----------
    parameters
        What varies.
    settings
        Its settings in ascending order, shape (n, parameters).
    values
        Repetitions at each of them, shape (n, R); NaN is missing.
    followers
        Scales in proportion to one that varies, by name.
    """

    parameters: tuple[str, ...]
    settings: Reals
    values: Reals
    followers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PooledSeries:
    """A series that a machine measured of a commit.

    Parameters
    ----------
    pool
        Its repetitions, or the reason why they cannot be modelled.
    crowded
        Settings left out of its pool, in words, by why: see `shared_cores`.
    """

    series_id: int
    region: str
    metric: str
    pool: SeriesPool | str
    crowded: Mapping[str, str]

    @property
    def size(self) -> int:
        """Bytes of its repetitions."""
        return 0 if isinstance(self.pool, str) else self.pool.values.nbytes


@dataclass(frozen=True, slots=True, eq=False)
class Measurements:
    """Points of a commit, with the repetitions of their runs.

    Parameters
    ----------
    points
        By series, oldest run first.
    repetitions
        All of each run, by its id.
    left_out
        Which points are no evidence, see `shared_cores`.
    scale
        The parallel scale that the project prefers as an axis, if it says one.
    """

    points: Sequence[StoredMeasurement]
    repetitions: Mapping[int, Reals]
    left_out: LeftOut
    scale: str | None = None

    def pooled(self) -> tuple[PooledSeries, ...]:
        """Return the series with their pooled repetitions, by their ids."""
        series = []
        for series_id, points_of in self.by_series():
            evidence = [each for each in points_of if each not in self.left_out]
            repetitions: SeriesPool | str
            try:
                repetitions = self.pool(evidence)
            except ModellingError as error:
                repetitions = str(error)
            crowded = self.left_out.crowded(points_of)
            first = points_of[0]
            series.append(
                PooledSeries(
                    series_id, first.region, first.metric, repetitions, crowded
                )
            )
        return tuple(series)

    def pools(self) -> dict[int, SeriesPool]:
        """Return the pooled repetitions of those series that can be pooled."""
        pools = {}
        for series_id, evidence in self._evidence():
            try:
                pools[series_id] = self.pool(evidence)
            except ModellingError:
                continue
        return pools

    def pools_by_job(self) -> dict[int, tuple[SeriesPool, ...]]:
        """Return the repetitions of series by the jobs that measured them.

        The first job and all later ones, where each setting was measured by two at
        least; otherwise one pool holds everything.
        """
        pools = {}
        for series_id, evidence in self._evidence():
            try:
                pools[series_id] = tuple(map(self.pool, _jobs(evidence)))
            except ModellingError:
                continue
        return pools

    def pool(self, measured: Sequence[StoredMeasurement]) -> SeriesPool:
        """Return the pooled repetitions of one series.

        Raises
        ------
        NothingMeasured
            If there is no result, or every one failed.
        IncompleteCoordinates
            If a parameter varies that some of them do not name.
        """
        succeeded = [each for each in measured if each.count]
        if not succeeded:
            raise NothingMeasured(each.reason for each in measured)
        coordinates = [each.coordinate for each in succeeded]
        return pooled(coordinates, [*map(self.of, succeeded)], self.scale)

    def by_series(self) -> Iterator[tuple[int, list[StoredMeasurement]]]:
        """Yield the points of each series, by its id."""
        for series_id, group in groupby(self.points, key=lambda point: point.series_id):
            yield series_id, list(group)

    def of(self, point: StoredMeasurement) -> Reals:
        """Return the repetitions of a point."""
        return self.repetitions[point.run_id][point.start : point.start + point.count]

    def _evidence(self) -> Iterator[tuple[int, list[StoredMeasurement]]]:
        """Yield the points of each series that are evidence, by its id."""
        for series_id, points_of in self.by_series():
            yield series_id, [each for each in points_of if each not in self.left_out]


def measurements_at(
    session: Session, commit_id: int, machine_id: int, metric: str | None = None
) -> Measurements:
    """Read what a machine measured of a commit, of a metric or of all."""
    project_id = session.get_one(tables.Machine, machine_id).project_id
    measured = points.of_commit(session, commit_id, machine_id, metric)
    return Measurements(
        measured,
        samples.of_runs(session, {each.run_id for each in measured}),
        left_out_at(session, project_id, measured),
        gate_rules.scale_of(session, project_id),
    )


def kept_pools_at(
    session: Session, commit_id: int, machine_id: int, metric: str
) -> tuple[PooledSeries, ...]:
    """Return the pooled series of a metric, cached by the commit's edition."""
    project_id = session.get_one(tables.Machine, machine_id).project_id
    rules = reading_rules(session, project_id)
    return kept_of(
        editions.at(session, [commit_id]).get(commit_id),
        commit_id,
        ("pools", machine_id, metric, rules),
        lambda: measurements_at(session, commit_id, machine_id, metric).pooled(),
        lambda pools: sum(each.size for each in pools) / 1000,
    )


def reading_rules(session: Session, project_id: int) -> tuple[str | None, ...]:
    """Return the rules by which a project is read: times left out, and its scale."""
    rules = gate_rules.newest(session, project_id)
    return *minded(rules), gate_rules.scale_of(session, project_id)


def pooled(
    coordinates: Sequence[Coordinate],
    repetitions: Sequence[Reals],
    scale: str | None = None,
) -> SeriesPool:
    """Put the repetitions of runs at the same coordinate together.

    Parameters
    ----------
    scale
        The preferred axis, where several scales vary together.

    Raises
    ------
    IncompleteCoordinates
        If a parameter varies that some of them do not name.
    """
    parameters = modelled_parameters(coordinates, scale)
    together: dict[tuple[float, ...], list[Reals]] = {}
    for at, values in zip(coordinates, repetitions, strict=True):
        place = tuple(float(at[name]) for name in parameters)
        together.setdefault(place, []).append(values)
    places = sorted(together)
    rows = [np.concatenate(together[place]) for place in places]
    followers = followers_of(parameters, coordinates)
    return SeriesPool(parameters, np.array(places), stacked(rows), followers)


def modelled_parameters(
    coordinates: Sequence[Coordinate], preferred: str | None = None
) -> tuple[str, ...]:
    """Return the parameters of a model over these coordinates, the scale first.

    All that vary, but for those that rise or fall with the first throughout: weak
    scaling is a scan over p, along which growth by p and by n are one.

    Raises
    ------
    IncompleteCoordinates
        If a parameter varies that some of them do not name.
    """
    first = coordinates[0]
    names = sorted(set().union(*coordinates))
    varying = [
        name
        for name in names
        if any(at.get(name) != first.get(name) for at in coordinates)
    ]
    incomplete = [name for name in varying if any(name not in at for at in coordinates)]
    if incomplete:
        raise IncompleteCoordinates(incomplete)
    scale = axis_of(varying or names, preferred)
    leader = scale.name if scale else (varying or names)[0]
    apart = [
        name
        for name in varying
        if name != leader
        and not goes_with(name, ((at[leader], at[name]) for at in coordinates))
    ]
    return (leader, *(name for name in varying if name != leader and apart))


def _jobs(measured: Sequence[StoredMeasurement]) -> list[list[StoredMeasurement]]:
    """Split the points of a series into those first at their setting, and later ones.

    Runs come oldest first.
    """
    seen: Counter[tuple[tuple[str, float], ...]] = Counter()
    first: list[StoredMeasurement] = []
    later: list[StoredMeasurement] = []
    for point in measured:
        if not point.count:
            continue
        place = tuple(sorted(point.coordinate.items()))
        (later if seen[place] else first).append(point)
        seen[place] += 1
    is_repeated = bool(seen) and min(seen.values()) > 1
    return [first, later] if is_repeated else [[*measured]]
