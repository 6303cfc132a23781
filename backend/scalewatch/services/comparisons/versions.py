"""Changes of single series between commits, by all of their repetitions."""

from sqlalchemy.orm import Session

from scalewatch.modelling import Incomparable
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.services.analysis.pools import SeriesPool
from scalewatch.services.analysis.versions import UNMEASURED, Compared, compared_once
from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.commit_reports.report import CommitReport
from scalewatch.services.commits.find import find_commit
from scalewatch.services.comparisons.values import ComparedRow, ComparedSides
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage.access import projects


def changes_since_first(
    session: Session, shown: ComparedSides, row: ComparedRow
) -> dict[str, Compared]:
    """Return the change of each further commit of a row against its first commit.

    By its label; one that has not measured the row is left out.
    """
    project = projects.existing(session, shown.project)
    (_, earlier), *others = (
        (
            side.name,
            None
            if place.series_id is None
            else _pool(
                CommitSnapshot.of(session, find_commit(session, project, side.name)),
                place.series_id,
            ),
        )
        for side, place in zip(shown.sides, row.places, strict=True)
    )
    return {
        label: compared_once(earlier, pool, noise=place.standing.noise or USUAL)
        for (label, pool), place in zip(others, row.places[1:], strict=True)
        if pool is not None
    }


def change_of(session: Session, report: CommitReport, change: SeriesChange) -> Compared:
    """Return the change of a series of a report since the baseline."""
    if report.baseline is None:
        return UNMEASURED
    project = projects.existing(session, report.project)
    row = find_commit(session, project, report.commit.sha)
    earlier, later = (
        _pool(CommitSnapshot(session, project.id, each), change.series_id)
        for each in (report.baseline.id, row.id)
    )
    if later is None:
        return Incomparable("this version was not measured")
    return compared_once(earlier, later, noise=change.after.noise or USUAL)


def _pool(commit: CommitSnapshot, series_id: int) -> SeriesPool | None:
    """Return the repetitions of a series at a commit, if it was measured there."""
    return commit.pools([series_id]).get(series_id)
