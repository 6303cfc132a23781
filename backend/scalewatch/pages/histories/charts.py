"""Small charts of a history, drawn by the server: they need no script.

Values or exponents over commits as dots; behind them a band per segment with its middle
and its ends, coloured by its growth; changes as vertical marks, releases as ticks.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from scalewatch.figures.colours import GrowthClass, class_of_text
from scalewatch.figures.histories import middle_and_reach
from scalewatch.modelling import parse_growth
from scalewatch.pages.wording.formats import day, plural, quantity
from scalewatch.pages.wording.intervals import factor_words
from scalewatch.pages.wording.mathematics import verb
from scalewatch.pages.wording.sentences import metric_words
from scalewatch.services.commits.find import Commit
from scalewatch.services.histories.commits import Measure
from scalewatch.services.histories.histories import History
from scalewatch.services.histories.segments import (
    SegmentedHistory,
    StoredChange,
    telling,
)
from scalewatch.texts.numbers import significant

FEWEST_COMMITS: Final = 9
"""A change of what scatters is told from this many commits on."""

FEW_ALIKE: Final = 2
"""Plots that say the same, each at its place; of more it is said once, above."""


def history_sentence(history: History, series: SegmentedHistory) -> str:
    """Say since when a series is as it is, and how much worse or better that is."""
    change = telling(series.changes)
    if series.values and not series.has_exponents:
        return _level_sentence(history, series, change)
    growth = series.segments[-1].growth if series.segments else None
    if change is None:
        no_change = "No change" if history.has_one_setting else None
        return f"{no_change or _throughout(history, series, growth)}."
    commit = history.commits[change.last]
    since = f"since {commit.label} ({day(commit.committed_at or commit.first_run_at)})"
    factor = factor_words(change.factor, history.metric, change.largest)
    if change.is_new_growth and change.growth_before and change.growth_after:
        before, after = map(_order, (change.growth_before, change.growth_after))
        metric = metric_words(history.metric)
        grows = f"{verb(parse_growth(change.growth_after))} like {after}"
        sentence = f"The {metric} {grows} {since}, like {before} before: {factor}"
    elif history.has_one_setting:
        sentence = f"{factor.capitalize()} {since}"
    else:
        sentence = f"{_throughout(history, series, growth)}; {factor} {since}"
    more = len(series.changes) - 1
    return f"{sentence}; {plural(more, 'other change')}." if more else f"{sentence}."


def _level_sentence(
    history: History, series: SegmentedHistory, change: StoredChange | None
) -> str:
    """Say what one setting measures now, and what it did before."""
    *before, now = series.segments
    level = quantity(now.value, series.unit)
    commits = plural(sum(now.first <= at for at in series.positions), "commit")
    if change is None or not before:
        newest = next((each for each in reversed(series.values) if each), None)
        return (
            f"{quantity(newest, series.unit)} at the newest of {commits}, {level} in "
            "the middle."
        )
    since = history.commits[change.last]
    day_ = day(since.committed_at or since.first_run_at)
    factor = factor_words(change.factor, history.metric, {})
    was = quantity(before[-1].value, series.unit)
    more = len(series.changes) - 1
    others = f"; {plural(more, 'other change')}" if more else ""
    return (
        f"{factor.capitalize()} since {since.label} ({day_}); now {level} in the "
        f"middle of {commits}, {was} before{others}."
    )


def usual_sentence(charts: Sequence["Chart"]) -> tuple[str, int]:
    """Return the sentence that most of several charts have, and of how many.

    It is empty where it would be said of one or two.
    """
    sentences = Counter(chart.sentence for chart in charts)
    sentence, count = next(iter(sentences.most_common(1)), ("", 0))
    return (sentence, count) if count > FEW_ALIKE else ("", 0)


def overview_sentence(history: History) -> str:
    """Count what changed: `4 of 40 regions changed: 3 got worse, 1 improved`."""
    changes = [*filter(None, (telling(series.changes) for series in history.series))]
    commits = plural(len(history.commits), "commit")
    if not changes and not is_long_enough(history):
        return f"Too few commits for changes: {commits} of at least {FEWEST_COMMITS}."
    regions = plural(len(history.series), "region")
    worse = sum(change.is_worse for change in changes)
    better = len(changes) - worse
    ways = [f"{worse} got worse"] * bool(worse) + [f"{better} improved"] * bool(better)
    listed = f": {', '.join(ways)}" if ways else ""
    return f"{len(changes)} of {regions} changed in {commits}{listed}."


def is_long_enough(history: History) -> bool:
    """Tell whether a change could be told; of exact counts it can at any commit."""
    is_exact = bool(history.series) and all(each.is_exact for each in history.series)
    return is_exact or len(history.commits) >= FEWEST_COMMITS


def _throughout(history: History, series: SegmentedHistory, growth: str | None) -> str:
    if growth == "1":
        return f"Constant {history.metric} O(1) throughout"
    if growth is not None:
        return f"{_order(growth)} throughout"
    exponent = series.segments[-1].exponent if series.segments else None
    if exponent is not None:
        power = f"the exponent of {series.parameter or 'p'} is {significant(exponent)}"
        return f"No growth is sure: {power} on average"
    return "Growth not known"


@lru_cache(maxsize=4096)
def _order(growth: str) -> str:
    """Write a growth that is kept as text as an order: `O(√p · log p)`."""
    return f"O({parse_growth(growth).unicode()})"


WIDTH: Final = 360.0
HEIGHT: Final = 132.0
LEFT: Final = 52.0
RIGHT: Final = 8.0
TOP: Final = 18.0
BOTTOM: Final = 16.0
ROOM: Final = 1.08
"""Dots keep so much distance from the ends of the vertical axis."""


@dataclass(frozen=True, slots=True)
class Band:
    """A segment as a rectangle, with the line of its mean or median."""

    x: float
    width: float
    growth_class: GrowthClass | None
    growth: str | None
    middle: float | None
    top: float | None
    height: float | None


@dataclass(frozen=True, slots=True)
class Mark:
    """A change or a release at a place on the axis."""

    x: float
    width: float
    title: str
    is_worse: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """The chart of a series; `dots` is a path with a dot for each commit."""

    series: SegmentedHistory
    bands: tuple[Band, ...]
    dots: str
    changes: tuple[Mark, ...]
    bad_nights: tuple[Mark, ...]
    baselines: tuple[float, ...]
    ticks: tuple[tuple[float, str], ...]
    sentence: str


def charts(history: History, shown: Measure, *, by_date: bool) -> list[Chart]:
    """Return one chart per series, all on the same axis of commits."""
    places = _places(history.commits, by_date=by_date)
    return [_chart(history, series, places, shown) for series in history.series]


def releases(history: History, *, by_date: bool) -> list[Mark]:
    """Return the commits that have a tag, on the axis of all charts."""
    places = _places(history.commits, by_date=by_date)
    return [
        Mark(place, 1.0, commit.tag)
        for place, commit in zip(places, history.commits, strict=True)
        if commit.tag is not None
    ]


def _places(commits: Sequence[Commit], *, by_date: bool) -> list[float]:
    """Return where each commit is on the horizontal axis."""
    if by_date:
        times = [(c.committed_at or c.first_run_at).timestamp() for c in commits]
    else:
        times = [float(place) for place in range(len(commits))]
    first, last = min(times, default=0.0), max(times, default=0.0)
    span = (last - first) or 1.0
    inner = WIDTH - LEFT - RIGHT
    return [LEFT + inner * (time - first) / span for time in times]


def _chart(
    history: History, series: SegmentedHistory, places: Sequence[float], shown: Measure
) -> Chart:
    is_value = series.shows_values(shown)
    drawn = series.values if is_value else series.exponents
    middle, reach = middle_and_reach(drawn, is_value=is_value)
    reach *= ROOM
    inner = HEIGHT - TOP - BOTTOM

    def y(value: float) -> float:
        share = (value - middle + reach) / (2 * reach)
        return TOP + inner * (1 - min(max(share, 0.0), 1.0))

    return Chart(
        series=series,
        bands=tuple(
            Band(
                x=places[era.first],
                width=max(places[era.last] - places[era.first], 2.0),
                growth_class=class_of_text(era.growth),
                growth=era.growth and parse_growth(era.growth).unicode(),
                middle=None if era.middle is None else y(era.middle),
                top=None if era.high is None else y(era.high),
                height=(
                    None
                    if era.low is None or era.high is None
                    else max(y(era.low) - y(era.high), 1.0)
                ),
            )
            for segment, era in zip(series.segments, series.eras(shown), strict=True)
            if era.middle is not None or segment.growth is not None
        ),
        dots=_dots(series.positions, drawn, places, middle, reach),
        changes=tuple(
            Mark(
                x=places[change.first] - 1.5,
                width=max(places[change.last] - places[change.first], 0.0) + 3.0,
                title=f"{history.commits[change.last].label}: "
                f"{factor_words(change.factor, history.metric, change.largest)}",
                is_worse=change.is_worse,
            )
            for change in series.changes
        ),
        bad_nights=tuple(
            Mark(places[at] - 1.0, 2.0, f"bad night at {history.commits[at].label}")
            for at in series.bad_nights
        ),
        baselines=tuple(places[at] for at in series.baselines),
        ticks=tuple(
            (y(end), quantity(end, series.unit) if is_value else significant(end, 2))
            for end in (middle + reach / ROOM, middle - reach / ROOM)
            if any(each is not None for each in drawn)
        ),
        sentence=history_sentence(history, series),
    )


def _dots(
    positions: Sequence[int],
    drawn: Sequence[float | None],
    places: Sequence[float],
    middle: float,
    reach: float,
) -> str:
    """Return a path with a dot for each commit; there are hundreds on each chart."""
    scale = (HEIGHT - TOP - BOTTOM) / (2 * reach)
    top = middle + reach
    return "".join(
        [
            f"M{places[place]:.1f} {TOP + scale * (top - value):.1f}h0"
            for place, value in zip(positions, drawn, strict=False)
            if value is not None
        ]
    )
