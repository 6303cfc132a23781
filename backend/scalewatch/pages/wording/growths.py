"""How a series was found to grow, in few words: an open growth is not stated as sure.

Forecasts allow for every growth that explains the measurements. Beside them a growth
that is only the likeliest of several would contradict them, were it stated alone.
"""

from typing import Final

from markupsafe import Markup

from scalewatch.modelling import Growth
from scalewatch.pages.wording.mathematics import big_o
from scalewatch.services.series.standing import Standing

NO_GROWTH: Final = "no growth fits"
NONE_OF_THEM: Final = Markup("like no growth of the space")
PERHAPS: Final = "perhaps "


def order(value: Growth | None) -> str:
    """Write a growth as an order in plain text: `O(√p · log p)`."""
    return "–" if value is None else f"O({value.unicode()})"


def found_order(standing: Standing) -> str:
    """Write how a series grows in plain text: `perhaps O(log p)`."""
    if standing.growth is not None and standing.fit["misfit"]:
        return NO_GROWTH
    return f"{PERHAPS if standing.is_open else ''}{order(standing.growth)}"


def found_growth(standing: Standing) -> Markup:
    """Set how a series grows as an order; faint where that is open."""
    if standing.growth is not None and standing.fit["misfit"]:
        return Markup('<span class="quiet small">{}</span>').format(NO_GROWTH)
    found = big_o(standing.growth)
    if not standing.is_open:
        return found
    return Markup('<span class="quiet small">{}{}</span>').format(PERHAPS, found)


def like(standing: Standing) -> Markup:
    """Say what a series grows like, after `grows`: `perhaps like O(log p)`."""
    if standing.fit["misfit"]:
        return NONE_OF_THEM
    return Markup("{}like {}").format(
        PERHAPS if standing.is_open else "", big_o(standing.growth)
    )
