"""What the small plot of a cell draws: one scan of a region on a machine."""

from sqlalchemy.orm import Session

from scalewatch.errors import NotMeasured
from scalewatch.figures.curves import Scaling
from scalewatch.services.commits.find import commit_of, find_commit
from scalewatch.services.selection.view import View, choose_metric, is_chosen
from scalewatch.services.series.drawn import scaling_of
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage.access import projects
from scalewatch.storage.runs import measurements


def plotted_cell(session: Session, view: View, region: str) -> Scaling:
    """Return the first scan of a region that a view chooses, as it is drawn.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, the commit or the metric is unknown.
    NotMeasured
        If the view chooses no scan of the region.
    """
    project = projects.existing(session, view.project)
    row = find_commit(session, project, view.commit)
    metrics = measurements.metrics_at_commit(session, row.id, region)
    if metrics:
        metric = choose_metric(metrics, view.metric)
        for scan in CommitSnapshot.of(session, row).scans(metric, region):
            if view.machine in {None, scan.machine} and is_chosen(
                scan, view.configuration
            ):
                return scaling_of(scan)
    raise NotMeasured("region", region, at=commit_of(row).label)
