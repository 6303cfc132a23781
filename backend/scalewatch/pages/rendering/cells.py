"""The cells of the match table, as HTML.

A page has hundreds of them: written here they cost a tenth of what a template takes.
All that people and machines have named is escaped; the rest is our own.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from markupsafe import Markup, escape

from scalewatch.pages.rendering.addresses import encoded
from scalewatch.pages.wording.formats import count, determination, percent
from scalewatch.pages.wording.growths import found_growth
from scalewatch.pages.wording.marks import change_mark, verdict
from scalewatch.pages.wording.mathematics import growth
from scalewatch.pages.wording.sentences import (
    flag_places,
    misfit_sentence,
    state_words,
)
from scalewatch.services.commit_reports.pairs import SAME
from scalewatch.services.match_table.cells import Cell
from scalewatch.services.series.standing import KEPT, Standing

PROBABILITY = "Probability of this verdict"

UNMEASURED = '<td class="cell--unmeasured"><span>not measured</span></td>'


def table_cells(cells: Iterable[Cell], region: str, sparklines: str) -> Markup:
    """Write the cells of a region, one for each machine.

    Parameters
    ----------
    region, sparklines
        Addresses of the page of the region, with a query, and of the sheet of lines.
    """
    page, sheet = str(escape(region)), str(escape(sparklines))
    written = "\n".join(_cell(each, page, sheet) for each in cells)
    return Markup(written)  # noqa: S704, its parts are escaped


def _cell(cell: Cell, region: str, sparklines: str) -> str:
    if cell.series is None:
        return UNMEASURED
    standing = cell.standing
    kind = standing.mark or "unjudged"
    return (
        f'<td class="match-table__cell" data-live="cell-{cell.series}">'
        f'<a class="cell cell--{kind}" href="{region}&amp;machine='
        f'{encoded(cell.machine)}">{_model(standing)}'
        f'<span class="cell__aside">{" ".join(_aside(cell))}</span>'
        '<svg class="spark" viewBox="0 0 60 14" aria-hidden="true">'
        f'<use href="{sparklines}#s{cell.series}"/></svg>'
        f"{_reason(standing)}</a></td>"
    )


# Cached by content, as standings are: a table shows thousands of them, and again.
@lru_cache(maxsize=KEPT)
def _model(standing: Standing) -> str:
    """Write how a series grows, its verdict, and what the model rests on."""
    state = ""
    if standing.mark:
        state = f'<span class="cell__verdict">{verdict(standing.mark)}</span>'
    elif standing.growth:
        words = state_words(standing)
        state = f'<span class="cell__verdict quiet small">{words}</span>'
    return (
        f'<span class="cell__growth">{_growth(standing)}</span>{state}'
        f'<span class="cell__details">{" · ".join(_details(standing))}</span>'
    )


def _reason(standing: Standing) -> str:
    if not standing.reason or standing.likeliest:
        return ""
    told = standing.reason.removeprefix(f"{state_words(standing)}: ")
    return f'<span class="cell__reason">{escape(told)}</span>'


def _growth(standing: Standing) -> str:
    if standing.growth:
        return found_growth(standing)
    return f'<span class="quiet small">{state_words(standing)}</span>'


def _details(standing: Standing) -> Iterator[str]:
    if standing.divergence and not standing.is_open:
        yield f"<span>δ {growth(standing.divergence)}</span>"
    if standing.growth:
        fit = f"R̄² {determination(standing.adjusted_r2)}"
        yield f"<span>{'exact' if standing.formula else fit}</span>"
    if standing.points:
        points, repetitions = standing.points, standing.repetitions
        yield (
            f'<span title="{points} coordinates × {repetitions} repetitions">'
            f"{points} × {count(repetitions)}</span>"
        )


def _aside(cell: Cell) -> Iterator[str]:
    if cell.change and cell.change not in SAME:
        yield change_mark(cell.change)
    if cell.broken:
        title = escape(". ".join(cell.broken))
        yield f'<span class="flag flag--guideline" title="{title}">guideline</span>'
    yield from _certainty(cell.standing)
    if cell.flags:
        places = " ".join(
            f"{flag.capitalize()} at {flag_places('p', at)}."
            for flag, at in cell.flags.items()
        )
        yield (
            f'<span class="flag" title="{escape(places)}"><span '
            f'class="visually-hidden">{", ".join(cell.flags)}</span></span>'
        )


@lru_cache(maxsize=KEPT)
def _certainty(standing: Standing) -> tuple[str, ...]:
    """Write how probable a verdict is, and whether its model fits."""
    return tuple(_certainties(standing))


def _certainties(standing: Standing) -> Iterator[str]:
    if standing.probability is not None:
        share = percent(standing.probability)
        why = ". ".join(filter(None, [PROBABILITY, standing.reason]))
        yield f'<span title="{escape(why)}">{share}</span>'
    elif standing.likeliest:
        likeliest, probability = standing.likeliest
        yield (
            f'<span title="{escape(standing.reason or "")}">'
            f"{likeliest} {percent(probability)}</span>"
        )
    if standing.fit["misfit"]:
        title = escape(misfit_sentence(standing))
        yield f'<span class="flag flag--guideline" title="{title}">misfit</span>'
