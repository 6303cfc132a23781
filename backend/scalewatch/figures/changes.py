"""A change of a series: its curves before and after, and the commits around it.

A curve runs through the medians of a segment's commits; its band holds 90 % of them.
"""

from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np

from scalewatch.figures.axes import canvas, hover_number, metric_axis, parameter_axis
from scalewatch.figures.colours import PALETTE, machine_role
from scalewatch.figures.figure import Figure
from scalewatch.figures.histories import (
    CommitOnLine,
    commit_axis,
    hovered,
    mark_commits,
)
from scalewatch.modelling.arrays import Reals

QUANTILES: Final = (0.05, 0.5, 0.95)
"""Lower end, middle and upper end of what a segment's commits measured."""


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
            line={"color": PALETTE[role], "width": 2},
            marker={"color": PALETTE[role], "size": 6},
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
    """Plot the metric at the largest setting over the commits around a change."""
    figure = canvas()
    at_largest = [segment.values[:, -1] for _, segment, _ in _sides(change)]
    values = np.concatenate(at_largest)
    values = values[~np.isnan(values)]
    x = [*change.before.positions, *change.after.positions]
    name = f"{change.metric} at {change.parameter} = {change.x[-1]:,g}"
    figure.update_layout(
        xaxis=commit_axis(change.commits, min(x), max(x)),
        yaxis=metric_axis(name, change.unit, measured=values, drawn=values),
    )
    mark_commits(
        figure, change.first - 0.5, change.last + 0.5, is_worse=change.is_worse
    )
    for label, segment, role in _sides(change):
        commits = [change.commits[position] for position in segment.positions]
        figure.add_scatter(
            x=list(segment.positions),
            y=segment.values[:, -1],
            mode="markers",
            marker={"color": PALETTE[role], "size": 5},
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
