"""Machines or commits side by side, region by region."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.errors import NotFound, NotMeasured, TooFewSides
from scalewatch.services.commits.find import Commit, commit_of, find_commit
from scalewatch.services.comparisons.rows import MeasuredSide, rows_of
from scalewatch.services.comparisons.values import (
    ComparedRow,
    ComparedSide,
    ComparedSides,
    SideKind,
)
from scalewatch.services.selection.settings import is_chosen, shared
from scalewatch.services.selection.view import View
from scalewatch.services.series.at_commit import judged_at
from scalewatch.services.series.medians import middles_at
from scalewatch.services.series.metrics import metrics_at
from scalewatch.services.series.scans import choose_metric
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.commits.commits import AnyCommit
from scalewatch.storage.machines import machines

SEPARATOR: Final = "..."
"""Between the names of what is compared."""


def split_sides(text: str) -> tuple[str, ...]:
    """Read `juqueen...pizdaint`: the names of what is compared."""
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
        return _machines(session, project, view, {name: known[name] for name in names})
    return _commits(session, project, view, names)


def compared_commit(
    session: Session, project: tables.Project, view: View, names: Sequence[str]
) -> AnyCommit:
    """Return the commit of a view, else the newest that all machines measured."""
    common = None
    if view.commit is None:
        common = commits.newest_on_machines(session, project.id, names)
    return common or find_commit(session, project, view.commit)


def _machines(
    session: Session, project: tables.Project, view: View, slots: Mapping[str, int]
) -> ComparedSides:
    row = compared_commit(session, project, view, list(slots))
    metrics = metrics_at(session, row.id)
    metric = choose_metric(metrics, view.metric)
    by_machine: dict[str, list[MeasuredSide]] = {name: [] for name in slots}
    for each in _measured(session, project, row, metric, view, by_machine):
        by_machine[each.series.machine].append(each)
    for name, own in by_machine.items():
        if not own:
            raise NotMeasured("machine", name, at=commit_of(row).label)
    common = {
        name: shared([each.series.configuration for each in own])
        for name, own in by_machine.items()
    }
    rows = rows_of(
        session, project.id, [row.id], by_machine, common, by_machine_too=False
    )
    return _compared(
        project, SideKind.MACHINE, slots, commit_of(row), metric, metrics, rows
    )


def _commits(
    session: Session, project: tables.Project, view: View, names: Sequence[str]
) -> ComparedSides:
    rows = {name: find_commit(session, project, name) for name in dict.fromkeys(names)}
    last = list(rows.values())[-1]
    metrics = metrics_at(session, last.id)
    metric = choose_metric(metrics, view.metric)
    machines = None if view.machine is None else [view.machine]
    by_commit = {
        commit_of(row).label: _measured(session, project, row, metric, view, machines)
        for row in rows.values()
    }
    everything = [each for own in by_commit.values() for each in own]
    common = shared([each.series.configuration for each in everything])
    found = rows_of(
        session,
        project.id,
        [row.id for row in rows.values()],
        by_commit,
        dict.fromkeys(by_commit, common),
        by_machine_too=True,
    )
    slots = {label: slot for slot, label in enumerate(by_commit)}
    return _compared(
        project, SideKind.COMMIT, slots, commit_of(last), metric, metrics, found
    )


def _measured(  # noqa: PLR0913, PLR0917 - one per part of what is asked
    session: Session,
    project: tables.Project,
    commit: AnyCommit,
    metric: str,
    view: View,
    machines: Collection[str] | None,
) -> list[MeasuredSide]:
    """Return what some machines measured, or all."""
    judged = [
        each
        for each in judged_at(session, project, commit.id, [metric])
        if (machines is None or each.machine in machines)
        and is_chosen(each, view.configuration)
    ]
    middles = middles_at(session, commit.id, [each.series_id for each in judged])
    return [MeasuredSide(each, middles.get(each.series_id)) for each in judged]


def _compared(  # noqa: PLR0913, PLR0917 - the parts of one answer
    project: tables.Project,
    kind: SideKind,
    slots: Mapping[str, int],
    commit: Commit,
    metric: str,
    metrics: Sequence[str],
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
        commit=commit,
        metric=metric,
        metrics=tuple(metrics),
        rows=rows,
    )
