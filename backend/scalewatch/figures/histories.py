"""A series over commits, and its curves before and after a change.

Values over commits are those at the largest setting; behind them each segment has its
median and the range of 90 % of its commits. Exponents have the mean of a segment, the
90 % interval of that, and the colour of its growth class. A curve runs through the
medians of a segment's commits; its band holds 90 % of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any, Final

import numpy as np

from scalewatch.figures.axes import (
    canvas,
    even_axis,
    hover_number,
    metric_axis,
    parameter_axis,
    titled_axis,
)
from scalewatch.figures.colours import PALETTE, growth_class, machine_role
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import growth_markup
from scalewatch.modelling import parse_growth
from scalewatch.modelling.arrays import Reals

MOST_TICKS: Final = 9

Place = float | str
"""Where something is on the axis: a position, or a moment as text."""

LONGEST_SUBJECT: Final = 60
"""Letters of a commit's message in a hover text."""

LEAST_SPAN: Final = 0.2
"""Least span of the axis of exponents, so that noise does not look like growth."""

LEAST_SHARE: Final = 0.1
"""Least span of an axis of values, as a share of them, for the same reason."""

ROOM: Final = 1.25
"""Dots leave so much room that growths are written beside them."""

LABELLED: Final = 0.08
"""Share of the commits that a segment has to hold for its growth to fit above it."""

QUANTILES: Final = (0.05, 0.5, 0.95)
"""Lower end, middle and upper end of what a segment's commits measured."""


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
    commits: Sequence[CommitOnLine], first: int, last: int, title: str = "commits"
) -> dict[str, Any]:
    """Return an axis of positions, with ticks at releases or else evenly."""
    shown = range(first, last + 1)
    ticks = [position for position in shown if commits[position].is_release]
    if not 2 <= len(ticks) <= MOST_TICKS:
        chosen = ticks if len(ticks) > MOST_TICKS else list(shown)
        places = np.linspace(0, len(chosen) - 1, min(len(chosen), MOST_TICKS))
        ticks = [chosen[round(place)] for place in places.tolist()]
    margin = max(0.01 * (last - first), 0.5)
    return titled_axis(title) | {
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


def mark_commits(figure: Figure, first: Place, last: Place, *, is_worse: bool) -> None:
    """Mark the commits that may have made a change: filled if worse, hollow if better.

    Parameters
    ----------
    first, last
        Where they begin and end on the axis.
    """
    role = "worse" if is_worse else "better"
    figure.add_box(
        "rect",
        role,
        first,
        last,
        fillcolor=PALETTE[role if is_worse else "surface"],
        line={"color": PALETTE[role], "width": 1 if is_worse else 2},
        opacity=0.6 if is_worse else 0.9,
        layer="below",
    )


@dataclass(frozen=True, slots=True)
class DrawnEra:
    """The commits between two changes, by position, with their middle and its ends.

    Parameters
    ----------
    growth
        Fills the segment with the colour of its class; None for none.
    middle, low, high
        Mean exponent with its interval, or median with the range of 90 % of the values.
    """

    first: int
    last: int
    growth: str | None
    middle: float | None
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
    slot
        Position of the machine among the project's: it fixes the colour.
    positions, values
        Of its commits; None where a commit tells none.
    parameter
        An exponent y says that the metric is about the parameter to the power of y;
        None for values.
    at, unit
        The largest setting in words, empty where there is one; and the unit of values.
    bad_nights, baselines
        Positions of commits measured in a bad night, and where the machine's state
        changed.
    """

    metric: str
    slot: int
    commits: tuple[CommitOnLine, ...]
    positions: tuple[int, ...]
    values: tuple[float | None, ...]
    eras: tuple[DrawnEra, ...]
    changes: tuple[DrawnMark, ...]
    parameter: str | None = None
    at: str = ""
    unit: str = ""
    bad_nights: tuple[int, ...] = ()
    baselines: tuple[int, ...] = ()

    @property
    def title(self) -> str:
        """The quantity of the vertical axis."""
        if self.parameter is None:
            return self.metric
        return f"slope over the measured range of {self.parameter}"

    @property
    def where(self) -> str:
        """The setting of values, as it follows the name of a quantity."""
        return f" at {self.at}" if self.at and self.parameter is None else ""

    def vertical_axis(self) -> dict[str, Any]:
        """Return an axis with room for what is written beside the dots."""
        is_value = self.parameter is None
        middle, reach = middle_and_reach(self.values, is_value=is_value)
        ends = [middle - ROOM * reach, middle + ROOM * reach]
        if is_value:
            return even_axis(self.title, self.unit, np.array(ends)) | {"range": ends}
        return titled_axis(self.title) | {"range": ends}


def middle_and_reach(
    values: Iterable[float | None], *, is_value: bool
) -> tuple[float, float]:
    """Return the middle of values or exponents over commits, and half of their span.

    The span is so wide at least that noise does not look like a change.
    """
    seen = [each for each in values if each is not None] or [0.0]
    middle = (min(seen) + max(seen)) / 2
    least = (LEAST_SHARE * abs(middle) or 1.0) if is_value else LEAST_SPAN
    return middle, max((max(seen) - min(seen)) / 2, least / 2)


def history_figure(history: DrawnHistory, *, by_date: bool = False) -> Figure:
    """Plot the value or exponent of each commit over commits, evenly or by date."""
    axis = history.vertical_axis()
    first, last = history.positions[0], history.positions[-1]
    figure = canvas()
    figure.update_layout(
        xaxis=titled_axis(f"commits by date{history.where}")
        | {"type": "date", "showgrid": False}
        if by_date
        else commit_axis(history.commits, first, last, f"commits{history.where}"),
        yaxis=axis,
        showlegend=False,
    )

    def place(position: int, side: int = 0) -> Place:
        """Return where a commit is on the axis, or where it ends on a side."""
        if by_date:
            return history.commits[position].made.isoformat()
        return position + side / 2

    for era in history.eras:
        _add_era(figure, era, place(era.first, -1), place(era.last, 1))
        # The growth is written where the dots are not, if there is room.
        if era.growth and era.last - era.first >= LABELLED * max(last - first, 1):
            is_above = (era.middle or 0.0) > sum(axis["range"]) / 2
            figure.layout.setdefault("annotations", []).append(
                {
                    "text": f"O({growth_markup(parse_growth(era.growth))})",
                    "x": place((era.first + era.last) // 2),
                    "xref": "x",
                    "y": 0 if is_above else 1,
                    "yref": "paper",
                    "yanchor": "bottom" if is_above else "top",
                    "showarrow": False,
                }
            )
    for change in history.changes:
        ends = place(change.first, -1), place(change.last, 1)
        mark_commits(figure, *ends, is_worse=change.is_worse)
    for position in history.baselines:
        at, line = (
            place(position),
            {"color": PALETTE["ink"], "dash": "dot", "width": 1.5},
        )
        figure.add_box("line", "ink", at, at, line=line)
    known = [
        (position, value)
        for position, value in zip(history.positions, history.values, strict=True)
        if value is not None
    ]
    role = machine_role(history.slot)
    if history.parameter is None:
        named = escape(history.title + history.where)
        said = f"{named}: {hover_number('y', history.unit)}"
    else:
        power = f"{escape(history.parameter)}<sup>%{{y:.2f}}</sup>"
        said = f"{escape(history.metric)} ∝ {power}"
    figure.add_scatter(
        x=[place(position) for position, _ in known],
        y=np.array([value for _, value in known]),
        mode="markers",
        marker={
            "size": 5,
            "symbol": [
                "x" if position in history.bad_nights else "circle"
                for position, _ in known
            ],
        },
        meta=role,
        **hovered([history.commits[position] for position, _ in known], said),
    )
    return figure


def _add_era(figure: Figure, era: DrawnEra, first: Place, last: Place) -> None:
    """Fill a segment by its growth class, and draw its middle between its ends."""
    if era.growth is not None:
        role = growth_class(parse_growth(era.growth)).role
        figure.add_box(
            *("rect", role, first, last),
            fillcolor=PALETTE[role],
            line={"width": 0},
            opacity=0.28,
            layer="below",
        )
    if era.middle is None:
        return
    if era.low is not None and era.high is not None:
        low, high = [era.low] * 2, [era.high] * 2
        figure.add_band([first, last], low, high, "quiet", 0.35)
    figure.add_scatter(
        x=[first, last],
        y=[era.middle, era.middle],
        mode="lines",
        line={"width": 1.5},
        hoverinfo="skip",
        meta="ink",
    )


@dataclass(frozen=True, slots=True, eq=False)
class DrawnSegment:
    """The commits on one side of a change.

    Parameters
    ----------
    positions
        Of its commits on the line.
    values
        The metric at each commit and setting, shape (commits, settings); NaN where it
        was not measured.
    """

    positions: tuple[int, ...]
    values: Reals

    @property
    def curve(self) -> Reals:
        """The quantiles of each setting, shape (3, settings)."""
        quantiles: Reals = np.nanquantile(self.values, QUANTILES, axis=0)
        return quantiles


@dataclass(frozen=True, slots=True, eq=False)
class DrawnChange:
    """The change of one series.

    Parameters
    ----------
    x
        Settings of the parameter, ascending, all measured on both sides.
    first, last
        Positions of the commits that may have made it.
    slot
        Position of the machine among the project's: it fixes the colour.
    later
        Commits behind those that were compared, up to the newest.
    """

    parameter: str
    metric: str
    unit: str
    slot: int
    x: Reals
    before: DrawnSegment
    after: DrawnSegment
    first: int
    last: int
    is_worse: bool
    commits: tuple[CommitOnLine, ...]
    later: DrawnSegment | None = None


def curves_figure(change: DrawnChange) -> Figure:
    """Plot the curves before, in grey, and after a change."""
    figure = canvas()
    both = np.concatenate([change.before.curve.ravel(), change.after.curve.ravel()])
    figure.update_layout(
        xaxis=parameter_axis(change.parameter, change.x),
        yaxis=metric_axis(change.metric, change.unit, measured=both, drawn=both),
    )
    for name, segment, role in _sides(change):
        low, middle, high = segment.curve
        figure.add_band(change.x, low, high, role, 0.2, showlegend=False)
        figure.add_scatter(
            x=change.x,
            y=middle,
            mode="lines+markers",
            line={"width": 2},
            marker={"size": 6},
            customdata=np.column_stack([low, high]),
            hovertemplate=(
                f"{escape(change.parameter)} = %{{x:,}}<br>"
                f"{name}: median {hover_number('y', change.unit)}<br>"
                f"90 % of the commits from "
                f"{hover_number('customdata[0]', change.unit)} to "
                f"{hover_number('customdata[1]', change.unit)}<extra></extra>"
            ),
            name=name,
            meta=role,
        )
    return figure


def strip_figure(change: DrawnChange) -> Figure:
    """Plot the metric at the largest setting from before a change to the newest."""
    figure = canvas()
    sides = _sides(change)
    if change.later is not None and change.later.positions:
        number = len(change.later.positions)
        name = f"since then ({number:,} commit{'s' * (number > 1)})"
        sides.append((name, change.later, "quiet"))
    at_largest = [segment.values[:, -1] for _, segment, _ in sides]
    values = np.concatenate(at_largest)
    values = values[~np.isnan(values)]
    x = [position for _, segment, _ in sides for position in segment.positions]
    at = f" at {change.parameter} = {change.x[-1]:,g}" if change.x.size > 1 else ""
    name = f"{change.metric}{at}"
    figure.update_layout(
        xaxis=commit_axis(change.commits, min(x), max(x)),
        yaxis=metric_axis(name, change.unit, measured=values, drawn=values),
    )
    mark_commits(
        figure, change.first - 0.5, change.last + 0.5, is_worse=change.is_worse
    )
    for label, segment, role in sides:
        commits = [change.commits[position] for position in segment.positions]
        figure.add_scatter(
            x=list(segment.positions),
            y=segment.values[:, -1],
            mode="markers",
            marker={"size": 5},
            name=label,
            meta=role,
            **hovered(commits, f"%{{y:.3~s}}{escape(change.unit)}"),
        )
    return figure


def _sides(change: DrawnChange) -> list[tuple[str, DrawnSegment, str]]:
    """Return both sides with their names in the legend and roles of their colours."""
    sides = []
    for side, segment, role in (
        ("before", change.before, "quiet"),
        ("after", change.after, machine_role(change.slot)),
    ):
        number = len(segment.positions)
        name = f"{side} ({number:,} commit{'s' * (number > 1)})"
        sides.append((name, segment, role))
    return sides
