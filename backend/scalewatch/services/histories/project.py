"""The history of every region of a project on one machine, as steps of growth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from scalewatch.services.commits.find import commit_of
from scalewatch.services.histories.paging import NEWEST, Window, part_of
from scalewatch.services.histories.histories import History, chosen
from scalewatch.services.histories.segments import (
    SegmentedHistory,
    StoredChange,
    changes_of,
    segments_between,
)
from scalewatch.services.regressions.regressions import summaries_of
from scalewatch.services.selection.renamed_regions import present_name
from scalewatch.storage.access import projects
from scalewatch.storage.commits import coordinates
from scalewatch.storage.histories import aliases as former_names
from scalewatch.storage.histories import locations, regressions
from scalewatch.storage.histories.locations import LocatedSeries
from scalewatch.storage.judgements import verdicts
from scalewatch.wire import TIME


def overview_of(
    session: Session,
    project_name: str,
    metric: str | None,
    machine: str | None,
    window: Window = NEWEST,
) -> History:
    """Return the segments of each region on a machine, by default on the first one.

    The newest detection is read, and no commit by itself.

    Raises
    ------
    NotFound, NotMeasured, AmbiguousReference
        If there is no such project, metric, machine or commit, or nothing was measured.
    """
    project = projects.existing(session, project_name)
    aliases = former_names.of_project(session, project.id)
    watched = locations.names_of(session, project.id)
    metrics = sorted({measured for _, measured in watched})
    usual = TIME if TIME in metrics else None
    shown = chosen("metric", metrics, metric or usual, project.name)
    machines = locations.machines_of(session, project.id, shown)
    name = chosen("machine", machines, machine, shown)
    series = locations.series_of(session, project.id, metric=shown, machine=name)
    part = part_of(session, project, window)
    line = part.line
    position_of = {commit.id: position for position, commit in enumerate(line.commits)}
    positions = sorted(
        position_of[commit_id]
        for commit_id in coordinates.commits_on(session, series[0].machine_id)
        if commit_id in position_of
    )
    shifts = regressions.shifts_of(session, [each.id for each in series])
    changes = changes_of(shifts, position_of)
    growths: Mapping[int, str | None] = {}
    if positions:
        newest = line.commits[positions[-1]].id
        growths = verdicts.growths_at(session, newest, [each.id for each in series])
    return History(
        project=project.name,
        region=None,
        metric=shown,
        regions=tuple(sorted({present_name(aliases, region) for region, _ in watched})),
        metrics=tuple(metrics),
        machines=tuple(machines),
        commits=tuple(map(commit_of, line.commits)),
        remarks=line.remarks,
        series=_segmented(
            series,
            _Line(positions, _baselines(session, series[0], position_of)),
            aliases,
            changes,
            growths,
        ),
        regressions=summaries_of(shifts),
        more=0,
        next=part.next,
    )


def _baselines(
    session: Session, series: LocatedSeries, position_of: Mapping[int, int]
) -> tuple[int, ...]:
    """Return the positions from which on the machine of a series is in a new state."""
    firsts: dict[int, int] = {}
    for part in locations.of_series(session, [series.id], [*position_of]):
        first = min(position_of[each] for each in part.commit_ids)
        known = firsts.get(part.fingerprint_id, first)
        firsts[part.fingerprint_id] = min(known, first)
    return tuple(sorted(firsts.values())[1:])


@dataclass(frozen=True, slots=True)
class _Line:
    """Positions that a machine measured, and those of its new states."""

    positions: Sequence[int]
    baselines: tuple[int, ...]


def _segmented(
    tracks: Sequence[LocatedSeries],
    line: _Line,
    aliases: Mapping[str, str],
    changes: Mapping[int, list[StoredChange]],
    growths: Mapping[int, str | None],
) -> tuple[SegmentedHistory, ...]:
    """Return a track per series, those that changed last first."""
    histories = []
    positions = tuple(line.positions)
    for series in tracks:
        moved = tuple(changes.get(series.id, ()))
        histories.append(
            SegmentedHistory(
                region=present_name(aliases, series.region),
                machine=series.machine,
                configuration=series.configuration,
                unit=series.unit,
                positions=positions,
                segments=segments_between(positions, moved, growths.get(series.id)),
                changes=moved,
                is_exact=series.is_exact,
                baselines=line.baselines,
            )
        )
    return tuple(
        sorted(
            histories,
            key=lambda t: (-max((c.last for c in t.changes), default=-1), t.region),
        )
    )
