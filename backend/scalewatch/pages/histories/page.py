"""The page of histories."""

from dataclasses import replace
from typing import Final

from fastapi import APIRouter, Request, Response

from scalewatch.errors import NotMeasured
from scalewatch.exporters.listing import Columns, Listing
from scalewatch.pages.histories import charts, commit_map
from scalewatch.pages.rendering import navigation, plots, templates
from scalewatch.pages.rendering.addresses import Query, path_to
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.wording.formats import assignments, stated
from scalewatch.services.histories.commits import (
    Axis,
    HistoryStep,
    Measure,
    Span,
    Window,
)
from scalewatch.services.histories.histories import History, history_of, overview_of
from scalewatch.services.histories.segments import (
    Segment,
    SegmentedHistory,
    StoredChange,
)
from scalewatch.services.selection.pages import ROW_CELLS, Page
from scalewatch.web.queries import CursorQuery
from scalewatch.web.sessions import ReadingDep

NEWEST: Final = 10
"""Commits of each machine that the table on the page lists."""

MOST_CHANGES: Final = 100
"""Changes that the table on the page lists."""

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


@router.get("/p/{project}/history", name="history")
def show_history(  # noqa: PLR0913, PLR0917 - one per parameter of the query
    request: Request,
    session: ReadingDep,
    project: str,
    region: str | None = None,
    metric: str | None = None,
    machine: str | None = None,
    axis: Axis = Axis.COMMIT,
    show: Measure = Measure.VALUE,
    before: str | None = None,
    last: Span = Span.USUAL,
    cursor: CursorQuery = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show a region at every commit, or how all regions changed."""
    window = Window(before or None, last.limit)
    try:
        history = (
            history_of(
                session,
                project,
                region,
                metric or None,
                machine or None,
                newest=NEWEST if wanted is Format.HTML else None,
                window=window,
            )
            if region
            else overview_of(session, project, metric or None, machine or None, window)
        )
    except NotMeasured:
        if region or metric or machine or wanted is not Format.HTML:
            raise
        return templates.render(request, "histories/empty.html", project=project)
    if wanted is not Format.HTML:
        name = f"{project}-{history.region or 'all'}-{history.metric}-history"
        return download(
            wanted, name, history, steps if history.region else segments, changes
        )
    project = history.project
    by_date = axis is Axis.DATE
    heat = page = None
    if not history.region:
        worst_first = sorted(history.series, key=commit_map.badness)
        page = Page.of(worst_first, cursor, ROW_CELLS)
        part = replace(history, series=tuple(page.rows))
        heat = commit_map.heat_map(part, by_date=by_date)
    query: Query = {
        "region": history.region,
        "metric": history.metric,
        "machine": machine or (None if region else history.series[0].machine),
        "axis": axis if axis is not Axis.COMMIT else None,
        "show": show if show is not Measure.VALUE else None,
        "before": before,
        "last": last if last is not Span.USUAL else None,
    }
    plot = None
    if history.region and len(history.series) == 1:
        (series,) = history.series
        about: Query = {
            "project": history.project,
            **query,
            "machine": series.machine,
            "configuration": stated(series.configuration),
        }
        plot = plots.Plot(path_to(request, "history-figure", about))
    drawn = charts.charts(history, show, by_date=by_date) if history.region else []
    return templates.render(
        request,
        "histories/show.html",
        history=history,
        charts=drawn,
        usual=charts.usual_sentence(drawn),
        releases=charts.releases(history, by_date=by_date) if history.region else (),
        heat=heat,
        page=page,
        map_rows=heat
        and commit_map.commit_map_rows(
            heat,
            lambda region: path_to(
                request, "history", {**query, "region": region}, project=project
            ),
            lambda sha: path_to(request, "commit-report", project=project, sha=sha),
        ),
        plot=plot,
        changed=[
            (series, change)
            for series in history.series
            for change in reversed(series.changes)
        ],
        most_changes=MOST_CHANGES,
        overview_sentence=charts.overview_sentence,
        is_long_enough=charts.is_long_enough(history),
        axis=axis,
        show=show,
        last=last,
        size={"width": charts.WIDTH, "height": charts.HEIGHT, "left": charts.LEFT},
        query=query,
    )


def steps(history: History) -> Listing:
    """Return a history with one line per series and commit."""
    commits = history.commits
    return Columns[SegmentedHistory, HistoryStep](
        {
            "machine": lambda series, _: series.machine,
            "configuration": lambda series, _: assignments(series.configuration),
            "commit": lambda _, step: commits[step.position].label,
            "sha": lambda _, step: commits[step.position].sha,
            "value": lambda _, step: step.value,
            "growth": lambda _, step: step.growth,
            "exponent": lambda _, step: step.exponent,
            "constant": lambda _, step: step.constant,
            "coefficient": lambda _, step: step.coefficient,
            "at_target": lambda _, step: step.at_target,
            "target": lambda series, _: series.target,
            "verdict": lambda _, step: step.verdict,
            "expectation_version": lambda _, step: step.expectation_version,
        }
    ).listing((series, step) for series in history.series for step in series.steps)


def segments(history: History) -> Listing:
    """Return a history with one line per series and segment."""
    commits = history.commits
    return Columns[SegmentedHistory, Segment](
        {
            "region": lambda series, _: series.region,
            "machine": lambda series, _: series.machine,
            "configuration": lambda series, _: assignments(series.configuration),
            "first": lambda _, segment: commits[segment.first].label,
            "last": lambda _, segment: commits[segment.last].label,
            "growth": lambda _, segment: segment.growth,
        }
    ).listing(
        (series, segment) for series in history.series for segment in series.segments
    )


def changes(history: History) -> Listing:
    """Return the changes of a history."""
    commits = history.commits
    return Columns[SegmentedHistory, StoredChange](
        {
            "Region": lambda series, _: series.region,
            "Machine": lambda series, _: series.machine,
            "Change": lambda _, change: change.kind,
            "First": lambda _, change: commits[change.first].label,
            "Last": lambda _, change: commits[change.last].label,
            "Factor": lambda _, change: change.factor,
            "Probability": lambda _, change: change.probability,
        }
    ).listing(
        (series, change) for series in history.series for change in series.changes
    )
