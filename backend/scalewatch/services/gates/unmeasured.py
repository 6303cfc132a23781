"""What a commit did not measure: of that the gate passes nothing."""

from collections.abc import Iterable, Iterator
from functools import cache

from sqlalchemy.orm import Session

from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.commit_reports.pairs import ChangeKind
from scalewatch.services.commit_reports.report import CommitReport
from scalewatch.services.gates.findings import FAILED, MISSING, PARTLY, GateFinding
from scalewatch.services.gates.declared_rules import GateRules
from scalewatch.services.series.judged import Judged, places_words
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.services.series.standing import State
from scalewatch.storage import tables
from scalewatch.storage.commits.coordinates import Place


def unmeasured(
    session: Session,
    project: tables.Project,
    commit_id: int,
    report: CommitReport,
    rules: GateRules,
) -> list[GateFinding]:
    """Return the series that failed, wholly or in part, and those that are missing.

    Rules may ignore them, but not that nothing at all was measured.
    """
    here = CommitSnapshot(session, project.id, commit_id).judged(report.metrics)
    found = [
        *_failed(here),
        *_missing(report),
        *_partly(session, project, report, commit_id),
        *_absent(session, project, report),
    ]
    if all(each.standing.state is State.FAILED for each in here):
        return found
    return [each for each in found if rules.about(each.region).missing != "ignore"]


def _finding(about: Judged | SeriesChange, kind: str, sentence: str) -> GateFinding:
    return GateFinding(
        region=about.region,
        metric=about.metric,
        machine=about.machine,
        configuration=about.configuration,
        kind=kind,
        is_sure=False,
        sentence=sentence,
        todo='measure it, or set missing = "ignore" in the rules',
    )


def _failed(here: Iterable[Judged]) -> Iterator[GateFinding]:
    for each in here:
        if each.standing.state is State.FAILED:
            reason = each.standing.reason or "no repetition succeeded"
            yield _finding(each, FAILED, f"failed: {reason}")
        elif each.failures:
            yield _finding(each, FAILED, f"failed at {'; '.join(each.failures)}")


def _missing(report: CommitReport) -> Iterator[GateFinding]:
    for change in report.changes:
        if change.kind is ChangeKind.MISSING:
            yield _finding(change, MISSING, "was measured at the baseline, not here")


def _partly(
    session: Session, project: tables.Project, report: CommitReport, commit_id: int
) -> Iterator[GateFinding]:
    """Yield the series with settings that the baseline measured and nobody tried."""
    compared = [change for change in report.changes if change.is_comparable]
    if report.baseline is None or not compared:
        return
    ids = sorted(change.series_id for change in compared)
    before, here = (
        CommitSnapshot(session, project.id, each).places(ids)
        for each in (report.baseline.id, commit_id)
    )
    difference = cache(frozenset[Place].difference)  # most series have the same places
    for change in compared:
        key = change.series_id
        if lacking := difference(before[key].measured, here[key].tried):
            yield _finding(change, PARTLY, f"not measured at {places_words(lacking)}")


def _absent(
    session: Session, project: tables.Project, report: CommitReport
) -> Iterator[GateFinding]:
    """Yield the series of machines that measured the baseline alone."""
    if report.baseline is None or not report.absent:
        return
    before = CommitSnapshot(session, project.id, report.baseline.id)
    for each in before.judged(report.metrics):
        if each.machine in report.absent:
            yield _finding(each, MISSING, "its machine measured the baseline alone")
