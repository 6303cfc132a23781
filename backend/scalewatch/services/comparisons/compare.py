"""Machines or commits side by side, region by region."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.errors import NotFound, NotMeasured, TooFewSides
from scalewatch.modelling import Growth, Model, SideBySide, side_by_side
from scalewatch.services.commits.find import Commit, commit_of, find_commit
from scalewatch.services.comparisons.values import (
    ComparedRow,
    ComparedSeries,
    ComparedSide,
    ComparedSides,
    SideKind,
)
from scalewatch.services.selection.settings import is_chosen, key_of, shared
from scalewatch.services.selection.view import View
from scalewatch.services.series.at_commit import Judged, judged_at
from scalewatch.services.series.medians import Middles, middles_at
from scalewatch.services.series.metrics import metrics_at
from scalewatch.services.series.scans import choose_metric
from scalewatch.services.series.standing import UNMEASURED
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


@dataclass(frozen=True, slots=True)
class _Measured:
    """A series of a side, with its medians."""

    series: Judged
    middles: Middles | None


def _machines(
    session: Session, project: tables.Project, view: View, slots: Mapping[str, int]
) -> ComparedSides:
    row = compared_commit(session, project, view, list(slots))
    metrics = metrics_at(session, row.id)
    metric = choose_metric(metrics, view.metric)
    by_machine: dict[str, list[_Measured]] = {name: [] for name in slots}
    for each in _measured(session, project, row, metric, view, by_machine):
        by_machine[each.series.machine].append(each)
    for name, own in by_machine.items():
        if not own:
            raise NotMeasured("machine", name, at=commit_of(row).label)
    common = {
        name: shared([each.series.configuration for each in own])
        for name, own in by_machine.items()
    }
    aligned = _aligned(by_machine, common, by_machine_too=False)
    return _compared(
        project, SideKind.MACHINE, slots, commit_of(row), metric, metrics, aligned
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
    aligned = _aligned(by_commit, dict.fromkeys(by_commit, common), by_machine_too=True)
    slots = {label: slot for slot, label in enumerate(by_commit)}
    return _compared(
        project, SideKind.COMMIT, slots, commit_of(last), metric, metrics, aligned
    )


def _measured(  # noqa: PLR0913, PLR0917 - one per part of what is asked
    session: Session,
    project: tables.Project,
    commit: AnyCommit,
    metric: str,
    view: View,
    machines: Collection[str] | None,
) -> list[_Measured]:
    """Return what some machines measured, or all."""
    judged = [
        each
        for each in judged_at(session, project, commit.id, [metric])
        if (machines is None or each.machine in machines)
        and is_chosen(each, view.configuration)
    ]
    middles = middles_at(session, commit.id, [each.series_id for each in judged])
    return [_Measured(each, middles.get(each.series_id)) for each in judged]


Aligned = dict[tuple[Any, ...], dict[str, _Measured]]


def _aligned(
    by_side: Mapping[str, Sequence[_Measured]],
    common: Mapping[str, Mapping[str, Any]],
    *,
    by_machine_too: bool,
) -> Aligned:
    """Align the series of all sides, by the settings that a side varies."""
    aligned: Aligned = defaultdict(dict)
    for side, own in by_side.items():
        for each in own:
            series = each.series
            names = sorted(series.configuration.keys() - common[side].keys())
            settings = tuple(
                zip(names, key_of(series.configuration, names), strict=True)
            )
            place = series.machine if by_machine_too else None
            aligned[series.region, place, settings][side] = each
    return aligned


def _compared(  # noqa: PLR0913, PLR0917 - the parts of one answer
    project: tables.Project,
    kind: SideKind,
    slots: Mapping[str, int],
    commit: Commit,
    metric: str,
    metrics: Sequence[str],
    aligned: Aligned,
) -> ComparedSides:
    rows = [_row(key, measured, list(slots)) for key, measured in aligned.items()]
    rows.sort(key=lambda row: (row.region, row.machine or ""))
    rows.sort(key=_apart, reverse=True)
    return ComparedSides(
        project=project.name,
        kind=kind,
        sides=tuple(
            ComparedSide(name, slot, sum(name not in each for each in aligned.values()))
            for name, slot in slots.items()
        ),
        commit=commit,
        metric=metric,
        metrics=tuple(metrics),
        rows=tuple(rows),
    )


def _apart(row: ComparedRow) -> tuple[bool, Any, float]:
    growth, ratio = row.difference
    return growth is not None, growth or Growth(), ratio


def _row(
    key: tuple[Any, ...],
    measured: Mapping[str, _Measured],
    names: Sequence[str],
) -> ComparedRow:
    region, machine, settings = key
    some = next(iter(measured.values()))
    distinct = {name for name, _ in settings}
    first = measured.get(names[0])
    return ComparedRow(
        region=region,
        machine=machine,
        configuration={
            name: value
            for name, value in some.series.configuration.items()
            if name in distinct
        },
        unit=some.series.unit,
        better=some.series.better,
        parameter=some.middles.parameter if some.middles else "p",
        expectation=some.series.expectation,
        places=tuple(_place(first, measured.get(name)) for name in names),
    )


def _place(first: _Measured | None, own: _Measured | None) -> ComparedSeries:
    if own is None:
        return ComparedSeries(UNMEASURED)
    series = own.series
    if first is None or first is own:
        return ComparedSeries(series.standing, series.series_id)
    at, ratio = _ratio(first.middles, own.middles)
    return ComparedSeries(
        series.standing, series.series_id, _against(first, own), ratio, at
    )


def _ratio(
    first: Middles | None, own: Middles | None
) -> tuple[float | None, float | None]:
    """Return the largest common setting, and the ratio of medians there."""
    if first is None or own is None or first.parameter != own.parameter:
        return None, None
    common = first.values.keys() & own.values.keys()
    if not common or not first.values[max(common)]:
        return None, None
    at = max(common)
    return at, own.values[at] / first.values[at]


def _against(first: _Measured, own: _Measured) -> SideBySide | None:
    models = (first.series.standing.model, own.series.standing.model)
    if None in models or first.middles is None or own.middles is None:
        return None
    start = max(min(first.middles.values), min(own.middles.values))
    return _side_by_side(models[0], models[1], first.middles.parameter, start)


@lru_cache(maxsize=8192)
def _side_by_side(
    model: Model, other: Model, parameter: str, start: float
) -> SideBySide | None:
    """Compare two models, cached by both."""
    return side_by_side(model, other, parameter, start=start)
