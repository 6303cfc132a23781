"""The evidence of a regression: the measurements before and after its change."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.errors import NotFound
from scalewatch.figures.axes import nothing
from scalewatch.figures.figure import Figure
from scalewatch.figures.histories import (
    DrawnChange,
    DrawnSegment,
    curves_figure,
    strip_figure,
)
from scalewatch.services.commits.lineage import commits_on
from scalewatch.services.commits.main_line import watched_line
from scalewatch.services.common_mode.project_history import (
    SeriesHistory,
    series_histories,
)
from scalewatch.services.regressions.regressions import (
    Member,
    Regression,
    regression_of,
)
from scalewatch.storage import machines
from scalewatch.storage.access import projects

GONE: Final = "its commits are no longer among those that are watched"

FIGURES: Final[Mapping[str, Callable[[DrawnChange], Figure]]] = {
    "curves": curves_figure,
    "strip": strip_figure,
}


def figures_of(regression: Regression) -> Sequence[str]:
    """Return the figures of a regression; one setting has no curve."""
    names = [*FIGURES] if regression.members else []
    if regression.has_one_setting:
        names = [name for name in names if name != "curves"]
    return names


def evidence_figure(
    session: Session, project_name: str, number: int, figure: str, series: int = 0
) -> Figure:
    """Draw the evidence of a series of a regression, by default of the worst.

    Parameters
    ----------
    series
        Place of the series among those of the regression, the worst first.

    Raises
    ------
    NotFound
        If there is no such project, regression, series or figure.
    """
    regression = regression_of(session, project_name, number)
    if figure not in FIGURES:
        raise NotFound("figure", f"regression-{figure}")
    if series >= len(regression.members):
        raise NotFound("series", series)
    drawn = drawn_change(session, project_name, regression, regression.members[series])
    return nothing(GONE) if drawn is None else FIGURES[figure](drawn)


def drawn_change(
    session: Session, project_name: str, regression: Regression, member: Member
) -> DrawnChange | None:
    """Return the measurements around a change; None where they are gone."""
    project = projects.existing(session, project_name)
    line = watched_line(session, project.id)
    position_of = {each.sha: position for position, each in enumerate(line.commits)}
    first = position_of.get(member.first_sha)
    last = position_of.get(member.last_sha)
    if first is None or last is None:
        return None
    histories = series_histories(
        session, project.id, line, region=member.region, metric=member.metric
    )
    history = next(
        (
            each
            for each in histories
            if each.series.id == member.series_id
            and each.positions[0] < first
            and last <= each.positions[-1]
        ),
        None,
    )
    if history is None:
        return None
    before, after = _sides(history, member, first, last)
    columns = _columns(history, before, after)
    if not columns.size:
        return None
    names = [row.name for row in machines.of_project(session, project.id)]
    return DrawnChange(
        parameter=history.parameters[0],
        metric=member.metric,
        unit=history.series.unit,
        slot=names.index(member.machine),
        x=np.array([history.settings[column][0] for column in columns]),
        before=_segment(history, before, columns),
        after=_segment(history, after, columns),
        first=first,
        last=last,
        is_worse=regression.is_worse,
        commits=commits_on(line),
        later=_segment(history, slice(after.stop, None), columns),
    )


def _sides(
    history: SeriesHistory, member: Member, first: int, last: int
) -> tuple[slice, slice]:
    """Return the commits of a history before and after the change, as it was stored."""
    begin = int(np.searchsorted(history.positions, first))
    end = int(np.searchsorted(history.positions, last))
    details = member.details
    return (
        slice(max(begin - max(details.commits_before, 1), 0), begin),
        slice(end, end + max(details.commits_after, 1)),
    )


def _columns(history: SeriesHistory, before: slice, after: slice) -> np.ndarray:
    """Return the settings that both sides measured, the others at their largest."""
    settings = np.array(history.settings)
    is_largest = (settings[:, 1:] == settings[:, 1:].max(axis=0, initial=0)).all(axis=1)
    is_known = np.all(
        [~np.isnan(history.log[side]).all(axis=0) for side in (before, after)], axis=0
    )
    return np.flatnonzero(is_largest & is_known)


def _segment(history: SeriesHistory, side: slice, columns: np.ndarray) -> DrawnSegment:
    return DrawnSegment(
        positions=history.positions[side],
        values=np.exp(history.log[side][:, columns]),
    )
