"""The rows of a comparison and its small pictures, as HTML.

A page has a hundred of each: written here they cost a third of what a template takes.
All that people and machines have named is escaped; the rest is our own.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from markupsafe import Markup, escape

from scalewatch.modelling import SideBySide
from scalewatch.modelling.versions.ratios import Ratio
from scalewatch.pages.comparisons.pictures import SmallPicture
from scalewatch.pages.comparisons.sentences import crossing_words
from scalewatch.pages.rendering.cells import UNMEASURED
from scalewatch.pages.wording.formats import (
    breakable,
    count,
    named,
    significant,
    whole_settings,
)
from scalewatch.pages.wording.growths import found_growth
from scalewatch.pages.wording.marks import verdict
from scalewatch.pages.wording.mathematics import formula, growth
from scalewatch.pages.wording.sentences import state_words
from scalewatch.services.comparisons.ratios import RowRatios
from scalewatch.services.comparisons.values import ComparedRow, ComparedSeries
from scalewatch.services.series.standing import KEPT, Standing, State

Address = Callable[[ComparedRow], str]
"""Of the page on which a row is drawn."""


def comparison_rows(lines: Sequence[RowRatios], address_of: Address) -> Markup:
    """Write the rows of the table, each with the cells of all sides."""
    rows = [_row(line, escape(address_of(line.row))) for line in lines]
    return Markup("\n".join(rows))  # noqa: S704, its parts are escaped


def small_pictures(small: Sequence[SmallPicture], address_of: Address) -> Markup:
    """Write small pictures of ratios, each with its name and its words."""
    items = [_picture(each, escape(address_of(each.row))) for each in small]
    return Markup("\n".join(items))  # noqa: S704, its parts are escaped


def _picture(small: SmallPicture, address: str) -> str:
    row, ratio = small.row, small.ratio
    place = ""
    if row.machine:
        place += f' <span class="quiet">on <bdi>{escape(row.machine)}</bdi></span>'
    if row.configuration:
        told = whole_settings(row.configuration)
        place += f' <span class="quiet">{told}</span>'
    better = f" · {named(small.winner)} better" if small.winner else ""
    equal = "".join(
        f' <span class="quiet">· equal at {words}</span>'
        for words in _crossings(ratio, row.parameter)
    )
    return (
        f'<li class="ratios__one"><a href="{address}" title="{escape(row.region)}">'
        f"{breakable(row.region)}{place}</a>\n{small.picture}\n"
        f'<p class="small"><span class="number">{significant(ratio.at_largest)}×</span>'
        f' <span class="quiet">at {escape(row.parameter)} = {count(ratio.largest)}'
        f"</span>{better}{equal}</p></li>"
    )


def _row(line: RowRatios, address: str) -> str:
    row = line.row
    text = escape(f"{row.region} {row.machine or ''}")
    told = machine = ""
    if row.configuration:
        words = whole_settings(row.configuration)
        told = f' <span class="match-table__settings">{words}</span>'
    if row.machine is not None:
        machine = f"<td><bdi>{breakable(row.machine)}</bdi></td>"
    first, *others = row.places
    cells = "".join(
        f"{_standing(place.standing, row.unit)}{_against(place, ratio, row.parameter)}"
        for place, ratio in zip(others, line.ratios, strict=True)
    )
    return (
        f'<tr data-filter-text="{text}"><th scope="row"><a href="{address}">'
        f"{breakable(row.region)}</a>{told}</th>{machine}"
        f"{_standing(first.standing, row.unit)}{cells}</tr>"
    )


# Cached by content, as standings are: a comparison shows hundreds of them, and again.
@lru_cache(maxsize=KEPT)
def _standing(standing: Standing, unit: str) -> str:
    if standing.state is State.UNMEASURED:
        return UNMEASURED
    grown = f'<span class="quiet">{escape(state_words(standing))}</span>'
    if standing.growth:
        grown = found_growth(standing)
    judged = f" {verdict(standing.mark)}" if standing.mark else ""
    model = ""
    if standing.model:
        written = formula(standing.model, unit)
        model = f'<br><span class="quiet small">{written}</span>'
    return f"<td>{grown}{judged}{model}</td>"


def _against(place: ComparedSeries, ratio: Ratio | None, parameter: str) -> str:
    """Write how a side differs from the first one."""
    measured = "–"
    if place.ratio and place.at is not None:
        at = f'<span class="quiet small">at {count(place.at)}</span>'
        measured = f"{significant(place.ratio)} × {at}"
    crossing = _crossing(place.against, ratio, parameter)
    return (
        f'{_pair(place.against)}<td class="number">{measured}</td>'
        f'<td class="number">{crossing}</td>'
    )


def _pair(pair: SideBySide | None) -> str:
    apart, factor = "–", "–"
    if pair and pair.factor is None:
        apart = growth(pair.growth)
    elif pair:
        apart, factor = (
            '<span class="quiet">none</span>',
            f"{significant(pair.factor)} ×",
        )
    return f'<td>{apart}</td><td class="number">{factor}</td>'


def _crossing(pair: SideBySide | None, ratio: Ratio | None, parameter: str) -> str:
    if ratio and ratio.crossings:
        return "<br>".join(_crossings(ratio, parameter))
    if pair and pair.crossing is not None:
        return (
            f"{escape(parameter)} = {significant(pair.crossing)} "
            '<span class="quiet small">by the models</span>'
        )
    return '<span class="quiet">none in range</span>' if pair else "–"


def _crossings(ratio: Ratio, parameter: str) -> Iterator[Markup]:
    for crossing in ratio.crossings:
        yield escape(crossing_words(crossing, ratio, parameter))
