"""Figures of the costs of regions."""

from collections.abc import Callable, Mapping
from typing import Final

from scalewatch.figures.costs import (
    ShareLine,
    SharesDrawn,
    shares_figure,
)
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import setting_text
from scalewatch.services.costs.cost import Cost

NAMED: Final = 2
"""Regions that a reason names; of more it tells the number."""


def why_it_ends(cost: Cost) -> str:
    """Return in a few words why shares are told no farther."""
    if not cost.regions:
        return "nothing was measured over p"
    names = list(cost.lacking)
    if not names:
        return "the sum is zero"
    listed = ", ".join(names[:NAMED])
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    if cost.reach is None:
        return f"no value of {listed}{more}"
    return f"no forecast of {listed}{more} beyond p = {setting_text(cost.reach)}"


def _shares(cost: Cost) -> Figure:
    return shares_figure(
        SharesDrawn(
            lines=[ShareLine(each.region, each.shares) for each in cost.regions],
            scales=cost.scales,
            largest=cost.measured[-1] if cost.measured else 1.0,
            reach=cost.reach,
            target=cost.target,
            why=why_it_ends(cost),
            short="no forecast" if cost.lacking else "the sum is zero",
        )
    )


FIGURES: Final[Mapping[str, Callable[[Cost], Figure]]] = {"shares": _shares}
