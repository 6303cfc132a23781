"""Values of the candidate terms at the measured settings, fit for least squares."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.growth import Growth


@dataclass(frozen=True, slots=True)
class TermTable:
    """Terms divided by their largest value, so that none overflows.

    Parameters
    ----------
    tau
        τ_h(x) = t_h(x) / max t_h, shape (H, n), 0 … 1.
    log2_scale
        log₂ max t_h, shape (H,): a coefficient of τ_h times 2 to the minus this is
        one of t_h.
    """

    tau: NDArray[np.float64]
    log2_scale: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Terms:
    """The growths of one parameter, none of them constant.

    Parameters
    ----------
    parameter
        Its name.
    growths
        G of them.
    table
        Their values at the measured settings.
    """

    parameter: str
    growths: tuple[Growth, ...]
    table: TermTable

    def only(self, numbers: NDArray[np.intp]) -> "Terms":
        """Return some of them."""
        return Terms(
            self.parameter,
            tuple(self.growths[number] for number in numbers.tolist()),
            TermTable(self.table.tau[numbers], self.table.log2_scale[numbers]),
        )


def term_table(
    growths: Sequence[Growth], settings: Mapping[str, NDArray[np.float64]]
) -> TermTable:
    """Evaluate growths, all defined at `settings`, the constant as ones."""
    points = len(next(iter(settings.values())))
    logarithms = np.stack(
        [np.broadcast_to(growth.log2(settings), points) for growth in growths]
    )
    log2_scale = logarithms.max(axis=1)
    return TermTable(np.exp2(logarithms - log2_scale[:, np.newaxis]), log2_scale)
