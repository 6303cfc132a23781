"""Curves of one unknown at the settings and at targets: growths and their shapes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.terms import log2_table, term_table
from scalewatch.modelling.rules.evidence.log_residuals import Base
from scalewatch.modelling.rules.evidence.model import Frame, are_defined, curves_of
from scalewatch.modelling.rules.evidence.prior import Prior
from scalewatch.modelling.rules.evidence.quadrature import TargetTable

Settings = Mapping[str, Reals]

LARGEST_LOG2: Final = 900.0
"""Growths are not followed beyond 2 to this power."""


@dataclass(frozen=True, slots=True)
class Curves:
    """H curves of one unknown.

    Parameters
    ----------
    rows
        Which of all that compete these are, shape (H,).
    share
        Prior, shape (H,).
    table
        The curves.
    """

    rows: Indices
    share: Reals
    table: TargetTable

    @classmethod
    def of(
        cls, frames: Sequence[Frame], rows: Indices, prior: Prior, targets: Settings
    ) -> "Curves":
        """Evaluate those curves of frames, `rows` of all, that targets allow."""
        ends = np.cumsum([len(frame.rows) for frame in frames])[:-1]
        allowed = [
            (frame, own, *frame.at(targets))
            for frame, own in zip(frames, np.split(rows, ends), strict=True)
            if are_defined((frame.base, *frame.rows), targets)
        ]
        told = [each for each in allowed if np.isfinite(each[2]).all()]
        if not told:
            nothing = np.zeros((0, 0))
            return cls(rows[:0], nothing[:, 0], TargetTable(nothing, nothing))
        kept, numbers, bases, ratios = zip(*told, strict=True)
        at, rows = curves_of(kept), np.concatenate(numbers)
        base = None
        if at.base is not None:
            sizes = [len(frame.rows) for frame in kept]
            base = Base(
                np.log(at.base.T)[..., np.newaxis],
                np.repeat(np.stack(bases, axis=1), sizes, axis=1)[..., np.newaxis],
            )
        target_tau = np.exp2(np.minimum(np.concatenate(ratios), LARGEST_LOG2))
        return cls(rows, prior.share[rows], TargetTable(at.tau, target_tau, base))


def target_table(
    growths: Sequence[Growth], settings: Settings, targets: Settings
) -> TargetTable:
    """Return growths over their largest value at the settings."""
    table = term_table(growths, settings)
    relative = log2_table(growths, targets) - table.log2_scale[:, np.newaxis]
    return TargetTable(table.tau, np.exp2(np.minimum(relative, LARGEST_LOG2)))
