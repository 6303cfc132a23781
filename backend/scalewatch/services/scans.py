"""Scans: the measurements of one series at one commit, with what they mean."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.errors import NotFound
from scalewatch.services.measurements import Flag, Measurement, measurement_of
from scalewatch.services.standings import (
    Expectation,
    Standing,
    State,
    expectation_of,
    standing_of,
)
from scalewatch.storage import (
    expectations,
    machines,
    measurements,
    tables,
    verdicts,
)

PARAMETER: Final = "p"
"""What a scan is drawn over, wherever it was measured."""

PREFERRED_METRIC: Final = "time"


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
    standing: Standing

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
    commit: tables.Commit,
    metric: str,
    region: str | None = None,
) -> tuple[Scan, ...]:
    """Return all scans of a metric at a commit, of one region or of all."""
    slots = {
        machine.id: slot
        for slot, machine in enumerate(machines.of_project(session, project.id))
    }
    expected = {
        row.region: row
        for row in expectations.of_project(session, project.id)
        if row.metric == metric
    }
    models: dict[int, tables.Model] = {}
    judged: dict[tuple[int, int], tables.Verdict] = {}
    for model, verdict in verdicts.at_commit(session, commit.id, metric, region):
        models[model.series_id] = model
        if verdict is not None:
            judged[model.id, verdict.expectation_id] = verdict

    def scan(rows: Sequence[measurements.Measured]) -> Scan:
        _, series, machine, configuration, _ = rows[0]
        promise = expected.get(series.region)
        parameter = _parameter([run.coordinate for *_, run in rows])
        taken = tuple(
            sorted(
                (measurement_of(point, run, parameter) for point, *_, run in rows),
                key=lambda measurement: measurement.x,
            )
        )
        return Scan(
            region=series.region,
            metric=series.metric,
            unit=series.unit,
            better=series.better,
            machine=machine.name,
            slot=slots[machine.id],
            configuration=configuration.settings,
            parameter=parameter,
            measurements=taken,
            expectation=None if promise is None else expectation_of(promise),
            standing=_standing(taken, models.get(series.id), promise, judged),
        )

    rows = measurements.at_commit(session, commit.id, metric, region)
    return tuple(
        scan(list(group)) for _, group in groupby(rows, key=lambda row: row[1].id)
    )


def choose_metric(metrics: Sequence[str], asked: str | None) -> str:
    """Return the metric that was asked for, else time, else whichever comes first.

    Raises
    ------
    NotFound
        If it was not measured.
    """
    if asked is None and metrics:
        return PREFERRED_METRIC if PREFERRED_METRIC in metrics else metrics[0]
    if asked is None or asked not in metrics:
        raise NotFound("metric", asked)
    return asked


def _parameter(coordinates: Sequence[Mapping[str, Any]]) -> str:
    """Return what varies along the scan, p if that was measured at all."""
    if all(PARAMETER in coordinate for coordinate in coordinates):
        return PARAMETER
    names = sorted(set.intersection(*(set(at) for at in coordinates)))
    varying = [name for name in names if len({at[name] for at in coordinates}) > 1]
    return (varying or names or [PARAMETER])[0]


def _standing(
    taken: Sequence[Measurement],
    model: tables.Model | None,
    expected: tables.Expectation | None,
    judged: Mapping[tuple[int, int], tables.Verdict],
) -> Standing:
    if model is not None:
        verdict = judged.get((model.id, expected.id)) if expected else None
        return standing_of(model, verdict, is_expected=expected is not None)
    counts = [measurement.count for measurement in taken if measurement.count]
    if not counts:
        reasons = sorted({taken.reason for taken in taken if taken.reason})
        return Standing(State.FAILED, reason="; ".join(reasons) or None)
    return Standing(
        State.PENDING, points=len(counts), repetitions=min(counts), reason=None
    )
