"""The exponent of a series over commits, with its segments and changes.

Behind the dots each segment is filled in the colour of its growth class, with the mean
of its exponents and the 90 % interval of that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any, Final

import numpy as np

from scalewatch.figures.axes import canvas, titled_axis
from scalewatch.figures.colours import PALETTE, growth_class, machine_role
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import growth_markup
from scalewatch.modelling import parse_growth

MOST_TICKS: Final = 9

Place = float | str
"""Where something is on the axis: a position, or a moment as text."""

LONGEST_SUBJECT: Final = 60
"""Letters of a commit's message in a hover text."""


@dataclass(frozen=True, slots=True)
class CommitOnLine:
    """A commit as figures name it.

    Parameters
    ----------
    made
        When it was made or, where nobody said, measured first.
    is_release
        Whether it has a tag, which is its label then.
    """

    sha: str
    label: str
    subject: str
    made: datetime
    is_release: bool

    @property
    def hover(self) -> str:
        """The commit in a hover text: label, message and day."""
        is_long = len(self.subject) > LONGEST_SUBJECT
        subject = self.subject[: LONGEST_SUBJECT - 1] + "…" if is_long else self.subject
        day = self.made.date().isoformat()
        lines = (f"<b>{escape(self.label)}</b>", escape(subject), day)
        return "<br>".join(filter(None, lines))


def commit_axis(
    commits: Sequence[CommitOnLine], first: int, last: int
) -> dict[str, Any]:
    """Return an axis of positions, with ticks at releases or else evenly."""
    shown = range(first, last + 1)
    ticks = [position for position in shown if commits[position].is_release]
    if not 2 <= len(ticks) <= MOST_TICKS:
        chosen = ticks if len(ticks) > MOST_TICKS else list(shown)
        places = np.linspace(0, len(chosen) - 1, min(len(chosen), MOST_TICKS))
        ticks = [chosen[round(place)] for place in places.tolist()]
    margin = max(0.01 * (last - first), 0.5)
    return titled_axis("commits") | {
        "tickmode": "array",
        "tickvals": ticks,
        "ticktext": [escape(commits[position].label) for position in ticks],
        "range": [first - margin, last + margin],
        "showgrid": False,
    }


def hovered(commits: Sequence[CommitOnLine], value: str) -> dict[str, Any]:
    """Return attributes of points, one per commit, that tell and open it."""
    return {
        "ids": [commit.sha for commit in commits],
        "text": [commit.hover for commit in commits],
        "hovertemplate": f"%{{text}}<br>{value}<extra></extra>",
    }


def date_axis() -> dict[str, Any]:
    """Return an axis of the moments when commits were made."""
    return titled_axis("commits by date") | {"type": "date", "showgrid": False}


def mark_commits(figure: Figure, first: Place, last: Place, *, is_worse: bool) -> None:
    """Mark the commits that may have made a change: filled if worse, hollow if better.

    Parameters
    ----------
    first, last
        Where they begin and end on the axis.
    """
    role = "worse" if is_worse else "better"
    figure.add_shape(
        name=role,
        type="rect",
        xref="x",
        yref="paper",
        x0=first,
        x1=last,
        y0=0,
        y1=1,
        fillcolor=PALETTE[role if is_worse else "surface"],
        line={"color": PALETTE[role], "width": 1 if is_worse else 2},
        opacity=0.6 if is_worse else 0.9,
        layer="below",
    )


LEAST_SPAN: Final = 0.2
"""Least span of the axis of exponents, so that noise does not look like growth."""

ROOM: Final = 1.25
"""Exponents leave so much room that growths are written beside the dots."""

LABELLED: Final = 0.08
"""Share of the commits that a segment has to hold for its growth to fit above it."""


@dataclass(frozen=True, slots=True)
class DrawnEra:
    """The commits between two changes, by position, and their mean exponent."""

    first: int
    last: int
    growth: str | None
    exponent: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class DrawnMark:
    """The commits that may have made a change, by position."""

    first: int
    last: int
    is_worse: bool


@dataclass(frozen=True, slots=True)
class DrawnHistory:
    """The history of one series.

    Parameters
    ----------
    parameter, metric
        The exponent y says that the metric is about the parameter to the power of y.
    slot
        Position of the machine among the project's: it fixes the colour.
    positions, exponents
        Of its commits; None where a commit tells none.
    bad_nights, baselines
        Positions of commits measured in a bad night, and where the machine's state
        changed.
    """

    parameter: str
    metric: str
    slot: int
    commits: tuple[CommitOnLine, ...]
    positions: tuple[int, ...]
    exponents: tuple[float | None, ...]
    eras: tuple[DrawnEra, ...]
    changes: tuple[DrawnMark, ...]
    bad_nights: tuple[int, ...] = ()
    baselines: tuple[int, ...] = ()


def exponents_figure(history: DrawnHistory, *, by_date: bool = False) -> Figure:
    """Plot the exponent of each commit over commits, evenly or by their dates."""
    figure = canvas()
    x_axis = (
        date_axis()
        if by_date
        else commit_axis(history.commits, history.positions[0], history.positions[-1])
    )
    title = f"exponent of {history.parameter}"
    figure.update_layout(
        xaxis=x_axis,
        yaxis=titled_axis(title) | {"range": _range(history)},
        showlegend=False,
    )
    for era in history.eras:
        _add_era(figure, history, era, by_date=by_date)
    for change in history.changes:
        mark_commits(
            figure,
            _edge(history.commits, change.first, -1, by_date=by_date),
            _edge(history.commits, change.last, 1, by_date=by_date),
            is_worse=change.is_worse,
        )
    for position in history.baselines:
        _add_baseline(figure, _place(history.commits, position, by_date=by_date))
    _add_dots(figure, history, by_date=by_date)
    return figure


def _place(commits: Sequence[CommitOnLine], position: int, *, by_date: bool) -> Place:
    return commits[position].made.isoformat() if by_date else float(position)


def _edge(
    commits: Sequence[CommitOnLine], position: int, side: int, *, by_date: bool
) -> Place:
    """Return where what holds a commit ends on one side."""
    if by_date:
        return commits[position].made.isoformat()
    return position + side / 2


def _range(history: DrawnHistory) -> list[float]:
    seen = [each for each in history.exponents if each is not None]
    if not seen:
        return [-LEAST_SPAN / 2, LEAST_SPAN / 2]
    middle = (min(seen) + max(seen)) / 2
    reach = max((max(seen) - min(seen)) / 2, LEAST_SPAN / 2) * ROOM
    return [middle - reach, middle + reach]


def _add_era(
    figure: Figure, history: DrawnHistory, era: DrawnEra, *, by_date: bool
) -> None:
    """Fill a segment by its growth class, and draw its mean with the interval."""
    ends = (
        _edge(history.commits, era.first, -1, by_date=by_date),
        _edge(history.commits, era.last, 1, by_date=by_date),
    )
    if era.growth is not None:
        _fill(figure, ends, era.growth)
        middle = _place(history.commits, (era.first + era.last) // 2, by_date=by_date)
        _label(figure, history, era, middle)
    if era.exponent is not None:
        _add_mean(figure, ends, era)


def _fill(figure: Figure, ends: tuple[Place, Place], growth: str) -> None:
    role = growth_class(parse_growth(growth)).role
    figure.add_shape(
        name=role,
        type="rect",
        xref="x",
        yref="paper",
        x0=ends[0],
        x1=ends[1],
        y0=0,
        y1=1,
        fillcolor=PALETTE[role],
        line={"width": 0},
        opacity=0.28,
        layer="below",
    )


def _label(figure: Figure, history: DrawnHistory, era: DrawnEra, x: Place) -> None:
    """Write the growth of a segment where its dots are not, if there is room."""
    commits = history.positions[-1] - history.positions[0]
    if era.growth is None or era.last - era.first < LABELLED * max(commits, 1):
        return
    is_above = (era.exponent or 0.0) > sum(_range(history)) / 2
    figure.layout.setdefault("annotations", []).append(
        {
            "text": f"O({growth_markup(parse_growth(era.growth))})",
            "x": x,
            "xref": "x",
            "y": 0 if is_above else 1,
            "yref": "paper",
            "yanchor": "bottom" if is_above else "top",
            "showarrow": False,
        }
    )


def _add_mean(figure: Figure, ends: tuple[Place, Place], era: DrawnEra) -> None:
    if era.low is not None and era.high is not None:
        figure.add_scatter(
            x=[ends[0], ends[1], ends[1], ends[0]],
            y=[era.low, era.low, era.high, era.high],
            mode="lines",
            fill="toself",
            fillcolor=PALETTE["quiet"],
            line={"width": 0},
            opacity=0.35,
            hoverinfo="skip",
            meta="quiet",
        )
    figure.add_scatter(
        x=[*ends],
        y=[era.exponent, era.exponent],
        mode="lines",
        line={"color": PALETTE["ink"], "width": 1.5},
        hoverinfo="skip",
        meta="ink",
    )


def _add_baseline(figure: Figure, place: Place) -> None:
    figure.add_shape(
        name="ink",
        type="line",
        xref="x",
        yref="paper",
        x0=place,
        x1=place,
        y0=0,
        y1=1,
        line={"color": PALETTE["ink"], "dash": "dot", "width": 1.5},
    )


def _add_dots(figure: Figure, history: DrawnHistory, *, by_date: bool) -> None:
    known = [
        (position, exponent)
        for position, exponent in zip(history.positions, history.exponents, strict=True)
        if exponent is not None
    ]
    commits = [history.commits[position] for position, _ in known]
    bad = {*history.bad_nights}
    role = machine_role(history.slot)
    power = f"{escape(history.parameter)}<sup>%{{y:.2f}}</sup>"
    figure.add_scatter(
        x=[_place(history.commits, position, by_date=by_date) for position, _ in known],
        y=np.array([exponent for _, exponent in known]),
        mode="markers",
        marker={
            "color": PALETTE[role],
            "size": 5,
            "symbol": ["x" if at in bad else "circle" for at, _ in known],
        },
        meta=role,
        **hovered(commits, f"{escape(history.metric)} ∝ {power}"),
    )
