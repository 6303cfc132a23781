"""Forecasts with intervals that hold, from all curves that the measurements allow.

The bounds are quantiles of a mixture over the curves that compete, of one unknown each
(`quadrature`), and over curves outside of the space (`importance_sampling`), with the
shares of `Noise.kinds`. The value is the median of the same with less weight on the
latter, and on curves that another growth leads than that of the model: they make
intervals honest, but a value worse where the space has the truth.

A `Noise` learned from many series widens the bounds by k, which is what forecasts one
step beyond the measurements asked for. That curves depart from all models goes on
beyond: like a random walk, by 1 + (k - 1)·√h after h steps.

References ---------- J. A. Hoeting et al., "Bayesian Model Averaging: A Tutorial",
Statistical Science 14, 1999.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Final

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.terms import log2_table, term_table
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.rules.evidence.hypotheses import Hypotheses
from scalewatch.modelling.rules.evidence.importance_sampling import (
    TwoTermCurves,
    free_power,
    partners,
    sample,
    two_terms,
)
from scalewatch.modelling.rules.evidence.least_squares import LEAST_CONSTANT
from scalewatch.modelling.rules.evidence.log_residuals import Base, Centred
from scalewatch.modelling.rules.evidence.mixture import Mixture
from scalewatch.modelling.rules.evidence.model import (
    Curve,
    Frame,
    are_defined,
    curves_of,
)
from scalewatch.modelling.rules.evidence.prior import Prior
from scalewatch.modelling.rules.evidence.quadrature import (
    TargetTable,
    one_difference,
    one_term,
)

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


def target_table(
    growths: Sequence[Growth], settings: Settings, targets: Settings
) -> TargetTable:
    """Return growths over their largest value at the settings."""
    table = term_table(growths, settings)
    relative = log2_table(growths, targets) - table.log2_scale[:, np.newaxis]
    return TargetTable(table.tau, np.exp2(np.minimum(relative, LARGEST_LOG2)))


@dataclass(frozen=True, slots=True)
class Outside:
    """Curves that are no growth of the space, over a base in common.

    Parameters
    ----------
    log_base, target_log_base
        Logarithm of the base, shapes (n,) and (T,).
    families
        In the order of `Noise.kinds`.
    """

    log_base: Reals
    target_log_base: Reals
    families: tuple[TwoTermCurves, ...]

    @classmethod
    def of(cls, frame: Frame, settings: Settings, targets: Settings) -> "Outside":
        """Return those over the base of a frame."""
        least = -LARGEST_LOG2 * np.log(2)
        far = np.maximum(frame.log_base_at(targets), least)
        families = tuple(_families(frame.base, settings, targets))
        return cls(frame.log_base, far, families)

    def mixtures(self, location: Location, noise: Noise) -> list[Mixture]:
        """Return the density of each family at the targets."""
        centred = Centred.of(location.over(self.log_base), noise)
        return [
            sample(centred, family).shifted(self.target_log_base)
            for family in self.families
        ]


def _families(
    base: Curve, settings: Settings, targets: Settings
) -> Iterator[TwoTermCurves]:
    """Yield the curves outside of the space that are defined everywhere."""
    if len(settings) > 1:
        return
    ((parameter, x),) = settings.items()
    beyond = targets[parameter]
    smallest = min(x.min(), beyond.min(initial=np.inf))
    if smallest <= 0:
        return
    if base in {CONSTANT, Growth.of(parameter, power=-1)}:
        yield free_power(x, beyond)
    if base != CONSTANT or smallest < 1:
        return
    logarithm, powers = partners(parameter)
    yield two_terms(
        target_table((logarithm,), settings, targets),
        target_table(powers, settings, targets),
    )


_Columns = tuple[tuple[str, tuple[float, ...]], ...]
"""Settings as a key of a cache."""

Fits = tuple[Reals, Reals]
"""c₀ and c₁ of H curves and S series, shape (H, S) each."""

OUTSIDE: Final = 0.1
"""Weight of curves outside of the space in the value, if 1 in the bounds."""

OTHERS: Final = 0.3
"""The same of curves of other growths than the model's."""

BLOCK = 64
"""Series whose curves are compared together."""

LARGEST_LOG = 709.0
"""Forecasts beyond e to this power are no numbers."""


@dataclass(frozen=True, slots=True)
class TargetDensities:
    """Densities of the metric at the targets, by kind of curve.

    Parameters
    ----------
    kinds
        In the order of `Noise.kinds`; the first are those of the space.
    leads
        Which growth leads, per density of the first kind.
    """

    kinds: tuple[Mixture, ...]
    leads: Indices

    def quantiles(
        self, shares: Sequence[float], level: float, growth: Indices | None = None
    ) -> tuple[Reals, Reals, Reals]:
        """Return low, value and high as logarithms, shape (T, S) each.

        Parameters
        ----------
        shares
            Of each kind.
        level
            Probability that the bounds should hold.
        growth
            That of the models, shape (S,); None where there are none.
        """
        # Some settings have growths only: logarithms need positive ones.
        pairs = zip(self.kinds, shares, strict=False)
        weighted = [kind.weighted(np.log(share)) for kind, share in pairs]
        mixture, parts = Mixture.joined(weighted).heaviest()
        bounds = mixture.quantiles(((1 - level) / 2, (1 + level) / 2))
        doubted = mixture.weighted(self._log_doubt(parts, growth))
        value = doubted.quantiles((0.5,))[:, 0]
        low, high = bounds.transpose(1, 0, 2)
        return low, np.clip(value, low, high), high

    def _log_doubt(self, parts: Indices, growth: Indices | None) -> Reals:
        """Return by what the weight of densities differs in the value, like parts."""
        is_inside = parts < len(self.leads)
        doubt = np.where(is_inside, 0.0, np.log(OUTSIDE))
        if growth is None:
            return doubt
        leads = self.leads[np.where(is_inside, parts, 0)]
        return np.where(is_inside & (leads != growth), np.log(OTHERS), doubt)


@dataclass(frozen=True, slots=True)
class Forecaster:
    """All curves that compete.

    Parameters
    ----------
    terms, differences
        Those of one unknown.
    outside
        The others, by base.
    leads
        Which growth leads, per curve of all that compete.
    steps
        How far each target lies beyond the measurements, at least 1, shape (T,).
    """

    terms: Curves
    differences: Curves
    outside: tuple[Outside, ...]
    leads: Indices
    steps: Reals

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
        location: Location,
        noise: Noise,
        fits: Fits,
        level: float,
        growth: Indices,
    ) -> Reals:
        """Return value, low and high, shape (S, T, 3).

        Parameters
        ----------
        location
            Of S series.
        noise
            Assumptions about their noise.
        fits
            c₀ and c₁ of the best fits of all curves.
        level
            Probability that the bounds should hold.
        growth
            That of the models, shape (S,).
        """
        widening = 1 + (noise.widening - 1) * np.sqrt(self.steps)[:, np.newaxis]
        forecasts = []
        blocks = np.split(growth, range(BLOCK, len(growth), BLOCK))
        outlooks = self.outlooks(location, noise, fits)
        for outlook, block in zip(outlooks, blocks, strict=True):
            low, value, high = outlook.quantiles(noise.kinds, level, block)
            logs = np.stack(
                [
                    value,
                    value + widening * (low - value),
                    value + widening * (high - value),
                ]
            )
            forecasts.append(np.exp(np.minimum(logs, LARGEST_LOG)).transpose(2, 1, 0))
        return np.concatenate(forecasts)

    def outlooks(
        self, location: Location, noise: Noise, fits: Fits
    ) -> Iterator[TargetDensities]:
        """Yield the densities of all curves at the targets by block of series."""
        for start in range(0, location.log.shape[1], BLOCK):
            block = slice(start, start + BLOCK)
            part = location.only(block)
            constant, slope = (each[:, block] for each in fits)
            inside = list(self.inside(Centred.of(part, noise), (constant, slope)))
            outside = zip_longest(
                *(each.mixtures(part, noise) for each in self.outside)
            )
            yield TargetDensities(
                (
                    Mixture.joined([each for each, _ in inside]),
                    *(
                        Mixture.joined([each for each in kind if each])
                        for kind in outside
                    ),
                ),
                # Densities are nodes by curves, see `inside`.
                np.concatenate(
                    [
                        np.resize(self.leads[rows], len(mixture.log_weight))
                        for mixture, rows in inside
                    ]
                ),
            )

    def inside(self, centred: Centred, fits: Fits) -> Iterator[tuple[Mixture, Indices]]:
        """Yield densities of curves with one unknown at the targets, and their rows.

        Densities of a mixture are nodes by curves, see `quadrature`.
        """
        constant, slope = fits
        terms, less = self.terms, self.differences
        steep = slope[terms.rows]
        ratio = steep / np.maximum(constant[terms.rows], steep * LEAST_CONSTANT)
        yield one_term(centred, terms.table, terms.share, ratio), terms.rows
        if len(less.rows):
            share = -constant[less.rows] / slope[less.rows]
            yield one_difference(centred, less.table, less.share, share), less.rows


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
        tuple(
            Outside.of(frame, settings, targets)
            for frame in (hypotheses.rising, *hypotheses.falling)
        ),
        hypotheses.leads,
        _steps(settings, targets),
    )


def _steps(settings: Settings, targets: Settings) -> Reals:
    """Return how many times as far as the last two settings lie apart, at least 1."""
    ((parameter, x),) = settings.items()
    beyond = targets[parameter]
    *_, before, last = x
    if before <= 0:
        return np.ones_like(beyond)
    step = np.log(last / before)
    return np.asarray(np.maximum(np.log(np.maximum(beyond / last, 1)) / step, 1))
