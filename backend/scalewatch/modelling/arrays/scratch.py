"""Scratch arrays: memory that one block of series leaves to the next.

To allocate a large array costs more than to fill it: the pages come from the system
and go back to it. Kernels that run over many blocks take their arrays from here.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scalewatch.modelling.arrays.types import Reals, Singles


@dataclass(slots=True)
class Scratch:
    """Arrays of one shape, handed out with any content.

    Parameters
    ----------
    shape
        Of all of them.
    """

    shape: tuple[int, ...]
    _reals: list[Reals] = field(default_factory=list)
    _singles: list[Singles] = field(default_factory=list)

    def reals(self) -> Reals:
        """Hand out an array in double precision."""
        return self._reals.pop() if self._reals else np.empty(self.shape)

    def singles(self) -> Singles:
        """Hand out an array in single precision."""
        if self._singles:
            return self._singles.pop()
        return np.empty(self.shape, dtype=np.float32)

    def take_back(self, *arrays: Reals | Singles) -> None:
        """Keep arrays that were handed out and are not needed any more."""
        for array in arrays:
            known: list[Any] = (
                self._reals if array.dtype == np.float64 else self._singles
            )
            known.append(array)
