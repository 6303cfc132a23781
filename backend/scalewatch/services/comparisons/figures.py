"""Figures of comparisons: ratios, and all sides of one region."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy.orm import Session

from scalewatch.figures.comparisons import RatioLine, ratios_figure
from scalewatch.figures.curves import Scaling
from scalewatch.figures.figure import Figure
from scalewatch.services.commits.find import commit_of, find_commit
from scalewatch.services.comparisons.compare import compared_commit
from scalewatch.services.comparisons.ratios import RowRatios, known_ratios
from scalewatch.services.comparisons.values import ComparedRow
from scalewatch.services.comparisons.winners import Duel
from scalewatch.services.selection.view import View, choose_metric, is_chosen
from scalewatch.services.series.scans import Scan, scaling_of
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage import machines
from scalewatch.storage.access import projects


def compared_scalings(
    session: Session, view: View, region: str, names: Sequence[str]
) -> list[Scaling]:
    """Return the curves of a region on all sides, named after their sides.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, a side or the metric is unknown.
    """
    sides = compared_scans(session, view, region, names)
    if all(name == scan.machine for name, scan in sides):
        return [scaling_of(scan) for _, scan in sides]
    labels = list(dict.fromkeys(label for label, _ in sides))
    drawn = []
    for label, scan in sides:
        place = labels.index(label)
        if view.machine is None:
            scaling = scaling_of(scan, position=place)
            scaling = replace(scaling, name=f"{label} · {scan.machine}")
        else:  # the colour of the side, as in the table
            scaling = replace(scaling_of(scan), name=label, slot=place)
        drawn.append(scaling)
    return drawn


def compared_scans(
    session: Session, view: View, region: str, names: Sequence[str]
) -> list[tuple[str, Scan]]:
    """Return the scans of a region on all sides, each with the name of its side.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, a side or the metric is unknown.
    """
    project = projects.existing(session, view.project)
    known = {row.name for row in machines.of_project(session, project.id)}
    if set(names) <= known:
        row = compared_commit(session, project, view, list(dict.fromkeys(names)))
        scans = _scans(CommitSnapshot.of(session, row), view, region)
        return [
            (name, scan) for name in names for scan in scans if scan.machine == name
        ]
    rows = [find_commit(session, project, name) for name in dict.fromkeys(names)]
    return [
        (commit_of(row).label, scan)
        for row in rows
        for scan in _scans(CommitSnapshot.of(session, row), view, region)
        if view.machine in {None, scan.machine}
    ]


def ratios_drawn(duel: Duel, ratios: Sequence[RowRatios], place: int) -> Figure:
    """Draw the ratios of a further side to the first one, most apart first."""
    known = known_ratios(ratios, place)
    lines = [RatioLine(name_of(row), ratio) for row, ratio in known]
    parameter = known[0][0].parameter if known else "p"
    return ratios_figure(lines, parameter, duel.above, duel.below)


def name_of(row: ComparedRow) -> str:
    """Return the name of a row in a legend, which tells it from others."""
    settings = (f"{name}={value}" for name, value in row.configuration.items())
    place = f"{row.region} on {row.machine}" if row.machine else row.region
    return " ".join([place, *settings])


def _scans(commit: CommitSnapshot, view: View, region: str) -> list[Scan]:
    metrics = commit.metrics_of(region)
    if not metrics:
        return []
    metric = choose_metric(metrics, view.metric)
    return [
        scan
        for scan in commit.scans(metric, [region])
        if is_chosen(scan, view.configuration)
    ]
