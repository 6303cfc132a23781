"""Forecasts with intervals that hold, from all curves that the measurements allow.

The bounds are quantiles of a mixture over the curves that compete, of one unknown each
(`quadrature`), under each size of the discrepancy, and the value is its median.

References
----------
J. A. Hoeting et al., "Bayesian Model Averaging: A Tutorial", Statistical Science 14,
1999.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.rules.evidence.hypotheses import Hypotheses
from scalewatch.modelling.rules.evidence.least_squares import LEAST_CONSTANT
from scalewatch.modelling.rules.evidence.log_residuals import (
    Base,
    Centred,
    Places,
    places_of,
)
from scalewatch.modelling.rules.evidence.mixture import Mixture
from scalewatch.modelling.rules.evidence.model import Frame, are_defined, curves_of
from scalewatch.modelling.rules.evidence.prior import Prior
from scalewatch.modelling.rules.evidence.quadrature import (
    TargetTable,
    one_difference,
    one_term,
)

Settings = Mapping[str, Reals]

Fits = tuple[Reals, Reals]
"""c₀ and c₁ of H curves and S series, shape (H, S) each."""

LARGEST_LOG2: Final = 900.0
"""Growths are not followed beyond 2 to this power."""

LARGEST_LOG = 709.0
"""Forecasts beyond e to this power are no numbers."""

BLOCK = 64
"""Series whose curves are compared together."""


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
            (frame, numbers, *frame.at(targets))
            for frame, numbers in zip(frames, np.split(rows, ends), strict=True)
            if are_defined((frame.base, *frame.rows), targets)
        ]
        finite = [each for each in allowed if np.isfinite(each[2]).all()]
        if not finite:
            nothing = np.zeros((0, 0))
            return cls(rows[:0], nothing[:, 0], TargetTable(nothing, nothing))
        kept, numbers, bases, ratios = zip(*finite, strict=True)
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


@dataclass(frozen=True, slots=True)
class Forecaster:
    """All curves that compete.

    Parameters
    ----------
    terms, differences
        Those whose terms add up, and those of which one is taken off.
    places
        Of settings and targets; None where there is no discrepancy.
    """

    terms: Curves
    differences: Curves
    places: Places | None

    @classmethod
    def of(
        cls,
        hypotheses: Hypotheses,
        prior: Prior,
        settings: Settings,
        targets: Sequence[Mapping[str, float]],
    ) -> "Forecaster":
        """Evaluate curves, defined at all settings and targets.

        Parameters
        ----------
        hypotheses
            The curves.
        prior
            Of all of them in order.
        settings, targets
            Where they are evaluated.
        """
        measured = tuple((name, tuple(x.tolist())) for name, x in settings.items())
        wanted = tuple((name, tuple(at[name] for at in targets)) for name in settings)
        return _forecaster(hypotheses, prior.share.tobytes(), measured, wanted)

    def forecasts(
        self,
        locations: Sequence[Location],
        noise: Noise,
        fits: Sequence[Fits],
        level: float,
    ) -> Reals:
        """Return value, low and high, shape (S, T, 3).

        Parameters
        ----------
        locations
            Of S series, under each size of the discrepancy.
        noise
            Assumptions about their noise.
        fits
            c₀ and c₁ of the best fits of all curves, under each.
        level
            Probability that the bounds should hold.
        """
        levels = 0.5, (1 - level) / 2, (1 + level) / 2
        forecasts = []
        for start in range(0, locations[0].log.shape[1], BLOCK):
            block = slice(start, start + BLOCK)
            mixture = Mixture.joined(
                [
                    density
                    for location, (constant, slope) in zip(locations, fits, strict=True)
                    for density, _ in self.inside(
                        location.only(block),
                        noise,
                        (constant[:, block], slope[:, block]),
                    )
                ]
            )
            logs = mixture.heaviest().quantiles(levels)
            forecasts.append(np.exp(np.minimum(logs, LARGEST_LOG)).transpose(2, 0, 1))
        return np.concatenate(forecasts)

    def inside(
        self, location: Location, noise: Noise, fits: Fits
    ) -> Iterator[tuple[Mixture, Indices]]:
        """Yield densities of curves under one size, and the rows of the curves."""
        constant, slope = fits
        centred = Centred.of(location, noise, self.places)
        share = 0.0 if location.log_share is None else location.log_share
        terms, less = self.terms, self.differences
        steep = slope[terms.rows]
        ratio = steep / np.maximum(constant[terms.rows], steep * LEAST_CONSTANT)
        mixture = one_term(centred, terms.table, terms.share, ratio)
        yield mixture.weighted(share), terms.rows
        if len(less.rows):
            taken_off = -constant[less.rows] / slope[less.rows]
            mixture = one_difference(centred, less.table, less.share, taken_off)
            yield mixture.weighted(share), less.rows


_Columns = tuple[tuple[str, tuple[float, ...]], ...]
"""Settings as a key of a cache."""


# Series by series, the same settings and targets come again and again.
@lru_cache(maxsize=16)
def _forecaster(
    hypotheses: Hypotheses, shares: bytes, measured: _Columns, wanted: _Columns
) -> Forecaster:
    """Evaluate curves, `shares` being the bytes of their prior, float64."""
    settings, targets = (
        {name: np.array(x, dtype=np.float64) for name, x in columns}
        for columns in (measured, wanted)
    )
    prior = Prior(np.frombuffer(shares))
    rows = np.arange(len(hypotheses))
    taken_off, added = np.split(rows, [len(hypotheses.differences)])
    return Forecaster(
        Curves.of(hypotheses.frames, added, prior, targets),
        Curves.of(hypotheses.differences, taken_off, prior, targets),
        places_of(settings, targets),
    )
