"""Histories in words: the change that matters, and how many there are."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from scalewatch.modelling import parse_growth
from scalewatch.pages.wording.factors import factor_words
from scalewatch.pages.wording.formats import day, plural, significant
from scalewatch.pages.wording.sentences import metric_words
from scalewatch.services.histories.region import History
from scalewatch.services.histories.segments import (
    SegmentedHistory,
    StoredChange,
    telling,
)

FEWEST_COMMITS: Final = 9
"""A change of what scatters is told from this many commits on."""


def history_sentence(history: History, series: SegmentedHistory) -> str:
    """Say since when a series is as it is, and how much worse or better that is."""
    growth = series.segments[-1].growth if series.segments else None
    change = telling(series.changes)
    if change is None:
        return f"{_throughout(history, series, growth)}."
    commit = history.commits[change.last]
    since = f"since {commit.label} ({day(commit.committed_at or commit.first_run_at)})"
    factor = factor_words(change.factor, history.metric, change.largest)
    if change.is_new_growth and change.growth_before and change.growth_after:
        before, after = map(_order, (change.growth_before, change.growth_after))
        metric = metric_words(history.metric)
        told = (
            f"The {metric} grows like {after} {since}, like {before} before: {factor}"
        )
    else:
        told = f"{_throughout(history, series, growth)}; {factor} {since}"
    more = len(series.changes) - 1
    return f"{told}; {plural(more, 'other change')}." if more else f"{told}."


def overview_sentence(history: History) -> str:
    """Count what changed: `4 of 40 regions changed: 3 got worse, 1 improved`."""
    changes = [telling(series.changes) for series in history.series]
    found = [each for each in changes if each is not None]
    commits = plural(len(history.commits), "commit")
    if not found and not is_long_enough(history):
        return f"No change can be told yet: {commits} of at least {FEWEST_COMMITS}."
    told = f"{len(found)} of {plural(len(changes), 'region')} changed in {commits}"
    return f"{told}{_ways(found)}."


def is_long_enough(history: History) -> bool:
    """Tell whether a change could be told; of exact counts it can at any commit."""
    is_exact = bool(history.series) and all(each.is_exact for each in history.series)
    return is_exact or len(history.commits) >= FEWEST_COMMITS


def _ways(changes: Sequence[StoredChange]) -> str:
    worse = sum(change.is_worse for change in changes)
    better = len(changes) - worse
    parts = [f"{worse} got worse"] * bool(worse) + [f"{better} improved"] * bool(better)
    return f": {', '.join(parts)}" if parts else ""


def _throughout(history: History, series: SegmentedHistory, growth: str | None) -> str:
    if growth == "1":
        return f"Constant {history.metric} O(1) throughout"
    if growth is not None:
        return f"{_order(growth)} throughout"
    exponent = series.segments[-1].exponent if series.segments else None
    if exponent is not None:
        power = f"the exponent of {series.parameter or 'p'} is {significant(exponent)}"
        return f"No growth is sure: {power} on average"
    is_scan = any(each is not None for each in series.exponents)
    of = "" if is_scan or not series.exponents else ": measured at a single setting"
    return f"Growth not known{of}"


@lru_cache(maxsize=4096)
def _order(growth: str) -> str:
    """Write a growth that is kept as text as an order: `O(√p · log p)`."""
    return f"O({parse_growth(growth).unicode()})"
