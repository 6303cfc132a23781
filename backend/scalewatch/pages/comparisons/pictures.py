"""The pictures of a comparison: all ratios of a side, and a small one of each."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final, Self

import numpy as np
from markupsafe import Markup, escape

from scalewatch.modelling import SideBySide
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.versions.ratios import Ratio
from scalewatch.pages.comparisons.sentences import crossing_words
from scalewatch.pages.rendering import cells, sheets
from scalewatch.pages.rendering.plots import Plot
from scalewatch.pages.wording import formats, marks, mathematics
from scalewatch.pages.wording.sentences import state_words
from scalewatch.services.comparisons import values, winners
from scalewatch.services.comparisons.figures import ratios_drawn
from scalewatch.services.comparisons.ratios import RowRatios, known_ratios
from scalewatch.services.series.standing import KEPT, Standing, State
from scalewatch.texts.numbers import significant


@dataclass(frozen=True, slots=True)
class SmallPicture:
    """The ratio of a row, and the side that is surely better there, if one is."""

    row: values.ComparedRow
    ratio: Ratio
    picture: Markup
    winner: str | None


@dataclass(frozen=True, slots=True)
class Pictures:
    """Pictures of a side against the first one."""

    duel: winners.Duel
    plot: Plot
    small: tuple[SmallPicture, ...]


def pictures_of(
    ratios: Sequence[RowRatios],
    duels: Sequence[winners.Duel],
    address_of: Callable[[int], str],
) -> list[Pictures]:
    """Return the pictures of each further side that has ratios to the first one.

    Parameters
    ----------
    address_of
        Where the API has the figure of a side, counted from 1.
    """
    pictures = []
    for place, duel in enumerate(duels):
        known = known_ratios(ratios, place)
        if not known:
            continue
        plot = Plot(address_of(place + 1), partial(ratios_drawn, duel, ratios, place))
        axes = Multiples.of([ratio for _, ratio in known])
        better = {id(win.row): duel.first for win in duel.first_wins}
        better |= {id(win.row): duel.other for win in duel.other_wins}
        small = [
            SmallPicture(row, ratio, axes.picture(ratio), better.get(id(row)))
            for row, ratio in known
        ]
        pictures.append(Pictures(duel, plot, tuple(small)))
    return pictures


WIDTH: Final = 150
HEIGHT: Final = 60

LEAST: Final = float(np.log(1.25))
MOST: Final = float(np.log(50))
"""How far the axis goes from 1 at least and at most, in logarithms."""

BEYOND: Final = 9
"""Forecasts that leave the picture are drawn so many times as far."""

PICTURE: Final = (
    '<svg class="ratio" viewBox="0 0 {width} {height}" '
    'preserveAspectRatio="none" aria-hidden="true">'
    '<path class="ratio__band" d="{band}"/>'
    '<line class="ratio__one" x1="0" x2="{width}" y1="{middle}" y2="{middle}"/>'
    '<line class="ratio__end" x1="{end}" x2="{end}" y1="0" y2="{height}"/>'
    '<path class="ratio__line" d="{line}"/></svg>'
)


@dataclass(frozen=True, slots=True)
class Multiples:
    """Maps settings and ratios to places, the same for all pictures of a page."""

    start: float
    end: float
    span: float

    @classmethod
    def of(cls, ratios: Sequence[Ratio]) -> Self:
        """Return the axes that hold all ratios where they were measured."""
        farthest = max(abs(float(np.log(ratio.at_largest))) for ratio in ratios)
        return cls(
            start=min(float(ratio.x[0]) for ratio in ratios),
            end=max(float(ratio.x[-1]) for ratio in ratios),
            span=min(max(LEAST, 1.15 * farthest), MOST),
        )

    def picture(self, ratio: Ratio) -> Markup:
        """Draw a ratio with its interval; the dotted line ends what was measured."""
        return _drawn(self, ratio)

    def draw(self, ratio: Ratio) -> Markup:
        """Draw the ratio plot of a row, without looking whether it is kept."""
        across = sheets.LogAxis(self.start, self.end, 0, WIDTH)
        x = across.places(ratio.x)
        low, high = self._up(ratio.low), self._up(ratio.high)
        there, back = sheets.points(x, high), sheets.points(x[::-1], low[::-1])
        drawn = PICTURE.format(
            width=WIDTH,
            height=HEIGHT,
            middle=HEIGHT / 2,
            end=across.place(ratio.largest),
            band=f"M{'L'.join([*there, *back])}Z",
            line=f"M{'L'.join(sheets.points(x, self._up(ratio.value)))}",
        )
        return Markup(drawn)  # noqa: S704, its parts are numbers

    def _up(self, ratio: Reals) -> Reals:
        share = np.clip(np.log(ratio) / self.span, -BEYOND, BEYOND)
        places: Reals = HEIGHT / 2 * (1 - share)
        return places


# A ratio is known by itself: those of commits are kept until something changes there.
@lru_cache(maxsize=4096)
def _drawn(axes: Multiples, ratio: Ratio) -> Markup:
    return axes.draw(ratio)


Address = Callable[[values.ComparedRow], str]
"""Returns the address of the page on which a row is drawn."""


def comparison_rows(
    lines: Sequence[RowRatios],
    address_of: Address,
    has_one_setting: bool,  # noqa: FBT001 - of a template
) -> Markup:
    """Write the rows of the table, each with the cells of all sides.

    Parameters
    ----------
    has_one_setting
        Whether values and their ratios are all that there is.
    """
    rows = [
        _row(line, escape(address_of(line.row)), has_one_setting=has_one_setting)
        for line in lines
    ]
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
        settings = formats.whole_settings(row.configuration)
        place += f' <span class="quiet">{settings}</span>'
    better = f" · {formats.named(small.winner)} better" if small.winner else ""
    equal = "".join(
        f' <span class="quiet">· equal at {words}</span>'
        for words in _crossings(ratio, row.parameter)
    )
    return (
        f'<li class="ratios__one"><a href="{address}" title="{escape(row.region)}">'
        f"{formats.breakable(row.region)}{place}</a>\n{small.picture}\n"
        f'<p class="small"><span class="number">'
        f"{significant(ratio.at_largest)}×</span>"
        f' <span class="quiet">at {escape(row.parameter)} = '
        f"{formats.count(ratio.largest)}</span>{better}{equal}</p></li>"
    )


def _row(line: RowRatios, address: str, *, has_one_setting: bool) -> str:
    row = line.row
    text = escape(f"{row.region} {row.machine or ''}")
    settings = machine = ""
    if row.configuration:
        words = formats.whole_settings(row.configuration)
        settings = f' <span class="match-table__settings">{words}</span>'
    if row.machine is not None:
        machine = f"<td><bdi>{formats.breakable(row.machine)}</bdi></td>"
    first, *others = row.places
    if has_one_setting:
        start = _value(first, row.unit)
        cells = "".join(
            f'{_value(place, row.unit)}<td class="number">{_times(place.ratio)}</td>'
            for place in others
        )
    else:
        start = _standing(first.standing, row.unit)
        cells = "".join(
            _standing(place.standing, row.unit) + _against(place, ratio, row.parameter)
            for place, ratio in zip(others, line.ratios, strict=True)
        )
    return (
        f'<tr data-filter-text="{text}"><th scope="row"><a href="{address}">'
        f"{formats.breakable(row.region)}</a>{settings}</th>{machine}"
        f"{start}{cells}</tr>"
    )


def _value(place: values.ComparedSeries, unit: str) -> str:
    if place.value is None:
        return _standing(place.standing, unit)
    return f'<td class="number">{escape(formats.quantity(place.value, unit))}</td>'


def _times(ratio: float | None) -> str:
    return f"{significant(ratio)} ×" if ratio else "–"


# Cached by content, as standings are: a comparison shows hundreds of them, and again.
@lru_cache(maxsize=KEPT)
def _standing(standing: Standing, unit: str) -> str:
    if standing.state is State.UNMEASURED:
        return cells.UNMEASURED
    grown = f'<span class="quiet">{escape(state_words(standing))}</span>'
    if standing.nearest:
        grown = mathematics.found_growth(standing)
    judged = f" {marks.verdict(standing.mark)}" if standing.mark else ""
    model = ""
    if standing.model:
        written = mathematics.formula(standing.model, unit)
        model = f'<br><span class="quiet small">{written}</span>'
    return f"<td>{grown}{judged}{model}</td>"


def _against(place: values.ComparedSeries, ratio: Ratio | None, parameter: str) -> str:
    """Write how a side differs from the first one."""
    measured = "–"
    if place.ratio and place.at is not None:
        at = f'<span class="quiet small">at {formats.count(place.at)}</span>'
        measured = f"{_times(place.ratio)} {at}"
    crossing = _crossing(place.against, ratio, parameter)
    return (
        f'{_pair(place.against)}<td class="number">{measured}</td>'
        f'<td class="number">{crossing}</td>'
    )


def _pair(pair: SideBySide | None) -> str:
    apart, factor = "–", "–"
    if pair and pair.factor is None:
        apart = mathematics.growth(pair.growth)
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
