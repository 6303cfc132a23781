"""Export all measurements of a commit, with their repetitions."""

from collections.abc import Iterator

from sqlalchemy.orm import Session

from scalewatch.errors import NotMeasured
from scalewatch.exporters.measurements import Exported
from scalewatch.services.commits.find import commit_of, find_commit
from scalewatch.services.selection.view import View, is_chosen
from scalewatch.services.series.scans import Measurement, Scan
from scalewatch.services.series.snapshots import CommitSnapshot, repetitions_of
from scalewatch.storage.access import projects
from scalewatch.storage.runs import measurements


def exported(
    session: Session, view: View, region: str | None = None
) -> Iterator[Exported]:
    """Yield measurements that succeeded at a commit, by series and along its scan.

    A view without a metric is of all metrics. Where repetitions were thinned or are
    not kept, the median stands for them.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project or the commit is unknown.
    NotMeasured
        If the region, the metric or the machine was not measured there.
    """
    project = projects.existing(session, view.project)
    commit = find_commit(session, project, view.commit)
    label = commit_of(commit).label
    metrics = measurements.metrics_at_commit(session, commit.id, region)
    if region is not None and not metrics:
        raise NotMeasured("region", region, at=label)
    if view.metric is not None and view.metric not in metrics:
        raise NotMeasured("metric", view.metric, at=label)
    wanted = [view.metric] if view.metric else metrics
    scans = [
        scan
        for metric in wanted
        for scan in CommitSnapshot.of(session, commit).scans(metric, region)
        if view.machine in {None, scan.machine}
    ]
    if view.machine is not None and not scans:
        raise NotMeasured("machine", view.machine, at=label)
    for scan in scans:
        if is_chosen(scan, view.configuration):
            yield from _measured(session, scan, project.name, label)


def _measured(
    session: Session, scan: Scan, project: str, commit: str
) -> Iterator[Exported]:
    repetitions = repetitions_of(session, [scan])
    for measurement in scan.measurements:
        quartiles = _quartiles(measurement)
        if quartiles is None:
            continue
        kept = repetitions.get(measurement.run)
        yield Exported(
            project=project,
            commit=commit,
            machine=scan.machine,
            region=scan.region,
            metric=scan.metric,
            unit=scan.unit,
            coordinate=measurement.coordinate,
            configuration=scan.configuration,
            quartiles=quartiles,
            values=quartiles[1:2] if kept is None else tuple(kept.tolist()),
        )


def _quartiles(measurement: Measurement) -> tuple[float, float, float] | None:
    low, middle, high = measurement.low, measurement.middle, measurement.high
    if low is None or middle is None or high is None:
        return None  # all repetitions failed
    return low, middle, high
