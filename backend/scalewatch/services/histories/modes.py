"""Series that jump between two levels, as the newest detection tells them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scalewatch.services.common_mode.project_history import SeriesHistory


def two_modes(
    details: Mapping[str, Any], histories: Sequence[SeriesHistory]
) -> Iterator[str]:
    """Yield a sentence for each of the histories that has two modes.

    Parameters
    ----------
    details
        What is stored of the detection.
    """
    known = details.get("modes", {})
    for history in histories:
        modes = known.get(str(history.series.id))
        if modes is not None:
            yield (
                f"{history.series.machine}: two modes, × {modes['factor']:.3g} apart; "
                f"{100 * modes['share']:.0f} % of the commits are at the upper one"
            )
