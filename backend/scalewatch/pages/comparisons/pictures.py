"""The pictures of a comparison: all ratios of a side, and a small one of each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from markupsafe import Markup

from scalewatch.modelling.versions.ratios import Ratio
from scalewatch.pages.comparisons.multiples import Multiples
from scalewatch.pages.rendering.plots import Plot
from scalewatch.services.comparisons.figures import ratios_drawn
from scalewatch.services.comparisons.ratios import RowRatios, known_ratios
from scalewatch.services.comparisons.values import ComparedRow
from scalewatch.services.comparisons.winners import Duel


@dataclass(frozen=True, slots=True)
class SmallPicture:
    """The ratio of a row, and the side that is surely better there, if one is."""

    row: ComparedRow
    ratio: Ratio
    picture: Markup
    winner: str | None


@dataclass(frozen=True, slots=True)
class Pictures:
    """What is drawn of a side against the first one."""

    duel: Duel
    plot: Plot
    small: tuple[SmallPicture, ...]


def pictures_of(
    ratios: Sequence[RowRatios],
    duels: Sequence[Duel],
    address_of: Callable[[int], str],
) -> list[Pictures]:
    """Return the pictures of each further side that has ratios to the first one.

    Parameters
    ----------
    address_of
        Where the API has the figure of a side, counted from 1.
    """
    return [
        Pictures(
            duel,
            Plot(address_of(place + 1), partial(ratios_drawn, duel, ratios, place)),
            _small(duel, known),
        )
        for place, duel in enumerate(duels)
        if (known := known_ratios(ratios, place))
    ]


def _small(
    duel: Duel, known: Sequence[tuple[ComparedRow, Ratio]]
) -> tuple[SmallPicture, ...]:
    axes = Multiples.of([ratio for _, ratio in known])
    winners = {id(win.row): duel.first for win in duel.first_wins}
    winners |= {id(win.row): duel.other for win in duel.other_wins}
    return tuple(
        SmallPicture(row, ratio, axes.picture(ratio), winners.get(id(row)))
        for row, ratio in known
    )
