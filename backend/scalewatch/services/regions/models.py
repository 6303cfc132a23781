"""Models and verdicts of series, without the measurements behind them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from scalewatch.modelling import Forecast
from scalewatch.modelling.few_settings import Step
from scalewatch.services.analysis.questions import Target
from scalewatch.services.commits.find import Commit, commit_of, find_commit
from scalewatch.services.expectations.composed import ComposedExpectation
from scalewatch.services.expectations.in_force import Expectation
from scalewatch.services.regions.few_settings import steps_of_scans
from scalewatch.services.regions.forecasts import forecasts_of
from scalewatch.services.selection.settings import is_chosen
from scalewatch.services.selection.view import View
from scalewatch.services.series.scans import Scan, scans_at
from scalewatch.services.series.standing import Standing
from scalewatch.storage.access import projects
from scalewatch.storage.runs import measurements


@dataclass(frozen=True, slots=True)
class SeriesModel:
    """How a series scales, and how it should.

    Parameters
    ----------
    parameter, parameters
        What it is drawn over, and all that varies.
    composition
        A composed model that is expected instead of a growth.
    forecasts
        At the targets that were asked for.
    steps
        Of two to four settings, which are too few for a growth: the factors between
        neighbours, and then between the ends.
    """

    region: str
    metric: str
    unit: str
    machine: str
    configuration: Mapping[str, Any]
    parameter: str
    parameters: tuple[str, ...]
    expectation: Expectation | None
    composition: ComposedExpectation | None
    standing: Standing
    forecasts: tuple[Forecast, ...] = ()
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class CommitModels:
    """The models of a commit."""

    project: str
    commit: Commit
    models: tuple[SeriesModel, ...]


def series_model(
    scan: Scan, forecasts: tuple[Forecast, ...] = (), steps: tuple[Step, ...] = ()
) -> SeriesModel:
    """Return what was found of a scan."""
    return SeriesModel(
        region=scan.region,
        metric=scan.metric,
        unit=scan.unit,
        machine=scan.machine,
        configuration=scan.configuration,
        parameter=scan.parameter,
        parameters=scan.parameters,
        expectation=scan.expectation,
        composition=scan.composition,
        standing=scan.standing,
        forecasts=forecasts,
        steps=steps,
    )


def models_at(
    session: Session,
    view: View,
    region: str | None = None,
    targets: Sequence[Target] = (),
) -> CommitModels:
    """Return the models of a commit: of all metrics unless the view names one.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project or the commit is unknown.
    """
    project = projects.existing(session, view.project)
    commit = find_commit(session, project, view.commit)
    metrics = measurements.metrics_at_commit(session, commit.id, region)
    scans = [
        scan
        for metric in metrics
        if view.metric in {None, metric}
        for scan in scans_at(session, project, commit, metric, region)
        if view.machine in {None, scan.machine} and is_chosen(scan, view.configuration)
    ]
    forecasts = forecasts_of(session, scans, targets) if targets else [()] * len(scans)
    return CommitModels(
        project=project.name,
        commit=commit_of(commit),
        models=tuple(
            map(series_model, scans, forecasts, steps_of_scans(session, scans))
        ),
    )
