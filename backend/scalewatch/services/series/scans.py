"""Scans: the measurements of one series at one commit, with what they mean."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from sqlalchemy.orm import Session

from scalewatch.errors import NotFound
from scalewatch.services import jobs
from scalewatch.services.expectations.composed import (
    ComposedExpectation,
    compositions_in_force,
)
from scalewatch.services.expectations.in_force import Expectation, in_force
from scalewatch.services.series.judged import standing_at
from scalewatch.services.series.measurements import (
    Measurement,
    measurement_of,
    varied,
)
from scalewatch.services.series.snapshots import models_at
from scalewatch.services.series.standing import Standing, State
from scalewatch.services.shared_cores import left_out_at
from scalewatch.storage import tables
from scalewatch.storage.commits.commits import AnyCommit
from scalewatch.storage.machines import machines
from scalewatch.storage.runs import measurements, procedures
from scalewatch.storage.runs.flags import Flag
from scalewatch.wire import TIME


@dataclass(frozen=True, slots=True)
class Scan:
    """A series at a commit.

    Parameters
    ----------
    slot
        Position of the machine among the project's: it fixes the machine's colour.
    measurements
        By x.
    """

    region: str
    metric: str
    unit: str
    better: str
    machine: str
    slot: int
    configuration: Mapping[str, Any]
    parameter: str
    measurements: tuple[Measurement, ...]
    expectation: Expectation | None
    composition: ComposedExpectation | None
    standing: Standing

    @property
    def parameters(self) -> tuple[str, ...]:
        """What varies along the scan: its parameter first, then any others."""
        coordinates = [taken.coordinate for taken in self.measurements]
        others = sorted(set().union(*coordinates) - {self.parameter})
        varied = (
            name for name in others if len({at.get(name) for at in coordinates}) > 1
        )
        return self.parameter, *varied

    @property
    def evidence(self) -> tuple[Measurement, ...]:
        """What model and verdict rest on: what succeeded and is not left out."""
        return tuple(
            each for each in self.measurements if each.count and not each.is_left_out
        )

    @property
    def flags(self) -> Mapping[Flag, tuple[float, ...]]:
        """Where each flag was raised, as settings of the parameter."""
        raised: dict[Flag, list[float]] = defaultdict(list)
        for measurement in self.measurements:
            for flag in measurement.flags:
                if measurement.x not in raised[flag]:
                    raised[flag].append(measurement.x)
        return {flag: tuple(at) for flag, at in raised.items()}


def scans_at(
    session: Session,
    project: tables.Project,
    commit: AnyCommit,
    metric: str,
    region: str | None = None,
) -> tuple[Scan, ...]:
    """Return all scans of a metric at a commit, of one region or of all."""
    wanted = (session, commit.id, metric, region)
    models = models_at(session, commit.id, [metric], region and [region])
    places = measurements.places_at(session, commit.id)
    points: dict[int, list[measurements.Summary]] = defaultdict(list)
    summaries = measurements.summaries_at(*wanted)
    left_out = left_out_at(session, commit.id, summaries)
    for point in summaries:
        points[point.series_id].append(point)
    told = procedures.of_runs(session, places)
    expectations = in_force(session, project.id)
    compositions = compositions_in_force(session, project.id)
    slots = {
        machine.id: slot
        for slot, machine in enumerate(machines.of_project(session, project.id))
    }

    @cache
    def failure(machine_id: int) -> str | None:
        subject = str(jobs.AnalysedCommit(commit.id, machine_id))
        return jobs.failure(session, jobs.JobKind.ANALYSE, subject)

    def scan(measured: measurements.MeasuredSeries) -> Scan:
        series = measured.series
        own_points = points[series.id]
        own = [(point, places[point.run_id]) for point in own_points]
        parameter = varied([place.coordinate for _, place in own])
        taken = sorted(
            (
                measurement_of(
                    point,
                    place,
                    parameter,
                    late=told.get(point.run_id, {}).get(series.id, {}).get("late"),
                    is_left_out=point in left_out,
                )
                for point, place in own
            ),
            key=lambda measurement: measurement.x,
        )
        expectation = expectations.get((series.region, metric))
        composition = compositions.get((series.region, metric))
        counts = [point.count for point in own_points if point.count]
        standing = standing_at(
            len(counts),
            min(counts, default=None),
            [point.reason for point in own_points],
            models.get(series.id),
            expectation or composition,
        )
        if standing.state is State.PENDING and (why := failure(series.machine_id)):
            standing = replace(standing, state=State.FAILED, reason=why)
        return Scan(
            region=series.region,
            metric=series.metric,
            unit=series.unit,
            better=series.better,
            machine=measured.machine.name,
            slot=slots[series.machine_id],
            configuration=measured.settings,
            parameter=parameter,
            measurements=tuple(taken),
            expectation=expectation,
            composition=composition,
            standing=standing,
        )

    return tuple(map(scan, measurements.series_at(*wanted)))


def choose_metric(metrics: Sequence[str], asked: str | None) -> str:
    """Return the metric that was asked for, else time, else whichever comes first.

    Raises
    ------
    NotFound
        If it was not measured.
    """
    if asked is None and metrics:
        return TIME if TIME in metrics else metrics[0]
    if asked is None or asked not in metrics:
        raise NotFound("metric", asked)
    return asked
