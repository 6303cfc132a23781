"""Histories: the state of a region at every commit, or of all regions of a project.

Changes are those that were detected last, as the regressions are.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.errors import NotMeasured
from scalewatch.figures import histories as drawn_histories
from scalewatch.figures.figure import Figure
from scalewatch.figures.histories import DrawnHistory, DrawnMark
from scalewatch.figures.notation import places_words
from scalewatch.services.commits.find import Commit, commit_of
from scalewatch.services.commits.lineage import Lineage, drawn_commit
from scalewatch.services.common_mode.project_history import (
    SeriesHistory,
    series_histories,
)
from scalewatch.services.histories import segments
from scalewatch.services.histories.commits import (
    NEWEST,
    HistorySteps,
    Measure,
    Window,
    part_of,
    target_of,
)
from scalewatch.services.machines.machine import bad_nights
from scalewatch.services.regressions.regressions import RegressionSummary, summaries_of
from scalewatch.services.selection.renamed_regions import present_name
from scalewatch.services.selection.view import View, is_chosen
from scalewatch.services.series.judged import FailedSeries
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage import machines
from scalewatch.storage.access import projects
from scalewatch.storage.commits import coverage
from scalewatch.storage.histories import locations, regressions
from scalewatch.storage.histories.regressions import RegressionShift
from scalewatch.storage.judgements import verdicts
from scalewatch.wire import TIME

MOST_SERIES: Final = 12
"""Small multiples of a page."""

LOOKED_BACK: Final = 5
"""Newest commits among which the newest of each machine is looked for."""


@dataclass(frozen=True, slots=True)
class History:
    """The history of a region's metric on its machines, or of all on one of them.

    Parameters
    ----------
    region
        None where each series is one of another region.
    commits
        The line, oldest first; series refer to positions on it.
    remarks
        Oddities in the order of the commits, and new baselines.
    series
        Steps, segments and changes of each, by position on the line.
    regressions
        Those found in these series.
    failed
        Series of which runs failed at the newest commit that their machine measured.
    more
        Series that are not shown.
    next
        The commit before which older ones are found, if there are any.
    """

    project: str
    region: str | None
    metric: str
    regions: tuple[str, ...]
    metrics: tuple[str, ...]
    machines: tuple[str, ...]
    commits: tuple[Commit, ...]
    remarks: tuple[str, ...]
    series: tuple[segments.SegmentedHistory, ...]
    regressions: tuple[RegressionSummary, ...]
    failed: tuple[FailedSeries, ...]
    more: int
    next: str | None

    @property
    def has_one_setting(self) -> bool:
        """Whether no series has a growth that could change."""
        return not any(
            series.has_exponents
            or any(each.growth for each in series.segments)
            or any(change.largest for change in series.changes)
            for series in self.series
        )


def history_of(  # noqa: PLR0913, PLR0917, one per part of the question
    session: Session,
    project_name: str,
    region: str | None,
    metric: str | None,
    machine: str | None,
    newest: int | None = None,
    window: Window = NEWEST,
) -> History:
    """Return the history of a region, by default of the first, of all its machines.

    Parameters
    ----------
    newest
        Steps of each series that are wanted, all if None.
    window
        The commits that are looked at, by default the newest.

    Raises
    ------
    NotFound, NotMeasured, AmbiguousReference
        If there is no such project, region, metric, machine or commit.
    """
    project = projects.existing(session, project_name)
    aliases = locations.former_names(session, project.id)
    names = locations.names_of(session, project.id)
    measured = {(present_name(aliases, name), each) for name, each in names}
    regions = sorted({name for name, _ in measured})
    named = chosen("region", regions, region, project.name)
    metrics = sorted(each for name, each in measured if name == named)
    former = {name for name, _ in names if present_name(aliases, name) == named}
    usual = TIME if TIME in metrics else None
    shown = chosen("metric", metrics, metric or usual, named)
    part = part_of(session, project, window)
    line = part.line
    histories = series_histories(session, project.id, line, region=named, metric=shown)
    machines = sorted({history.series.machine for history in histories})
    wanted = machines if machine is None else [machine]
    if machine is not None:
        name = chosen("machine", machines, machine, named)
        histories = [history for history in histories if history.series.machine == name]
    histories.sort(key=lambda history: -history.positions[-1])
    shifts = regressions.shifts_of(
        session, [history.series.id for history in histories]
    )
    detection = regressions.detection_of(session, project.id)
    details = detection.details if detection else {}
    bad = bad_nights(details, shown)
    commits = tuple(map(commit_of, line.commits))
    return History(
        project=project.name,
        region=named,
        metric=shown,
        regions=tuple(regions),
        metrics=tuple(metrics),
        machines=tuple(machines),
        commits=commits,
        remarks=(
            *line.remarks,
            *details.get("baselines", ()),
            *two_modes(details, histories),
        ),
        series=tuple(
            replace(
                each,
                bad_nights=tuple(
                    at
                    for at in each.positions
                    if commits[at].sha in bad.get(each.machine, ())
                ),
            )
            for each in segments.joined(
                _segmented(session, line, histories[:MOST_SERIES], shifts, newest)
            )
        ),
        regressions=summaries_of(shifts),
        failed=_failed(session, line, shown, wanted, former),
        more=max(len(histories) - MOST_SERIES, 0),
        next=part.next,
    )


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
    aliases = locations.former_names(session, project.id)
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
    positions = tuple(
        sorted(
            position_of[commit_id]
            for commit_id in coverage.commits_on(session, series[0].machine_id)
            if commit_id in position_of
        )
    )
    shifts = regressions.shifts_of(session, [each.id for each in series])
    changes = segments.changes_of(shifts, position_of)
    growths: Mapping[int, str | None] = {}
    if positions:
        newest = line.commits[positions[-1]].id
        growths = verdicts.growths_at(session, newest, [each.id for each in series])
    detection = regressions.detection_of(session, project.id)
    at = {commit.sha: position for position, commit in enumerate(line.commits)}
    begun = [
        (at[each["sha"]], each["series"])
        for each in (detection.details.get("begun", ()) if detection else ())
        if each["sha"] in at
    ]
    histories = [
        segments.SegmentedHistory(
            region=present_name(aliases, each.region),
            machine=each.machine,
            configuration=each.configuration,
            unit=each.unit,
            positions=positions,
            segments=segments.segments_between(
                positions, changes[each.id], growths.get(each.id)
            ),
            changes=tuple(changes[each.id]),
            is_exact=each.is_exact,
            baselines=tuple(
                sorted({since for since, moved in begun if each.id in moved})
            ),
        )
        for each in series
    ]
    histories.sort(
        key=lambda t: (-max((c.last for c in t.changes), default=-1), t.region)
    )
    return History(
        project=project.name,
        region=None,
        metric=shown,
        regions=tuple(sorted({present_name(aliases, region) for region, _ in watched})),
        metrics=tuple(metrics),
        machines=tuple(machines),
        commits=tuple(map(commit_of, line.commits)),
        remarks=line.remarks,
        series=tuple(histories),
        regressions=summaries_of(shifts),
        failed=_failed(session, line, shown, [name]),
        more=0,
        next=part.next,
    )


def _failed(
    session: Session,
    line: Lineage,
    metric: str,
    machines: Collection[str],
    regions: Collection[str] | None = None,
) -> tuple[FailedSeries, ...]:
    """Return what failed at the newest commit that each machine measured."""
    failed: list[FailedSeries] = []
    waiting = {*machines}
    for commit in line.commits[: -LOOKED_BACK - 1 : -1]:
        if not waiting:
            break
        now = CommitSnapshot.of(session, commit)
        if len(machines) == 1:
            now = now.within_bounds(next(iter(machines)))
        series = now.judged([metric], regions)
        newest = [each for each in series if each.machine in waiting]
        failed += FailedSeries.among(newest)
        waiting -= {each.machine for each in newest}
    return tuple(failed)


def chosen(noun: str, known: Sequence[str], wanted: str | None, at: str) -> str:
    """Return the name that is wanted, else the first one known.

    Raises
    ------
    NotMeasured
        If it is not known.
    """
    if wanted is None and known:
        return known[0]
    if wanted is None or wanted not in known:
        raise NotMeasured(noun, wanted or "any", at=at)
    return wanted


def _segmented(
    session: Session,
    line: Lineage,
    histories: Sequence[SeriesHistory],
    shifts: Sequence[RegressionShift],
    newest: int | None,
) -> tuple[segments.SegmentedHistory, ...]:
    position_of = {commit.id: position for position, commit in enumerate(line.commits)}
    by_series = segments.changes_of(shifts, position_of)
    changes = [
        tuple(
            change
            for change in by_series[history.series.id]
            if history.positions[0]
            < change.first
            <= change.last
            <= history.positions[-1]
        )
        for history in histories
    ]
    steady = [
        history
        for history, changed in zip(histories, changes, strict=True)
        if not changed and not history.series.is_exact
    ]
    growths = iter(segments.growths_of(steady))
    steps = HistorySteps(session, line, histories, newest)
    segmented = []
    for history, changed in zip(histories, changes, strict=True):
        exponents, values = segments.exponents_of(history), segments.values_of(history)
        taken = steps.of(history, exponents, values)
        if history.series.is_exact:  # a single commit shows as much as many
            now = str(taken[-1].growth) if taken[-1].growth else None
        else:
            now = None if changed else next(growths)
        segmented.append(
            segments.SegmentedHistory(
                region=history.region,
                machine=history.series.machine,
                configuration=history.series.configuration,
                unit=history.series.unit,
                parameter=history.parameters[0],
                target=target_of(history),
                positions=history.positions,
                exponents=exponents,
                values=values,
                largest=dict(zip(history.parameters, history.settings[-1], strict=True))
                if len(history.settings) > 1
                else {},
                steps=taken,
                segments=segments.segments_between(
                    history.positions, changed, now, exponents, values
                ),
                changes=changed,
                is_exact=history.series.is_exact,
            )
        )
    return tuple(segmented)


def two_modes(
    details: Mapping[str, Any], histories: Sequence[SeriesHistory]
) -> Iterator[str]:
    """Yield a sentence for each of the histories that has two modes.

    Parameters
    ----------
    details
        Of the newest detection.
    """
    known = details.get("modes", {})
    for history in histories:
        modes = known.get(str(history.series.id))
        if modes is not None:
            yield (
                f"{history.series.machine}: two modes, × {modes['factor']:.3g} apart; "
                f"{100 * modes['share']:.0f} % of the commits are at the upper one"
            )


def history_figure(  # noqa: PLR0913 - one per part of the question
    session: Session,
    view: View,
    region: str,
    window: Window = NEWEST,
    *,
    by_date: bool = False,
    shown: Measure = Measure.VALUE,
) -> Figure:
    """Draw the history of a region on the machine of a view, with its configuration.

    Raises
    ------
    NotFound, NotMeasured, AmbiguousReference
        If there is no such project, region, metric, machine, configuration or commit.
    """
    history = history_of(
        session,
        view.project,
        region,
        view.metric,
        view.machine,
        newest=1,
        window=window,
    )
    project = projects.existing(session, view.project)
    names = [row.name for row in machines.of_project(session, project.id)]
    for series in history.series:
        if is_chosen(series, view.configuration):
            drawn = drawn_history(history, series, names.index(series.machine), shown)
            return drawn_histories.history_figure(drawn, by_date=by_date)
    raise NotMeasured("configuration", ", ".join(view.settings), at=region)


def drawn_history(
    history: History, series: segments.SegmentedHistory, slot: int, shown: Measure
) -> DrawnHistory:
    """Return a series of a history as it is drawn; of one setting its values."""
    is_value = series.shows_values(shown)
    return DrawnHistory(
        metric=history.metric,
        slot=slot,
        commits=tuple(map(drawn_commit, history.commits)),
        positions=series.positions,
        values=series.values if is_value else series.exponents,
        eras=series.eras(shown),
        changes=tuple(
            DrawnMark(each.first, each.last, each.is_worse) for each in series.changes
        ),
        parameter=None if is_value else series.parameter or "p",
        at=places_words([tuple(series.largest.items())]) if series.largest else "",
        unit=series.unit,
        bad_nights=series.bad_nights,
        baselines=series.baselines,
    )
