"""The figure of a history: a series over its commits."""

from sqlalchemy.orm import Session

from scalewatch.errors import NotMeasured
from scalewatch.figures.figure import Figure
from scalewatch.figures.histories.exponents import (
    DrawnEra,
    DrawnHistory,
    DrawnMark,
    exponents_figure,
)
from scalewatch.services.commits.drawn import drawn_commit
from scalewatch.services.histories.paging import NEWEST, Window
from scalewatch.services.histories.region import History, history_of
from scalewatch.services.histories.segments import SegmentedHistory
from scalewatch.services.selection.view import View, is_chosen
from scalewatch.storage.access import projects
from scalewatch.storage.machines import machines


def history_figure(
    session: Session,
    view: View,
    region: str,
    window: Window = NEWEST,
    *,
    by_date: bool = False,
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
            drawn = drawn_history(history, series, names.index(series.machine))
            return exponents_figure(drawn, by_date=by_date)
    raise NotMeasured("configuration", ", ".join(view.settings), at=region)


def drawn_history(
    history: History, series: SegmentedHistory, slot: int
) -> DrawnHistory:
    """Return a series of a history as it is drawn."""
    return DrawnHistory(
        parameter=series.parameter or "p",
        metric=history.metric,
        slot=slot,
        commits=tuple(map(drawn_commit, history.commits)),
        positions=series.positions,
        exponents=series.exponents,
        eras=tuple(
            DrawnEra(
                each.first, each.last, each.growth, each.exponent, each.low, each.high
            )
            for each in series.segments
        ),
        changes=tuple(
            DrawnMark(each.first, each.last, each.is_worse) for each in series.changes
        ),
        bad_nights=series.bad_nights,
        baselines=series.baselines,
    )
