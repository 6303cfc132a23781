"""Heat maps of regions × machines, as HTML: a cell is the symbol of its verdict.

A corner tells that a series changed lately. Each cell has its words as its name, which
screen readers read and scripts show beside a small plot.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import ceil
from typing import Final

from markupsafe import Markup, escape

from scalewatch.pages.rendering.addresses import encoded
from scalewatch.pages.wording.formats import settings
from scalewatch.pages.wording.growths import NO_GROWTH, found_order, order
from scalewatch.pages.wording.sentences import state_words
from scalewatch.services.expectations.in_force import Expectation
from scalewatch.services.match_table.cells import Cell, MatchRow, RecentChange
from scalewatch.services.series.standing import KEPT, Standing, State

PANEL: Final = 14
"""Rows of a panel at most: three panels side by side fill the screen of a laptop."""

MOST_BESIDE: Final = 18
"""Machines of which two panels are side by side on it."""

ALONE: Final = 28
"""Rows of a panel that has none beside it: the names of machines stay in sight."""

UNMEASURED: Final = (
    '<td class="heat--unmeasured">'
    '<span class="visually-hidden">not measured</span></td>'
)

UNJUDGED: Final = {State.FAILED: "!", State.PENDING: "…"}
"""Symbols of what has no verdict, because it has no model yet."""

NOTHING_EXPECTED: Final = "·"


def panels(rows: Sequence[MatchRow], machines: int) -> list[Sequence[MatchRow]]:
    """Return rows in parts of about the same length, worst first."""
    most = PANEL if machines <= MOST_BESIDE else ALONE
    parts = max(1, ceil(len(rows) / most))
    length = ceil(len(rows) / parts) or 1
    return [rows[at : at + length] for at in range(0, len(rows), length)]


def heat_row(
    row: MatchRow, region: str, *, with_metric: bool, is_hidden: bool
) -> Markup:
    """Write a region with its cells, one for each machine.

    Parameters
    ----------
    region
        Address of the page of the region, with a query.
    with_metric
        Whether rows of several metrics are shown.
    """
    metric = row.metric if with_metric else ""
    told = settings(row.configuration) if row.configuration else ""
    head, address = _head(row.region, metric, told, region)
    cells = [_cell(cell, row.expectation, address) for cell in row.cells]
    hidden = " hidden" if is_hidden else ""
    return Markup(  # noqa: S704, its parts are escaped
        f"<tr{hidden} {head}{''.join(cells)}</tr>"
    )


# Cached by content: a map shows hundreds of names, and again.
@lru_cache(maxsize=KEPT)
def _head(region: str, metric: str, told: str, address: str) -> tuple[str, str]:
    """Return what a row begins with after its tag's name, and its address, escaped."""
    name, linked = escape(region), escape(address)
    also = [each for each in (metric, told) if each]
    title = escape(" · ".join([region, *also]))
    quiet = "".join(f' <span class="quiet">{escape(each)}</span>' for each in also)
    head = (
        f'data-filter-text="{name}"><th scope="row"><a href="{linked}" '
        f'title="{title}"><bdi>{name}</bdi>{quiet}</a></th>'
    )
    return head, str(linked)


def _cell(cell: Cell, expectation: Expectation | None, address: str) -> str:
    if cell.series is None:
        return UNMEASURED
    kind, inner = _inner(cell.standing, cell.recent, expectation)
    return (
        f'<td data-live="cell-{cell.series}"><a class="heat heat--{kind}" '
        f'href="{address}&amp;machine={encoded(cell.machine)}" {inner}</a></td>'
    )


# Cached by content, as standings are: a map shows thousands of them, and again.
@lru_cache(maxsize=KEPT)
def _inner(
    standing: Standing, recent: RecentChange | None, expectation: Expectation | None
) -> tuple[str, str]:
    """Return the kind of a cell, with its corner, and its words and symbol."""
    words = escape(cell_words(standing, recent, expectation))
    kind = f"{standing.mark or 'unjudged'}{_corner(recent)}"
    return kind, f'aria-label="{words}">{_symbol(standing)}'


def cell_words(
    standing: Standing, recent: RecentChange | None, expectation: Expectation | None
) -> str:
    """Say what a cell shows: `mismatch, O(p) instead of O(log p)`."""
    parts = [str(standing.mark or state_words(standing))]
    if standing.growth is not None and standing.fit["misfit"]:
        parts.append(NO_GROWTH)
    elif standing.growth is not None:
        found = order(standing.growth)
        promised = order(expectation.growth) if expectation else found
        instead = f" instead of {promised}" if promised != found else ""
        parts.append(f"{found_order(standing)}{instead}")
        if expectation is None and standing.divergence is not None:
            parts.append(f"measured/composed like {standing.divergence}")
    elif standing.reason:
        parts.append(standing.reason)
    if recent:
        way = "worse" if recent.is_worse else "better"
        parts.append(f"{way} since {recent.at:%Y-%m-%d}")
    return ", ".join(parts)


def _symbol(standing: Standing) -> str:
    if standing.mark is not None:
        return standing.mark.symbol
    return UNJUDGED.get(standing.state, NOTHING_EXPECTED)


def _corner(recent: RecentChange | None) -> str:
    if recent is None:
        return ""
    return " heat--worsened" if recent.is_worse else " heat--improved"
