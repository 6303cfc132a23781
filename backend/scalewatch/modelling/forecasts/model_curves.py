"""Forecasts on the curve of the model, where its growth is believed.

The median of all curves is drawn away from a growth that is right by the shapes and the
curves outside of the space, with which intervals doubt it; where several growths are as
likely it is nearer than each of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scalewatch.modelling.arrays.types import Indices, Reals
from scalewatch.modelling.evidence.hypotheses import Hypotheses
from scalewatch.modelling.forecasts.inside import LARGEST_LOG2
from scalewatch.modelling.growths.terms import log2_table

BELIEVED: Final = 1 / 3
"""Probability of a growth above which forecasts follow its curve."""


@dataclass(frozen=True, slots=True)
class ModelCurves:
    """What models of H hypotheses consist of at targets.

    Parameters
    ----------
    terms
        One, for the constant, and the terms; NaN where undefined, shape (H, 3, T).
    """

    terms: Reals

    @classmethod
    def of(
        cls, hypotheses: Hypotheses, targets: Sequence[Mapping[str, float]]
    ) -> "ModelCurves":
        """Evaluate the terms of all hypotheses at targets."""
        growths = list(dict.fromkeys(sum(hypotheses.terms, ())))
        settings = {
            name: np.array([each[name] for each in targets]) for name in targets[0]
        }
        logs = np.minimum(log2_table(growths, settings), LARGEST_LOG2)
        values = dict(zip(growths, np.exp2(logs), strict=True))
        found = np.zeros((len(hypotheses), 3, len(targets)))
        found[:, 0] = 1.0
        for row, terms in enumerate(hypotheses.terms):
            for place, growth in enumerate(terms, start=1):
                found[row, place] = values[growth]
        return cls(found)

    def follow(
        self,
        forecasts: Reals,
        chosen: Indices,
        coefficients: Reals,
        probability: Reals,
    ) -> None:
        """Move values to the curves of models that are believed, within the bounds.

        Parameters
        ----------
        forecasts
            Value, low and high, shape (S, T, 3); overwritten.
        chosen
            Row of the hypothesis, shape (S,).
        coefficients
            Of a constant and the terms of it, shape (S, 3).
        probability
            Of its growth, shape (S,).
        """
        rows = np.flatnonzero(probability > BELIEVED)
        value, low, high = np.moveaxis(forecasts[rows], -1, 0)
        curve = np.einsum("sk,skt->st", coefficients[rows], self.terms[chosen[rows]])
        forecasts[rows, :, 0] = np.where(
            np.isfinite(curve), np.clip(curve, low, high), value
        )
