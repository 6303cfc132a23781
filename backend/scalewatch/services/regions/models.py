"""Models and verdicts of series, without the measurements behind them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.modelling import Forecast
from scalewatch.modelling.few_settings import Step, steps_of
from scalewatch.modelling.measurements.batch import LEAST, NEEDED_SETTINGS
from scalewatch.services.analysis.levels import TakenLevel
from scalewatch.services.analysis.questions import Target
from scalewatch.services.commits.find import Commit, commit_of, find_commit
from scalewatch.services.efficiencies.scan import ScanScaling, scalings_of
from scalewatch.services.expectations.in_force import ComposedExpectation, Expectation
from scalewatch.services.regions.efficiency import MeasuredScan
from scalewatch.services.regions.outlook import forecasts_of
from scalewatch.services.selection.pages import ROW_CELLS, Page
from scalewatch.services.selection.view import View, is_chosen
from scalewatch.services.series.scans import Scan
from scalewatch.services.series.snapshots import CommitSnapshot, repetitions_of
from scalewatch.services.series.standing import Standing
from scalewatch.storage.access import projects


@dataclass(frozen=True, slots=True)
class SeriesModel:
    """How a series scales, and how it should.

    Parameters
    ----------
    parameter, parameters
        The one that it is drawn over, and all that vary.
    composition
        A composed model that is expected instead of a growth.
    level
        How much is expected at one setting, at all commits alike; None where only the
        growth is.
    forecasts
        At the targets of a request.
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
    level: TakenLevel | None
    standing: Standing
    forecasts: tuple[Forecast, ...] = ()
    steps: tuple[Step, ...] = ()


MODEL_CELLS: Final = 2
"""Cells as which a model counts."""


@dataclass(frozen=True, slots=True)
class CommitModels:
    """The models of a commit, of a wide one region by region.

    Parameters
    ----------
    next
        `cursor` of the next page, if there is one.
    """

    project: str
    commit: Commit
    models: tuple[SeriesModel, ...]
    next: str | None = None


def series_model(
    scan: Scan, forecasts: tuple[Forecast, ...] = (), steps: tuple[Step, ...] = ()
) -> SeriesModel:
    """Return the model of a scan."""
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
        level=scan.taken_level,
        standing=scan.standing,
        forecasts=forecasts,
        steps=steps,
    )


def models_at(
    session: Session,
    view: View,
    region: str | None = None,
    targets: Sequence[Target] = (),
    cursor: str | None = None,
) -> CommitModels:
    """Return the models of a commit: of all metrics unless the view names one.

    Of a commit of very many series, those of some regions: a page.

    Parameters
    ----------
    cursor
        The `next` of the page before.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, the commit or the page is unknown.
    """
    project = projects.existing(session, view.project)
    commit = find_commit(session, project, view.commit)
    now = CommitSnapshot.of(session, commit)
    metrics = now.metrics if region is None else now.metrics_of(region)
    page: Page[str | None] = Page.of([region], cursor)
    if region is None and now.is_wide:
        names = sorted({each.region for each in now.outlined(metrics)})
        width = -(-now.series // len(names))
        cells = ROW_CELLS if targets else MODEL_CELLS  # forecasts need all repetitions
        page = Page.of(names, cursor, cells * width)
    regions = [each for each in page.rows if each is not None]
    scans = [
        scan
        for metric in metrics
        if view.metric in {None, metric} and page.rows
        for scan in now.scans(metric, regions or None)
        if view.machine in {None, scan.machine} and is_chosen(scan, view.configuration)
    ]
    if page.is_part:
        scans.sort(key=lambda scan: scan.region)
    forecasts = forecasts_of(session, scans, targets) if targets else [()] * len(scans)
    return CommitModels(
        project=project.name,
        commit=commit_of(commit),
        models=tuple(
            map(series_model, scans, forecasts, steps_of_scans(session, scans))
        ),
        next=page.next,
    )


def steps_of_scans(session: Session, scans: Sequence[Scan]) -> list[tuple[Step, ...]]:
    """Return the factors of each scan; none where it has a model, or no factor."""
    few: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, scan in enumerate(scans):
        if _has_few(scan):
            few[scan.region, scan.metric].append(place)
    steps: list[tuple[Step, ...]] = [()] * len(scans)
    for places in few.values():
        repetitions = repetitions_of(session, [scans[place] for place in places])
        for place in places:
            measured = MeasuredScan.of(scans[place], repetitions)
            steps[place] = steps_of(measured.settings[:, 0], measured.values)
    return steps


def scalings_of_scan(session: Session, scan: Scan) -> list[ScanScaling]:
    """Return the efficiency of a scan, for each setting of its other parameters."""
    measured = MeasuredScan.of(scan, repetitions_of(session, [scan]))
    return scalings_of(measured, "higher" if scan.better == "higher" else "lower")


def _has_few(scan: Scan) -> bool:
    if scan.standing.model is not None or len(scan.parameters) > 1:
        return False
    return LEAST <= len({each.x for each in scan.evidence}) < NEEDED_SETTINGS
