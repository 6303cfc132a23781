"""The report of a commit: its changes against a baseline, worst first."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import log

from sqlalchemy.orm import Session

from scalewatch.services.commit_reports.changes import SeriesChange, counts_of
from scalewatch.services.commit_reports.comparison import Comparison, Versions, compared
from scalewatch.services.commit_reports.pairs import ChangeKind
from scalewatch.services.commits.baselines import (
    Baseline,
    Neighbours,
    RelatedCommit,
    children_of,
    neighbours_of,
    parents_of,
)
from scalewatch.services.commits.find import Commit, commit_of
from scalewatch.services.selection.pages import InPages
from scalewatch.services.selection.view import View, choose_metric, is_chosen
from scalewatch.services.series.judged import FailedSeries
from scalewatch.services.series.snapshots import CommitSnapshot, Environments
from scalewatch.services.series.standing import crowded_among
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits


@dataclass(frozen=True, slots=True)
class EnvironmentChange:
    """A fact of a machine, or a setting of its runs, that changed.

    Parameters
    ----------
    name
        Of the fact or the setting.
    before, after
        Its values in words; None where it was not stated.
    """

    machine: str
    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class CommitReport(InPages):
    """The changes of a commit against its baseline.

    Parameters
    ----------
    metrics
        All that were measured, here or at the baseline.
    baseline
        None where nothing was measured before.
    changes
        Worst first, over all metrics unless the view names one.
    absent
        Machines that measured the baseline and have not measured this commit.
    only
        The machine whose series alone were compared, of a commit with very many; None:
        all.
    """

    LISTED = "changes"
    CELLS = 2

    project: str
    commit: Commit
    baseline: Baseline | None
    parents: tuple[RelatedCommit, ...]
    children: tuple[RelatedCommit, ...]
    neighbours: Neighbours
    metrics: tuple[str, ...]
    machines: tuple[str, ...]
    absent: tuple[str, ...]
    changes: tuple[SeriesChange, ...]
    environment: tuple[EnvironmentChange, ...]
    only: str | None = None

    @property
    def counts(self) -> Mapping[ChangeKind, int]:
        """Number of series per kind of change."""
        return counts_of(self.changes)

    @property
    def is_compared(self) -> bool:
        """Whether both commits measured anything that is shown."""
        return any(change.is_comparable for change in self.changes)

    @property
    def failed(self) -> tuple[FailedSeries, ...]:
        """The series of which runs failed."""
        return FailedSeries.among(self.changes)

    @property
    def crowded(self) -> int:
        """Number of series that cannot be judged because processes shared cores."""
        return crowded_among(change.after for change in self.changes)

    @property
    def changed(self) -> tuple[SeriesChange, ...]:
        """The series that changed."""
        return tuple(each for each in self.changes if not each.is_still)

    @property
    def same(self) -> tuple[SeriesChange, ...]:
        """The series that did not change, or that cannot be compared."""
        return tuple(each for each in self.changes if each.is_still)


def commit_report(session: Session, view: View, against: str | None) -> CommitReport:
    """Return the report of a commit against a baseline.

    Parameters
    ----------
    view
        Its metric, machine and configuration limit what is listed.
    against
        The baseline as `find_commit` takes it; None for the merge base of a branch,
        and for the nearest commit of any other one.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, a commit or the metric is unknown.
    """
    project = projects.existing(session, view.project)
    versions = Versions.find(session, project, view.commit, against)
    comparison = compared(session, versions, view.machine)
    return limited(report_of(session, comparison), view)


def report_of(session: Session, comparison: Comparison) -> CommitReport:
    """Return the report of a commit that was compared with its baseline."""
    project, row = comparison.project, comparison.row
    now = comparison.after.environments
    then = comparison.before.environments if comparison.before else {}
    return CommitReport(
        project=project.name,
        commit=commit_of(row),
        baseline=comparison.baseline,
        parents=parents_of(session, project, row),
        children=children_of(session, project, row),
        neighbours=neighbours_of(session, project, row),
        metrics=comparison.metrics,
        machines=tuple(now),
        absent=comparison.absent,
        changes=comparison.changes,
        environment=environment_changes(then, now),
        only=comparison.after.only,
    )


@dataclass(frozen=True, slots=True)
class Effect:
    """The series that a commit changed most.

    Parameters
    ----------
    factor, at
        After over before at the largest setting of both, and that setting where the
        commit measured several.
    """

    change: SeriesChange
    factor: float
    at: Mapping[str, float]


def largest_effect(session: Session, report: CommitReport) -> Effect | None:
    """Return the largest change for the worse, else for the better; None of none.

    By the medians of series that changed, which both commits measured.
    """
    if report.baseline is None:
        return None
    changes = [change for change in report.changed if change.is_comparable]
    is_worse = [change for change in changes if change.is_worse]
    if not (shown := {change.series_id: change for change in is_worse or changes}):
        return None
    project_id = projects.existing(session, report.project).id
    (row,) = commits.with_hashes(session, project_id, [report.commit.sha])
    after = CommitSnapshot.of(session, row).medians(shown)
    before = CommitSnapshot(session, project_id, report.baseline.id).medians(shown)
    effects = []
    for number in shown.keys() & after.keys() & before.keys():
        change, early, late = shown[number], before[number], after[number]
        common = [at for at in late.values if early.values.get(at, 0) > 0]
        if common and late.values[max(common)] > 0:
            factor = late.values[max(common)] / early.values[max(common)]
            if ((factor > 1) is change.is_cost) is bool(is_worse):
                scale = {late.parameter: max(common)} if len(late.values) > 1 else {}
                effects.append(Effect(change, factor, scale))
    return max(effects, key=lambda effect: abs(log(effect.factor)), default=None)


def limited(report: CommitReport, view: View) -> CommitReport:
    """Return a report that lists only what a view asks for.

    Raises
    ------
    NotFound
        If neither commit measured the metric of the view.
    """
    if view.metric is not None:
        choose_metric(report.metrics, view.metric)
    if view.metric is None and view.machine is None and not view.configuration:
        return report
    listed = tuple(each for each in report.changes if _is_shown(each, view))
    return replace(report, changes=listed)


def environment_changes(
    before: Environments, after: Environments
) -> tuple[EnvironmentChange, ...]:
    """Return the changed facts of machines that measured both of two commits."""
    return tuple(
        EnvironmentChange(machine, name, old, new)
        for machine in after
        if machine in before
        for name in sorted({*before[machine], *after[machine]})
        for old in (before[machine].get(name),)
        for new in (after[machine].get(name),)
        if old != new
    )


def _is_shown(change: SeriesChange, view: View) -> bool:
    is_here = view.machine in {None, change.machine}
    is_wanted = view.metric in {None, change.metric}
    return is_here and is_wanted and is_chosen(change, view.configuration)
