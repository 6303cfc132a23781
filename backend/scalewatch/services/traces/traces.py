"""The traces of a commit: a program, the other side of a comparison, figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.errors import NotFound, NotMeasured
from scalewatch.figures.axes import canvas
from scalewatch.figures.figure import Figure
from scalewatch.figures.traces import (
    TimeLine,
    efficiencies_figure,
    extrapolation_figure,
    times_figure,
    waits_figure,
)
from scalewatch.modelling.assumptions import ASSUMED as OF_ROOMS
from scalewatch.modelling.traces import THRESHOLDS, Thresholds
from scalewatch.services.commits.find import Commit, commit_of, find_commit
from scalewatch.services.selection.view import View, alternatives, other_configurations
from scalewatch.services.traces import scans
from scalewatch.services.traces.program import Traced, traced_program
from scalewatch.services.traces.scans import TimeOverProcesses, TracedLocation
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.commits.commits import AnyCommit
from scalewatch.storage.runs import source_locations, traces

BEYOND = 4.0
"""Locations are ranked at this multiple of the most processes, unless asked for."""

METRICS = ("overhead", "mpi_time", *scans.WAITS)
"""Metrics that can be reported on."""


@dataclass(frozen=True, slots=True)
class TraceSide:
    """A traced program, at its commit."""

    commit: Commit
    traced: Traced


@dataclass(frozen=True, slots=True)
class Traces:
    """Traces of a project at a commit.

    Parameters
    ----------
    commit
        None where nothing was traced.
    commits
        Those that were traced, the last one first.
    metrics
        Those that can be reported on of the chosen program.
    chosen
        The program that is shown; None where nothing was traced.
    location
        The location whose table is shown; None shows the whole program.
    other
        The other side, if one was asked for.
    alternatives
        Possible other sides: their names by the text for `vs`.
    thresholds
        Those of the rules of the report.
    """

    project: str
    commit: Commit | None
    commits: tuple[Commit, ...]
    machines: tuple[str, ...]
    question: scans.TracesQuestion
    metrics: tuple[str, ...] = ()
    chosen: Traced | None = None
    location: TracedLocation | None = None
    other: TraceSide | None = None
    alternatives: Mapping[str, str] = field(default_factory=dict)
    thresholds: Thresholds = THRESHOLDS


def traces_at(session: Session, view: View, question: scans.TracesQuestion) -> Traces:
    """Return the traces of a commit; of the last one traced by default.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, the commit, the metric, the location or the other side is
        unknown or was not traced.
    """
    project = projects.existing(session, view.project)
    traced = traces.commits_of(session, project.id)
    commits = tuple(map(commit_of, traced))
    if view.commit is not None:
        row: AnyCommit = find_commit(session, project, view.commit)
    elif traced:
        row = traced[0]
    else:
        return Traces(project.name, None, (), (), question)
    everything = scans.traced_series(session, project, row.id)
    machines = tuple(dict.fromkeys(each.machine for each in everything))
    commit = commit_of(row)
    if not everything:
        return Traces(project.name, commit, commits, (), question)
    series = _chosen(everything, view, commit)
    metrics = _metrics(series)
    if view.metric is not None and view.metric not in metrics:
        raise NotFound("metric", view.metric)
    metric = view.metric or metrics[0]
    chosen = _program(session, row, series, metric, question)
    location = None
    if question.location is not None:
        location = chosen.location(question.location)
        if location is None:
            raise NotMeasured("location", question.location, at=commit.label)
    question = replace(question, target=chosen.target)
    return Traces(
        project=project.name,
        commit=commit,
        commits=commits,
        machines=machines,
        question=question,
        metrics=metrics,
        chosen=chosen,
        location=location,
        other=_other(session, project, row, view, series, metric, question),
        alternatives={
            **alternatives("commit", [each.label for each in commits], commit.label),
            **alternatives("machine", machines, series.machine),
            **other_configurations(series, everything),
        },
    )


def _chosen(
    everything: Sequence[scans.TracedSeries], view: View, at: Commit
) -> scans.TracedSeries:
    """Return the series of a view, the one with the most series where several fit."""
    fitting = [
        each
        for each in everything
        if view.machine in {None, each.machine}
        and all(
            str(each.configuration.get(name)) == text
            for name, text in view.configuration.items()
        )
    ]
    if not fitting:
        settings = ", ".join(view.settings) or at.label
        raise NotMeasured("machine", view.machine or "any", at=settings)
    return max(fitting, key=lambda traced: len(traced.series))


def _metrics(series: scans.TracedSeries) -> tuple[str, ...]:
    measured = {metric for _, metric in series.series}
    return tuple(metric for metric in METRICS if metric in measured)


def _program(
    session: Session,
    commit: AnyCommit,
    series: scans.TracedSeries,
    metric: str,
    question: scans.TracesQuestion,
) -> Traced:
    scan = scans.traced_scan(session, commit.id, series, question.repeat)
    if not scan.processes.size:
        raise NotMeasured("parameter", "p", at=commit_of(commit).label)
    target = question.target or BEYOND * float(scan.processes[-1])
    sources = source_locations.at_commit(session, commit.id)
    return traced_program(scan, metric, target, sources)


def _other(  # noqa: PLR0913, PLR0917 - what stays the same, and what does not
    session: Session,
    project: tables.Project,
    commit: AnyCommit,
    view: View,
    series: scans.TracedSeries,
    metric: str,
    question: scans.TracesQuestion,
) -> TraceSide | None:
    """Return the other side of a program; settings that are not named stay the same."""
    if not question.vs:
        return None
    kind, _, named = question.vs.partition("=")
    wanted = replace(view, machine=series.machine)
    match kind:
        case "commit":
            commit = find_commit(session, project, named)
        case "machine":
            wanted = replace(view, machine=named)
        case "configuration":
            name, _, value = named.partition("=")
            settings = {key: str(text) for key, text in series.configuration.items()}
            wanted = replace(wanted, configuration={**settings, name: value})
        case _:
            raise NotFound("comparison", question.vs)
    everything = scans.traced_series(session, project, commit.id)
    side = _chosen(everything, wanted, commit_of(commit))
    if metric not in _metrics(side):
        raise NotMeasured("metric", metric, at=commit_of(commit).label)
    return TraceSide(
        commit_of(commit), _program(session, commit, side, metric, question)
    )


def has_traces(session: Session, project: str) -> bool:
    """Tell whether any program of a project was traced."""
    return traces.is_traced(session, project)


WAIT_NAMES: Final = {
    "wait_late_sender": "late sender",
    "wait_late_receiver": "late receiver",
    "wait_collective": "collective",
}


def shown_time(traced: Traced, region: str | None) -> TimeOverProcesses | None:
    """Return the time of a location, or of the whole program."""
    if region is None:
        return traced.total
    location = traced.location(region)
    return location.time if location else None


def _extrapolation(shown: Traces) -> Figure:
    if shown.chosen is None:
        return canvas()
    region = shown.location.region if shown.location else None
    sides = [(shown.commit.label if shown.commit else "", shown.chosen)]
    if shown.other is not None:
        named = shown.alternatives.get(
            shown.question.vs or "", shown.other.commit.label
        )
        sides.append((named, shown.other.traced))
    lines = [
        TimeLine(name, traced.processes, time.values, time.extrapolations)
        for name, traced in sides
        if (time := shown_time(traced, region)) is not None
    ]
    return extrapolation_figure(shown.chosen.metric, lines, shown.chosen.target)


def _of_chosen(draw: Callable[[Traced], Figure]) -> Callable[[Traces], Figure]:
    """Return how the program that is shown is drawn, an empty figure without any."""
    return lambda shown: canvas() if shown.chosen is None else draw(shown.chosen)


FIGURES: Final[Mapping[str, Callable[[Traces], Figure]]] = {
    "efficiencies": _of_chosen(
        lambda traced: efficiencies_figure(
            traced.processes,
            {str(row.efficiency): row.values for row in traced.efficiencies},
            OF_ROOMS.least_efficiency,
        )
    ),
    "extrapolation": _extrapolation,
    "times": _of_chosen(
        lambda traced: times_figure(
            [
                TimeLine("with communication", traced.processes, traced.runtime),
                TimeLine("without communication", traced.processes, traced.computing),
            ]
        )
    ),
    "waits": _of_chosen(
        lambda traced: waits_figure(
            traced.processes,
            {WAIT_NAMES[kind]: values for kind, values in traced.waits.items()},
        )
    ),
}
