"""Machines or commits side by side, region by region."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.errors import NotFound, NotMeasured, TooFewSides
from scalewatch.modelling import Incomparable
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.services.analysis.pools import SeriesPool
from scalewatch.services.analysis.versions import UNMEASURED, Compared, compared_once
from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.commit_reports.report import CommitReport
from scalewatch.services.commits.baselines import NEAREST
from scalewatch.services.commits.find import Commit, commit_of, find_commit
from scalewatch.services.comparisons.values import (
    ROW_KILOBYTES,
    ComparedRow,
    ComparedSide,
    ComparedSides,
    MeasuredSide,
    SideKind,
    rows_of,
)
from scalewatch.services.comparisons.winners import worst_pair
from scalewatch.services.machines.machine import jobs_noise
from scalewatch.services.selection.view import View, choose_metric, is_chosen, shared
from scalewatch.services.series.judged import Judged
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage import machines, tables
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.commits.commits import AnyCommit

SEPARATOR: Final = "..."
"""Between the names of the sides."""


def split_sides(text: str) -> tuple[str, ...]:
    """Read `juqueen...pizdaint`: the names of the sides that are compared."""
    return tuple(name for name in text.split(SEPARATOR) if name)


def compare_sides(session: Session, view: View, names: Sequence[str]) -> ComparedSides:
    """Return two or more machines, or commits, side by side.

    Parameters
    ----------
    view
        The commit at which machines are compared, or the machine on which commits
        are; metric and configuration.
    names
        All machines of the project, or else commits.

    Raises
    ------
    NotFound, AmbiguousReference, NotMeasured
        If one of them, or what the view names, is unknown.
    TooFewSides
        If there are fewer than two.
    """
    project = projects.existing(session, view.project)
    if len(set(names)) < 2:
        raise TooFewSides(names)
    known = {
        row.name: slot
        for slot, row in enumerate(machines.of_project(session, project.id))
    }
    strange = [name for name in names if name not in known]
    if 0 < len(strange) < len(names):
        raise NotFound("machine", strange[0])
    if not strange:
        row = compared_commit(session, project, view, names)
        slots = {name: known[name] for name in names}
        return _machines(CommitSnapshot.of(session, row), row, project, view, slots)
    rows = [find_commit(session, project, name) for name in dict.fromkeys(names)]
    snapshots = {commit_of(row).label: CommitSnapshot.of(session, row) for row in rows}
    return _commits(snapshots, rows[-1], project, view)


def compared_commit(
    session: Session, project: tables.Project, view: View, names: Sequence[str]
) -> AnyCommit:
    """Return the commit of a view, else the newest that all machines measured."""
    common = None
    if view.commit is None:
        common = commits.newest_on_machines(session, project.id, names)
    return common or find_commit(session, project, view.commit)


def _machines(
    commit: CommitSnapshot,
    row: AnyCommit,
    project: tables.Project,
    view: View,
    slots: Mapping[str, int],
) -> ComparedSides:
    metric = choose_metric(commit.metrics, view.metric)
    judged = _chosen(commit, metric, view)
    for name in slots:
        if not any(each.machine == name for each in judged):
            raise NotMeasured("machine", name, at=commit_of(row).label)

    def compared() -> tuple[ComparedRow, ...]:
        measured = _with_medians(commit, [e for e in judged if e.machine in slots])
        by_machine = {
            name: [each for each in measured if each.series.machine == name]
            for name in slots
        }
        common = {
            name: shared([each.series.configuration for each in members])
            for name, members in by_machine.items()
        }
        return rows_of(by_machine, common, by_machine_too=False)

    rows = commit.kept(
        ("machines compared", list(slots), view.configuration),
        compared,
        lambda rows: ROW_KILOBYTES * len(rows),
        metrics=[metric],
    )
    return _compared(project, SideKind.MACHINE, slots, row, metric, commit, rows)


def _commits(
    commits: Mapping[str, CommitSnapshot],
    row: AnyCommit,
    project: tables.Project,
    view: View,
) -> ComparedSides:
    last = commits[commit_of(row).label]
    metric = choose_metric(last.metrics, view.metric)

    def compared() -> tuple[ComparedRow, ...]:
        by_commit = {
            label: _with_medians(
                commit,
                [
                    each
                    for each in _chosen(commit, metric, view)
                    if view.machine in {None, each.machine}
                ],
            )
            for label, commit in commits.items()
        }
        common = shared(
            [
                each.series.configuration
                for members in by_commit.values()
                for each in members
            ]
        )
        sides = dict.fromkeys(by_commit, common)
        return rows_of(by_commit, sides, by_machine_too=True)

    rows = last.kept(
        ("commits compared", list(commits), view.machine, view.configuration),
        compared,
        lambda rows: ROW_KILOBYTES * len(rows),
        metrics=[metric],
        beside=[each for each in commits.values() if each is not last],
    )
    slots = {label: slot for slot, label in enumerate(commits)}
    return _compared(project, SideKind.COMMIT, slots, row, metric, last, rows)


def _chosen(commit: CommitSnapshot, metric: str, view: View) -> list[Judged]:
    """Return the series of a commit that have the settings of a view."""
    return [
        series
        for series in commit.outlined([metric])
        if is_chosen(series, view.configuration)
    ]


def _with_medians(
    commit: CommitSnapshot, series: Sequence[Judged]
) -> list[MeasuredSide]:
    medians = commit.medians([each.series_id for each in series])
    return [
        MeasuredSide(each, medians.get(each.series_id)) for each in commit.whole(series)
    ]


def _compared(  # noqa: PLR0913, PLR0917 - the parts of one answer
    project: tables.Project,
    kind: SideKind,
    slots: Mapping[str, int],
    row: AnyCommit,
    metric: str,
    commit: CommitSnapshot,
    rows: tuple[ComparedRow, ...],
) -> ComparedSides:
    return ComparedSides(
        project=project.name,
        kind=kind,
        sides=tuple(
            ComparedSide(
                name, slot, sum(row.places[at].series_id is None for row in rows)
            )
            for at, (name, slot) in enumerate(slots.items())
        ),
        commit=commit_of(row),
        metric=metric,
        metrics=tuple(commit.metrics),
        rows=rows,
    )


MOST_COMPARED: Final = 16
"""Machines of which all pairs are looked at."""


def opening_pair(
    session: Session, project_name: str, remembered: Sequence[str]
) -> tuple[str, ...] | None:
    """Return the machines that a comparison opens with; None of fewer than two.

    Those that a reader compared last, else the pair that is most apart in any region
    at the newest commit.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    names = {row.name for row in machines.of_project(session, project.id)}
    if len({*remembered} & names) == len(remembered) > 1:
        return tuple(remembered)
    newest = commits.newest(session, project.id)
    if newest is None:
        return None
    now = CommitSnapshot.of(session, newest)
    measured = [*now.environments][:MOST_COMPARED]
    if len(measured) < 2:
        return None
    if now.is_wide:
        return measured[0], measured[1]
    view = View(project.name, commit=newest.sha)
    shown = compare_sides(session, view, measured)
    return worst_pair(shown, jobs_noise(session, project.id, shown.metric))


@dataclass(frozen=True, slots=True)
class Choices:
    """Machines by first appearance; the newest commits, and all with a tag."""

    project: str
    machines: tuple[str, ...]
    commits: tuple[Commit, ...]


def choices_of(session: Session, project_name: str) -> Choices:
    """Return the choices of a comparison.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    newest = commits.of_project(session, project.id, limit=NEAREST)
    known = {row.id for row in newest}
    tagged = [row for row in commits.tagged(session, project.id) if row.id not in known]
    return Choices(
        project=project.name,
        machines=tuple(row.name for row in machines.of_project(session, project.id)),
        commits=tuple(map(commit_of, (*newest, *tagged))),
    )


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
