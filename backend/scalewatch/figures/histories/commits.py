"""Commits as the axis of a figure: their ticks, hover texts and marks.

A point of a commit has the commit's hash as its id, by which a page opens it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any, Final

import numpy as np

from scalewatch.figures.axes import titled_axis
from scalewatch.figures.colours import PALETTE
from scalewatch.figures.figure import Figure

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
