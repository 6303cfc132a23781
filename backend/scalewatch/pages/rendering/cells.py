"""The cells of the match table, as HTML.

A page has hundreds of them: written here they cost a tenth of what a template takes.
All that people and machines have named is escaped; the rest is our own.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import ceil
from typing import Final

from markupsafe import Markup, escape

from scalewatch.figures.colours import growth_class
from scalewatch.pages.rendering.addresses import encoded
from scalewatch.pages.wording import formats, marks, mathematics, sentences
from scalewatch.services.commit_reports.pairs import SAME
from scalewatch.services.expectations.in_force import Expectation
from scalewatch.services.match_table.cells import Cell, MatchRow, RecentChange
from scalewatch.services.series.standing import KEPT, Standing, State

PROBABILITY = "Probability of this verdict"

UNMEASURED = '<td class="cell--unmeasured"><span>not measured</span></td>'


def table_cells(
    cells: Iterable[Cell],
    region: str,
    sparklines: str,
    leaving: Mapping[int, tuple[str, float]],
) -> Markup:
    """Write the cells of a region, one for each machine.

    Parameters
    ----------
    leaving
        Where series leave their tolerance, if no measurement shows it.
    region, sparklines
        Addresses of the page of the region, with a query, and of the sheet of lines.
    """
    page, sheet = str(escape(region)), str(escape(sparklines))
    written = "\n".join(
        _cell(each, page, sheet, leaving.get(each.series or 0)) for each in cells
    )
    return Markup(written)  # noqa: S704, its parts are escaped


def _cell(
    cell: Cell, region: str, sparklines: str, leaves: tuple[str, float] | None
) -> str:
    if cell.series is None:
        return UNMEASURED
    standing = cell.standing
    kind = standing.mark or "unjudged"
    return (
        f'<td class="match-table__cell" data-live="cell-{cell.series}">'
        f'<a class="cell cell--{kind}" href="{region}&amp;machine='
        f'{encoded(cell.machine)}">{_model(standing)}'
        f'<span class="cell__aside">{" ".join(_aside(cell, leaves))}</span>'
        '<svg class="spark" viewBox="0 0 60 14" aria-hidden="true">'
        f'<use href="{sparklines}#s{cell.series}"/></svg>'
        f"{_reason(standing)}</a></td>"
    )


# Cached by content, as standings are: a table shows thousands of them, and again.
@lru_cache(maxsize=KEPT)
def _model(standing: Standing) -> str:
    """Write how a series grows, its verdict, and what the model rests on."""
    state, words = "", sentences.state_words(standing)
    if standing.mark:
        state = f'<span class="cell__verdict">{marks.verdict(standing.mark)}</span>'
    elif standing.nearest:
        state = f'<span class="cell__verdict quiet small">{words}</span>'
    growth = f'<span class="quiet small">{words}</span>'
    if standing.nearest:
        growth = mathematics.found_growth(standing)
    return (
        f'<span class="cell__growth">{growth}</span>{state}'
        f'<span class="cell__details">{" · ".join(_details(standing))}</span>'
    )


def _reason(standing: Standing) -> str:
    if not standing.reason or standing.likeliest:
        return ""
    reason = standing.reason.removeprefix(f"{sentences.state_words(standing)}: ")
    return f'<span class="cell__reason">{escape(reason)}</span>'


def _details(standing: Standing) -> Iterator[str]:
    if standing.divergence and not standing.is_open:
        yield f"<span>δ {mathematics.growth(standing.divergence)}</span>"
    if standing.nearest:
        fit = f"R̄² {formats.determination(standing.adjusted_r2)}"
        yield f"<span>{'exact' if standing.formula else fit}</span>"
    if standing.points:
        points, repetitions = standing.points, standing.repetitions
        yield (
            f'<span title="{points} coordinates × {repetitions} repetitions">'
            f"{points} × {formats.count(repetitions)}</span>"
        )


def _aside(cell: Cell, leaves: tuple[str, float] | None) -> Iterator[str]:
    if leaves:
        yield f"<span>beyond {sentences.scale_from(*leaves)}</span>"
    if cell.change and cell.change not in SAME:
        yield marks.change_mark(cell.change)
    if cell.broken:
        title = escape(". ".join(cell.broken))
        yield f'<span class="flag flag--guideline" title="{title}">guideline</span>'
    yield from _certainties(cell.standing)
    if cell.flags:
        places = " ".join(
            f"{flag.capitalize()} at {sentences.flag_places(cell.parameter, at)}."
            for flag, at in cell.flags.items()
        )
        yield (
            f'<span class="flag" title="{escape(places)}"><span '
            f'class="visually-hidden">{", ".join(cell.flags)}</span></span>'
        )


# Cached by content, as standings are: a table shows thousands of them, and again.
@lru_cache(maxsize=KEPT)
def _certainties(standing: Standing) -> tuple[str, ...]:
    """Write how probable a verdict is, and what its measurements are like."""
    written = []
    if standing.probability is not None:
        share = formats.percent(standing.probability)
        why = ". ".join(filter(None, [PROBABILITY, standing.reason]))
        written.append(f'<span title="{escape(why)}">{share}</span>')
    elif standing.likeliest:
        likeliest, probability = standing.likeliest
        written.append(
            f'<span title="{escape(standing.reason or "")}">'
            f"{likeliest} {formats.percent(probability)}</span>"
        )
    if standing.fits_none:
        title = escape(sentences.misfit_sentence(standing))
        written.append(
            f'<span class="flag flag--guideline" title="{title}">misfit</span>'
        )
    for flag, pattern in sentences.unlike_repetitions(standing):
        title = escape(pattern["sentence"])
        written.append(
            f'<span class="flag flag--guideline" title="{title}">{flag}</span>'
        )
    return tuple(written)


PANEL: Final = 14
"""Rows of a panel at most: three panels side by side fill the screen of a laptop."""

MOST_BESIDE: Final = 18
"""Machines of which two panels are side by side on it."""

ALONE: Final = 28
"""Rows of a panel that has none beside it: the names of machines stay in sight."""

UNMEASURED_HEAT: Final = (
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
    held = formats.settings(row.configuration) if row.configuration else ""
    head, address = _head(row.region, metric, held, region)
    cells = [_heat_cell(cell, row.expectation, address) for cell in row.cells]
    hidden = " hidden" if is_hidden else ""
    return Markup(  # noqa: S704, its parts are escaped
        f"<tr{hidden} {head}{''.join(cells)}</tr>"
    )


# Cached by content: a map shows hundreds of names, and again.
@lru_cache(maxsize=KEPT)
def _head(region: str, metric: str, held: str, address: str) -> tuple[str, str]:
    """Return what a row begins with after its tag's name, and its address, escaped."""
    name, linked = escape(region), escape(address)
    also = [each for each in (metric, held) if each]
    title = escape(" · ".join([region, *also]))
    quiet = "".join(f' <span class="quiet">{escape(each)}</span>' for each in also)
    head = (
        f'data-filter-text="{name}"><th scope="row"><a href="{linked}" '
        f'title="{title}"><bdi>{name}</bdi>{quiet}</a></th>'
    )
    return head, str(linked)


def _heat_cell(cell: Cell, expectation: Expectation | None, address: str) -> str:
    if cell.series is None:
        return UNMEASURED_HEAT
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
    kind = str(standing.mark or "unjudged")
    is_grown = standing.mark is None and standing.growth and not standing.fits_none
    if is_grown and (grown := growth_class(standing.growth)):
        kind += f" heat--grown growth--{grown.step}"
    if recent:
        kind += " heat--worsened" if recent.is_worse else " heat--improved"
    symbol = UNJUDGED.get(standing.state, NOTHING_EXPECTED)
    if standing.mark is not None:
        symbol = standing.mark.symbol
    return kind, f'aria-label="{words}">{symbol}'


def cell_words(
    standing: Standing, recent: RecentChange | None, expectation: Expectation | None
) -> str:
    """Say what a cell shows: `mismatch, O(p) instead of O(log p)`."""
    parts = [str(standing.mark or sentences.state_words(standing))]
    if standing.fits_none:
        parts.append(mathematics.NO_GROWTH)
    elif standing.growth is not None:
        grown = mathematics.order(standing.growth)
        expected = mathematics.order(expectation.growth) if expectation else grown
        instead = f" instead of {expected}" if expected != grown else ""
        parts.append(f"{mathematics.found_order(standing)}{instead}")
        if expectation is None and standing.divergence is not None:
            parts.append(f"measured/composed like {standing.divergence}")
    elif standing.reason:
        parts.append(standing.reason)
    if recent:
        way = "worse" if recent.is_worse else "better"
        parts.append(f"{way} since {recent.at:%Y-%m-%d}")
    return ", ".join(parts)
