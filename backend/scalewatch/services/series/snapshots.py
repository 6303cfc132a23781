"""Everything that is known of one commit, read part by part and kept by its edition."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from sys import intern
from typing import Final, Self, TypeVar
from uuid import UUID

from sqlalchemy.orm import Session

from scalewatch.modelling.arrays import Reals
from scalewatch.services.analysis.levels import taken_levels
from scalewatch.services.analysis.pools import (
    Measurements,
    SeriesPool,
    reading_rules,
)
from scalewatch.services.caches import kept_of
from scalewatch.services.expectations.in_force import (
    Compositions,
    Expectations,
    compositions_in_force,
    ids_in_force,
    in_force,
)
from scalewatch.services.jobs import AnalysedCommit, JobKind
from scalewatch.services.series.judged import (
    PROCESSES,
    Judged,
    Middles,
    Places,
    failures_at,
    flags_at,
    medians_by_series,
    places_by_series,
    standing_at,
    varied,
)
from scalewatch.services.series.scans import Scan, measurements_of
from scalewatch.services.series.standing import State
from scalewatch.services.shared_cores import left_out_at
from scalewatch.storage import machines
from scalewatch.storage.commits.commits import AnyCommit
from scalewatch.storage.database.session import once
from scalewatch.storage.judgements import editions, gate_rules, verdicts
from scalewatch.storage.runs import measurements, points, procedures, runs, samples
from scalewatch.storage.work import jobs
from scalewatch.texts.scales import followers_of

Answer = TypeVar("Answer")

Environments = Mapping[str, Mapping[str, str]]
"""Facts and settings of runs by machine, all values of each in words."""

JUDGED_KILOBYTES: Final = 3.0
"""Memory of a series with its model and verdict."""

OUTLINE_KILOBYTES: Final = 0.3
"""Memory of a series in outline: its growth and its verdict are those of many."""

MOST_SERIES: Final = 20_000
"""Series of a commit that are read, and kept, with all that is known of them."""

PART: Final = 5_000
"""Series of a wide commit that are read with all that is known of them at once."""

NAME_KILOBYTES: Final = 0.1
"""Memory of a name."""

MEDIANS_KILOBYTES: Final = 0.6
"""Memory of the medians of a series; its places take less."""


@dataclass(frozen=True)
class CommitSnapshot:
    """A commit as it is known when it is first asked for something.

    Each part is read in a few statements when it is first asked for, and kept in
    memory by the edition of the commit. A snapshot lives as long as its session; what
    is kept holds neither.

    Parameters
    ----------
    only
        The machine whose series alone are known; None: all.
    """

    session: Session
    project_id: int
    commit_id: int
    only: str | None = None

    @classmethod
    def of(cls, session: Session, commit: AnyCommit) -> Self:
        """Return the snapshot of a commit."""
        return cls(session, commit.project_id, commit.id)

    def within_bounds(self, machine: str | None, beside: Self | None = None) -> Self:
        """Return a commit that can be compared whole: of a wide one, one machine.

        That machine, or else the first that measured it. A commit `beside` which it is
        compared may be the wide one.
        """
        if not (self.is_wide or (beside is not None and beside.is_wide)):
            return self
        if machine is None:
            return replace(self, only=next(iter(self.environments)))
        return replace(self, only=machine)

    @cached_property
    def edition(self) -> editions.Edition | None:
        """Its present edition, None while a machine has not been analysed yet.

        Read before all else, so that parts can only be newer than it is.
        """
        return editions.at(self.session, [self.commit_id]).get(self.commit_id)

    @property
    def metrics(self) -> Sequence[str]:
        """The metrics that were measured, by name."""
        return kept_of(
            self.edition,
            self.commit_id,
            ("metrics",),
            lambda: measurements.metrics_at_commit(self.session, self.commit_id),
        )

    def regions(self, metric: str) -> Sequence[str]:
        """Return the regions of which a metric was measured, by name."""
        return kept_of(
            self.edition,
            self.commit_id,
            ("regions", metric),
            lambda: measurements.regions_at(self.session, self.commit_id, metric),
            lambda regions: NAME_KILOBYTES * len(regions),
        )

    def metrics_of(self, region: str) -> Sequence[str]:
        """Return the metrics of a region that were measured, by name."""
        return measurements.metrics_at_commit(self.session, self.commit_id, region)

    @property
    def compositions(self) -> Compositions:
        """The composed models that are expected."""
        return compositions_in_force(self.session, self.project_id)

    @property
    def expectations(self) -> Expectations:
        """The expectations in force."""
        return in_force(self.session, self.project_id)

    @property
    def is_wide(self) -> bool:
        """Whether it has more series than are kept with all that is known of them."""
        return self.series > MOST_SERIES

    @property
    def series(self) -> int:
        """The number of series that were measured."""
        return kept_of(
            self.edition,
            self.commit_id,
            ("number of series", self.only),
            lambda: len(
                measurements.taken_at(self.session, self.commit_id, self._block())
            ),
        )

    @property
    def whole_series(self) -> int:
        """The number of series that were measured, whichever are known."""
        return replace(self, only=None).series

    def judged(
        self, metrics: Collection[str], regions: Collection[str] | None = None
    ) -> tuple[Judged, ...]:
        """Return series of some metrics, with their models and verdicts.

        Of some regions, or of all.
        """
        return self._given_up(*self._judged(metrics, regions))

    def outlined(self, metrics: Collection[str]) -> tuple[Judged, ...]:
        """Return all series of some metrics, as far as tables count and sort them.

        Of a wide commit, their standings lack coefficients and probabilities, and
        their flags are left out: `whole` knows them.
        """
        return self._given_up(*self._outlined(metrics))

    def whole(self, outlined: Sequence[Judged]) -> Sequence[Judged]:
        """Return series that were outlined with all that is known of them."""
        if not outlined or not self.is_wide:
            return outlined
        metrics = sorted({each.metric for each in outlined})
        regions = {each.region for each in outlined}
        names = {each.machine for each in outlined}
        known = self._given_up(*self._judged(metrics, regions, names))
        wanted = {each.series_id for each in outlined}
        return [each for each in known if each.series_id in wanted]

    def part(
        self, metrics: Collection[str], regions: Collection[str]
    ) -> tuple[Judged, ...]:
        """Return the series of some regions, which are not kept."""
        return self._given_up(*_with_pending(self._read(metrics, regions)))

    def _judged(
        self,
        metrics: Collection[str],
        regions: Collection[str] | None = None,
        names: Collection[str] | None = None,
    ) -> "_Read":
        return self._kept_series(
            ("judged", *(each and sorted(each) for each in (regions, names))),
            metrics,
            JUDGED_KILOBYTES,
            lambda: self._read(metrics, regions, names),
        )

    def _outlined(self, metrics: Collection[str]) -> "_Read":
        if not self.is_wide:
            return self._judged(metrics)
        return self._kept_series(
            ("outlined",),
            metrics,
            OUTLINE_KILOBYTES,
            lambda: self._series(
                metrics,
                self._block(),
                verdicts.outlines_at(self.session, self.commit_id, metrics),
                is_outline=True,
            ),
        )

    def _kept_series(
        self,
        question: Sequence[object],
        metrics: Collection[str],
        kilobytes: float,
        read: Callable[[], tuple[Judged, ...]],
    ) -> "_Read":
        return kept_of(
            self.edition,
            self.commit_id,
            (
                *(*question, self.only, sorted(metrics)),
                ids_in_force(self.session, self.project_id),
            ),
            lambda: _with_pending(read()),
            lambda known: kilobytes * len(known[0]),
        )

    def _read(
        self,
        metrics: Collection[str],
        regions: Collection[str] | None = None,
        names: Collection[str] | None = None,
    ) -> tuple[Judged, ...]:
        """Read series with all that is known, of some regions on some machines."""
        block = self._block(regions, names)
        models = verdicts.models_at(
            self.session, self.commit_id, metrics, *(block or ())
        )
        return self._series(metrics, block, models)

    def _block(
        self,
        regions: Collection[str] | None = None,
        names: Collection[str] | None = None,
    ) -> measurements.Block | None:
        """Return the series of some regions on some machines; None: all there are."""
        if self.only is not None:
            names = {self.only}
        if regions is None and names is None:
            return None
        ids = [
            row.id
            for row in machines.of_project(self.session, self.project_id)
            if names is None or row.name in names
        ]
        return measurements.Block(None if regions is None else sorted(regions), ids)

    def _series(
        self,
        metrics: Collection[str],
        block: measurements.Block | None,
        models: Mapping[int, Sequence[verdicts.Modelled]],
        *,
        is_outline: bool = False,
    ) -> tuple[Judged, ...]:
        """Read series of some metrics, of a block or all, beside their models."""
        session, commit_id = self.session, self.commit_id
        expectations, compositions = self.expectations, self.compositions
        measured = [
            row
            for row in measurements.taken_at(session, commit_id, block)
            if row.metric in metrics
        ]
        notes: dict[int, list[measurements.Noted]] = defaultdict(list)
        noted = [
            row.id for row in measured if row.failed or (row.noted and not is_outline)
        ]
        if noted:
            for note in measurements.notes_on(session, commit_id, noted):
                notes[note.series_id].append(note)
        places = measurements.places_at(session, commit_id) if noted else {}
        rows = machines.of_project(session, self.project_id)
        slots = {row.id: slot for slot, row in enumerate(rows)}
        names = {row.id: row.name for row in rows}
        settings = measurements.settings_of(session, self.project_id)
        scale = self._scale
        judged = []
        for row in measured:
            key = (row.region, row.metric)
            expectation, composition = expectations.get(key), compositions.get(key)
            remarks = notes.get(row.id, ())
            is_flagged = any(note.flags for note in remarks)
            flagged = (
                flags_at(places, remarks, scale) if is_flagged else (PROCESSES, {})
            )
            parameter, flags = flagged
            judged.append(
                Judged(
                    series_id=row.id,
                    region=intern(row.region),
                    metric=intern(row.metric),
                    unit=intern(row.unit),
                    better=intern(row.better),
                    machine=names[row.machine_id],
                    slot=slots[row.machine_id],
                    configuration=settings[row.configuration_id],
                    expectation=expectation,
                    composition=composition,
                    standing=standing_at(
                        row.runs,
                        row.repetitions,
                        [note.reason for note in remarks if not note.repetitions],
                        models.get(row.id),
                        expectation or composition,
                    ),
                    flags=flags,
                    parameter=parameter,
                    failures=failures_at(places, remarks)
                    if row.runs and any(not note.repetitions for note in remarks)
                    else (),
                )
            )
        return tuple(judged)

    def _given_up(
        self, series: tuple[Judged, ...], pending: Collection[str]
    ) -> tuple[Judged, ...]:
        """Return series with those as failed whose analysis was given up."""
        reasons = self._reasons(pending)
        if not reasons:
            return series
        return tuple(
            replace(each, standing=each.standing.given_up(reasons.get(each.machine)))
            for each in series
        )

    def _reasons(self, pending: Collection[str]) -> dict[str, str]:
        """Return why analyses were given up, which begins no edition, by machine."""
        if not pending:
            return {}
        reasons = {
            row.name: self._failure(row.id)
            for row in machines.of_project(self.session, self.project_id)
            if row.name in pending
        }
        return {name: reason for name, reason in reasons.items() if reason is not None}

    def medians(self, series: Collection[int]) -> Mapping[int, Middles]:
        """Return the medians of those series that have a result.

        Times that are no evidence are left out.
        """
        session, commit_id, ids = self.session, self.commit_id, sorted(series)

        def read() -> Mapping[int, Middles]:
            runs_at = measurements.places_at(session, commit_id)
            middles = measurements.middles_of(session, commit_id, ids)
            left_out = left_out_at(session, self.project_id, middles)
            evidence = [each for each in middles if each not in left_out]
            return medians_by_series(runs_at, evidence, self._scale)

        return kept_of(
            self.edition,
            commit_id,
            ("medians", ids),
            read,
            lambda medians: MEDIANS_KILOBYTES * len(medians),
        )

    def places(self, series: Collection[int]) -> Mapping[int, Places]:
        """Return where those series were measured that the commit has runs of."""
        session, commit_id, ids = self.session, self.commit_id, sorted(series)
        return kept_of(
            self.edition,
            commit_id,
            ("places", ids),
            lambda: places_by_series(
                measurements.places_at(session, commit_id),
                measurements.notes_on(session, commit_id, ids),
            ),
            lambda places: MEDIANS_KILOBYTES * len(places),
        )

    def scans(
        self, metric: str, regions: Collection[str] | None = None
    ) -> tuple[Scan, ...]:
        """Return all scans of a metric, of some regions or of all."""
        session, commit_id = self.session, self.commit_id
        block = self._block(regions)
        models = verdicts.models_at(session, commit_id, [metric], *(block or ()))
        places = measurements.places_at(session, commit_id)
        summaries = measurements.summaries_at(session, commit_id, metric, block)
        left_out = left_out_at(session, self.project_id, summaries)
        points_of: dict[int, list[measurements.Summary]] = defaultdict(list)
        for point in summaries:
            points_of[point.series_id].append(point)
        remarks = procedures.of_runs(session, places)
        expectations, compositions = self.expectations, self.compositions
        rows = machines.of_project(session, self.project_id)
        slots = {row.id: slot for slot, row in enumerate(rows)}
        scale = self._scale
        scans = []
        measured_series = measurements.series_at(session, commit_id, metric, block)
        stated = {
            expectations.get((each.series.region, metric)) for each in measured_series
        }
        levels = taken_levels(
            session,
            [each.series.id for each in measured_series],
            [each.id for each in stated if each is not None],
        )
        for measured in measured_series:
            series, taken = measured.series, points_of[measured.series.id]
            coordinates = [places[point.run_id].coordinate for point in taken]
            parameter = varied(coordinates, scale)
            late = {
                point.run_id: remarks.get(point.run_id, {})
                .get(series.id, {})
                .get("late")
                for point in taken
            }
            counts = [point.count for point in taken if point.count]
            expectation = expectations.get((series.region, metric))
            if expectation is not None and not expectation.is_about([parameter]):
                followers = followers_of([parameter], coordinates)
                expectation = expectation.along(followers)
            composition = compositions.get((series.region, metric))
            standing = standing_at(
                len(counts),
                min(counts, default=None),
                [point.reason for point in taken],
                models.get(series.id),
                expectation or composition,
            )
            if standing.state is State.PENDING:
                standing = standing.given_up(self._failure(series.machine_id))
            scans.append(
                Scan(
                    region=series.region,
                    metric=series.metric,
                    unit=series.unit,
                    better=series.better,
                    machine=measured.machine.name,
                    slot=slots[series.machine_id],
                    configuration=measured.settings,
                    parameter=parameter,
                    measurements=measurements_of(
                        taken, places, parameter, late, left_out
                    ),
                    expectation=expectation,
                    composition=composition,
                    standing=standing,
                    taken_level=levels.get(series.id),
                )
            )
        return tuple(scans)

    def repetitions(self, scans: Sequence[Scan]) -> Mapping[UUID, Reals]:
        """Return all repetitions of scans of the same metric of a region, by run."""
        return repetitions_of(self.session, scans)

    @property
    def environments(self) -> Environments:
        """The facts and settings of its runs, by machine in order of appearance.

        Of all machines, whichever's series are known.
        """

        def read() -> Environments:
            values: dict[str, dict[str, set[str]]] = {}
            for machine, *stated in runs.environments_of(self.session, self.commit_id):
                known = values.setdefault(machine, {})
                for name, value in (pair for facts in stated for pair in facts.items()):
                    if value is not None:
                        known.setdefault(name, set()).add(str(value))
            return {
                machine: {name: ", ".join(sorted(each)) for name, each in known.items()}
                for machine, known in values.items()
            }

        return kept_of(self.edition, self.commit_id, ("environments",), read)

    @property
    def reading_rules(self) -> tuple[str | None, ...]:
        """Rules by which it is read: times left out, and the project's scale."""
        return reading_rules(self.session, self.project_id)

    @property
    def _scale(self) -> str | None:
        """The parallel scale that the project prefers as an axis."""
        return gate_rules.scale_of(self.session, self.project_id)

    def measurements(self, series: Collection[int]) -> Measurements:
        """Return the points of series, with all repetitions of those that are evidence.

        Times that are no evidence are left out.
        """
        measured = points.of_series(self.session, self.commit_id, series)
        left_out = left_out_at(self.session, self.project_id, measured)
        evidence = {
            each.run_id for each in measured if each.count and each not in left_out
        }
        repetitions = samples.of_runs(self.session, evidence)
        return Measurements(measured, repetitions, left_out, self._scale)

    def pools(self, series: Collection[int]) -> Mapping[int, SeriesPool]:
        """Return all repetitions of those series that can be pooled."""
        return self.measurements(series).pools()

    def pools_by_job(
        self, series: Collection[int]
    ) -> Mapping[int, tuple[SeriesPool, ...]]:
        """Return the repetitions of series by the jobs that measured them."""
        return self.measurements(series).pools_by_job()

    def kept(
        self,
        question: Sequence[object],
        compute: Callable[[], Answer],
        kilobytes: Callable[[Answer], float] = lambda _: 1,
        *,
        metrics: Collection[str] = (),
        beside: "Sequence[CommitSnapshot]" = (),
    ) -> Answer:
        """Return an answer that is computed from this commit, as kept.

        Parameters
        ----------
        question
            The name of what is asked, and all that the answer depends on beside what
            is known of the commit.
        kilobytes
            Returns the memory that an answer takes.
        metrics
            Those of the series whose standings it is computed from.
        beside
            Other commits that it is computed from, too.
        """
        states = [commit.state(metrics) for commit in (*beside, self)]
        if None in states:
            return compute()
        return kept_of(
            self.edition,
            self.commit_id,
            (*question, self.only, *states),
            compute,
            kilobytes,
        )

    def state(self, metrics: Collection[str]) -> tuple[object, ...] | None:
        """Return what changes whenever a series of some metrics stands otherwise.

        None while a machine has not been analysed yet.
        """
        if self.edition is None:
            return None
        failed = self._reasons(self._outlined(metrics)[1] if metrics else ())
        expected = ids_in_force(self.session, self.project_id)
        return (
            self.commit_id,
            self.edition,
            sorted(metrics),
            expected,
            sorted(failed.items()),
        )

    def _failure(self, machine_id: int) -> str | None:
        """Return why the newest analysis of a machine was given up, if it was."""
        session = self.session
        subject = str(AnalysedCommit(self.commit_id, machine_id))
        job = once(
            session,
            ("analysis", subject),
            lambda: jobs.newest(session, JobKind.ANALYSE, subject),
        )
        return job.reason if job and job.state == "failed" else None


_Read = tuple[tuple[Judged, ...], frozenset[str]]
"""Series, and the machines that have not been analysed."""


def _with_pending(series: tuple[Judged, ...]) -> _Read:
    pending = {s.machine for s in series if s.standing.state is State.PENDING}
    return series, frozenset(pending)


def regions_in_parts(series: Iterable[Judged]) -> Iterator[tuple[str, ...]]:
    """Yield the regions of series, so many at once as have `PART` series together."""
    number = Counter(each.region for each in series)
    names = sorted(number)
    length = max(1, PART * len(number) // max(1, number.total()))
    for start in range(0, len(names), length):
        yield tuple(names[start : start + length])


def repetitions_of(session: Session, scans: Sequence[Scan]) -> Mapping[UUID, Reals]:
    """Return all repetitions of scans of the same metric of a region, by run.

    A page asks for those of a scan several times: for its plot and for its forecasts.
    """
    runs_of = [each.run for scan in scans for each in scan.measurements if each.count]
    if not runs_of:
        return {}
    region, metric = scans[0].region, scans[0].metric

    def read() -> Mapping[UUID, Reals]:
        places: dict[int, list[tuple[UUID, int, int]]] = defaultdict(list)
        for uuid, run_id, start, count in samples.places(
            session, runs_of, region, metric
        ):
            places[run_id].append((uuid, start, count))
        # Copies: a run is a thousand times as large as what is kept of it.
        return {
            uuid: values[start : start + count].copy()
            for run_id, values in samples.run_by_run(session, places)
            for uuid, start, count in places[run_id]
        }

    return once(session, ("repetitions", region, metric, *runs_of), read)
