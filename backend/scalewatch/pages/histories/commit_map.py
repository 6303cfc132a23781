"""The rows of the map of regions × commits, as HTML.

A map has hundreds of them: written here they cost a fifth of what a template takes. All
that people have named is escaped; the rest is our own.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Final

from markupsafe import Markup, escape

from scalewatch.figures.colours import GrowthClass, class_of_text
from scalewatch.pages.histories.charts import history_sentence
from scalewatch.pages.wording.formats import breakable, settings
from scalewatch.pages.wording.intervals import factor_words
from scalewatch.services.commits.find import Commit
from scalewatch.services.histories import histories, segments

WIDTH: Final = 1000.0
"""Width of a row, in the units of its picture."""

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

    series: segments.SegmentedHistory
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


def heat_map(history: histories.History, *, by_date: bool) -> HeatMap:
    """Return the heat map of a machine's regions."""
    edges = _edges(history.commits, by_date=by_date)
    worst_first = sorted(history.series, key=badness)
    tagged = [
        (edges[at], commit.tag)
        for at, commit in enumerate(history.commits)
        if commit.tag is not None
    ]
    baselines = {at for series in history.series for at in series.baselines}
    return HeatMap(
        rows=tuple(_heat_row(history, series, edges) for series in worst_first),
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


def _heat_row(
    history: histories.History,
    series: segments.SegmentedHistory,
    edges: Sequence[float],
) -> HeatRow:
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


def badness(series: segments.SegmentedHistory) -> tuple[float, float, str]:
    """Order series: the largest change for the worse first, then those for the better.

    Rows of the map are in this order.
    """
    sizes = [(change.is_worse, abs(log(change.factor))) for change in series.changes]
    worse = max((size for is_worse, size in sizes if is_worse), default=0.0)
    better = max((size for is_worse, size in sizes if not is_worse), default=0.0)
    return -worse, -better, series.region


Address = Callable[[str], str]

NONE: Final = frozenset[str]()


def commit_map_rows(heat: HeatMap, region_of: Address, report_of: Address) -> Markup:
    """Write a row for each region: its name, and its growth classes over commits.

    Parameters
    ----------
    region_of, report_of
        Return the address of the history of a region, and of the report of a commit.
    """
    baselines = "".join(
        f'<line class="commit-map__baseline" x1="{x:.1f}" x2="{x:.1f}" y2="10"></line>'
        for x in heat.baselines
    )
    telling = _telling(heat.rows)
    rows = [
        _row(row, baselines, region_of, report_of, telling.get(row.series.region, NONE))
        for row in heat.rows
    ]
    return Markup("\n".join(rows))  # noqa: S704, its parts are escaped


def _telling(rows: Iterable[HeatRow]) -> dict[str, frozenset[str]]:
    """Return the names of the settings in which the rows of a region differ."""
    known = defaultdict(list)
    for row in rows:
        known[row.series.region].append(row.series.configuration)
    return {
        region: frozenset(
            name
            for name in set().union(*held)
            if len({str(each.get(name)) for each in held}) > 1
        )
        for region, held in known.items()
        if len(held) > 1
    }


def _row(
    row: HeatRow,
    baselines: str,
    region_of: Address,
    report_of: Address,
    telling: Collection[str],
) -> str:
    name, sentence = escape(row.series.region), escape(row.sentence)
    held_settings = {
        key: row.series.configuration.get(key, "–") for key in sorted(telling)
    }
    held = whole = ""
    if held_settings:
        whole = f" {escape(settings(held_settings))}"
        text = breakable(settings(held_settings))
        held = f' <span class="commit-map__held quiet small">{text}</span>'
    exact = ' <span class="quiet small">exact</span>' if row.series.is_exact else ""
    role = "group" if row.edges else "img"
    eras, full = _eras(row.eras), ""
    if {(each.x, each.growth_class) for each in row.eras} == {(0.0, None)}:
        is_full = row.eras[0].width >= WIDTH
        eras, full = ("", " commit-map__row--full") if is_full else (eras, "")
    edges = ""
    for edge in row.edges:
        title = escape(edge.title)
        worse = " commit-map__edge--worse" if edge.is_worse else ""
        edges += (
            f'<a href="{escape(report_of(edge.label))}" aria-label="{title}">'
            f'<rect class="commit-map__edge{worse}" x="{edge.x - 1.5:.1f}" width="5" '
            f'height="10"><title>{title}</title></rect></a>'
        )
    return (
        f'<tr><th scope="row"><a href="{escape(region_of(row.series.region))}" '
        f'title="{name}{whole}: {sentence}" dir="auto">{name}</a>{held}{exact}</th>'
        f'<td><svg class="commit-map__row{full}" viewBox="0 0 1000 10" '
        f'preserveAspectRatio="none" role="{role}" aria-label="{sentence}">'
        f"{eras}{baselines}{edges}</svg></td></tr>"
    )


# Cached: most regions of a machine were measured at the same commits.
@lru_cache(maxsize=1024)
def _eras(eras: tuple[Era, ...]) -> str:
    rects = []
    for era in eras:
        growth = f" growth--{era.growth_class.step}" if era.growth_class else ""
        rects.append(
            f'<rect class="commit-map__era{growth}" x="{era.x:.1f}" '
            f'width="{era.width:.1f}" height="10"></rect>'
        )
    return "".join(rects)
