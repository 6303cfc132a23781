"""The report of a commit: what changed against a baseline, worst first."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from scalewatch.services.commit_reports.changes import (
    SeriesChange,
    changes_between,
    counts_of,
)
from scalewatch.services.commit_reports.constants import with_constants
from scalewatch.services.commit_reports.environments import (
    EnvironmentChange,
    environment_changes,
    environments_at,
)
from scalewatch.services.commit_reports.factors import LEAST_CONSTANT
from scalewatch.services.commit_reports.pairs import ChangeKind
from scalewatch.services.commits.baselines import (
    Baseline,
    Neighbours,
    RelatedCommit,
    Relation,
    baseline_of,
    children_of,
    neighbours_of,
    parents_of,
)
from scalewatch.services.commits.find import Commit, commit_of, find_commit
from scalewatch.services.commits.merge_bases import merge_base_of
from scalewatch.services.common_mode.alarms import smallest_effect
from scalewatch.services.selection.settings import is_chosen
from scalewatch.services.selection.view import View
from scalewatch.services.series.at_commit import judged_at
from scalewatch.services.series.metrics import metrics_at
from scalewatch.services.series.scans import choose_metric
from scalewatch.services.series.standing import crowded_among
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.commits.commits import AnyCommit


@dataclass(frozen=True, slots=True)
class CommitReport:
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
    """

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

    @property
    def counts(self) -> Mapping[ChangeKind, int]:
        """Number of series per kind of change."""
        return counts_of(self.changes)

    @property
    def is_compared(self) -> bool:
        """Whether both commits measured anything that is shown."""
        return any(change.is_comparable for change in self.changes)

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


def commit_report(session: Session, view: View, asked: str | None) -> CommitReport:
    """Return the report of a commit against a baseline.

    Parameters
    ----------
    view
        Its metric, machine and configuration limit what is listed.
    asked
        The baseline as `find_commit` takes it; None for the merge base of a branch,
        and for the nearest commit of any other one.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, a commit or the metric is unknown.
    """
    project = projects.existing(session, view.project)
    row = find_commit(session, project, view.commit)
    baseline = _baseline(session, project, row, asked)
    measured = [row.id] if baseline is None else [baseline.id, row.id]
    metrics = sorted({name for one in measured for name in metrics_at(session, one)})
    now = environments_at(session, row.id)
    changes: tuple[SeriesChange, ...] = ()
    if baseline is not None:
        earlier, later = (
            judged_at(session, project, commit_id, metrics)
            for commit_id in (baseline.id, row.id)
        )
        found = changes_between(earlier, later, now)
        least = max(LEAST_CONSTANT, smallest_effect(session, project.id))
        changes = with_constants(session, (baseline.id, row.id), found, least)
    before = environments_at(session, baseline.id) if baseline else {}
    report = CommitReport(
        project=project.name,
        commit=commit_of(row),
        baseline=baseline,
        parents=parents_of(session, project, row),
        children=children_of(session, project, row),
        neighbours=neighbours_of(session, project, row),
        metrics=tuple(metrics),
        machines=tuple(now),
        absent=tuple(name for name in before if name not in now),
        changes=tuple(sorted(changes, key=lambda change: change.urgency)),
        environment=environment_changes(before, now),
    )
    return limited(report, view)


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


def _baseline(
    session: Session, project: tables.Project, row: AnyCommit, asked: str | None
) -> Baseline | None:
    """Return the commit asked for, else the merge base, else the nearest one."""
    base = None if asked else merge_base_of(session, project, row)
    found = baseline_of(session, project, row, asked or base)
    if found is None or base is None:
        return found
    return replace(found, relation=Relation.MERGE_BASE)


def _is_shown(each: SeriesChange, view: View) -> bool:
    is_here = view.machine in {None, each.machine}
    is_asked = view.metric in {None, each.metric}
    return is_here and is_asked and is_chosen(each, view.configuration)
