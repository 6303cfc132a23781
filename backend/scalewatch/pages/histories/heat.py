"""The heat map of regions and commits: a row of growth classes for each region.

A regression is an edge in its row, a new state of the machine an edge through all rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Final

from scalewatch.figures.colours import GrowthClass, class_of_text
from scalewatch.pages.histories.sentences import history_sentence
from scalewatch.pages.wording.factors import factor_words
from scalewatch.services.commits.find import Commit
from scalewatch.services.histories.region import History
from scalewatch.services.histories.segments import SegmentedHistory

WIDTH: Final = 1000.0
"""Of a row, in the units of its picture."""

MOST_LABELS: Final = 10
"""Releases that are named above the rows."""


@dataclass(frozen=True, slots=True)
class Era:
    """Commits in a row that have the growth class of a segment, and were measured."""

    x: float
    width: float
    growth_class: GrowthClass | None


@dataclass(frozen=True, slots=True)
class Edge:
    """The commit of a change, which it leads to."""

    x: float
    label: str
    title: str
    is_worse: bool


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A region on the machine, with the sentence that says what its row shows."""

    series: SegmentedHistory
    eras: tuple[Era, ...]
    edges: tuple[Edge, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Rows on a common axis of commits, worst first.

    Parameters
    ----------
    releases, baselines
        Where commits with a tag are, and where the machine's state changed.
    """

    rows: tuple[HeatRow, ...]
    releases: tuple[tuple[float, str], ...]
    baselines: tuple[float, ...]


def heat_map(history: History, *, by_date: bool) -> HeatMap:
    """Return the heat map of a machine's regions."""
    edges = _edges(history.commits, by_date=by_date)
    rows = [_row(history, series, edges) for series in history.series]
    tagged = [
        (edges[at], commit.tag)
        for at, commit in enumerate(history.commits)
        if commit.tag is not None
    ]
    baselines = {at for series in history.series for at in series.baselines}
    return HeatMap(
        rows=tuple(sorted(rows, key=_badness)),
        releases=tuple(tagged[:: len(tagged) // MOST_LABELS + 1]),
        baselines=tuple(edges[at] for at in sorted(baselines)),
    )


def _edges(commits: Sequence[Commit], *, by_date: bool) -> list[float]:
    """Return where each commit begins on the axis, and where the last one ends."""
    number = len(commits)
    if not by_date or number < 2:
        return [WIDTH * at / max(number, 1) for at in range(number + 1)]
    times = [(c.committed_at or c.first_run_at).timestamp() for c in commits]
    first, last = min(times), max(times)
    span = (last - first) or 1.0
    return [WIDTH * (time - first) / span for time in times] + [WIDTH]


def _row(history: History, series: SegmentedHistory, edges: Sequence[float]) -> HeatRow:
    measured = {*series.positions}
    eras = []
    for segment in series.segments:
        begin = segment.first
        for at in range(segment.first, segment.last + 2):
            if at <= segment.last and at in measured:
                continue
            if at > begin:
                width = edges[at] - edges[begin]
                eras.append(Era(edges[begin], width, class_of_text(segment.growth)))
            begin = at + 1
    return HeatRow(
        series=series,
        eras=tuple(eras),
        edges=tuple(
            Edge(
                x=edges[change.last],
                label=history.commits[change.last].label,
                title=(
                    f"{history.commits[change.last].label}: "
                    f"{factor_words(change.factor, history.metric, change.largest)}"
                ),
                is_worse=change.is_worse,
            )
            for change in series.changes
        ),
        sentence=history_sentence(history, series),
    )


def _badness(row: HeatRow) -> tuple[float, float, str]:
    """Order rows: the largest change for the worse first, then those for the better."""
    sizes = [
        (change.is_worse, abs(log(change.factor))) for change in row.series.changes
    ]
    worse = max((size for is_worse, size in sizes if is_worse), default=0.0)
    better = max((size for is_worse, size in sizes if not is_worse), default=0.0)
    return -worse, -better, row.series.region
