"""Forecasts with intervals that hold, from all curves that the measurements allow.

The bounds are quantiles of a mixture over the curves that compete, under each size of
the discrepancy, and the value is its median. Each curve has one unknown, over which it
is integrated by quadrature: ξ of growths, 1 + e^ξ·τ(x), and κ of differences, τ(x) - κ.

The nodes are spread over the range of the unknown and, denser, over ± 4.5 standard
deviations about the best fit, joined by the trapezoidal rule; a grid that does not
follow the width of the likelihood turns intervals of 90 % into 63 %. For growths a last
node stands for the term alone.

References
----------
J. A. Hoeting et al., "Bayesian Model Averaging: A Tutorial", Statistical Science 14,
1999.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from scalewatch.modelling.arrays import Indices, Reals
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.discrepancy import Departing
from scalewatch.modelling.rules.evidence.assumptions import ASSUMED
from scalewatch.modelling.rules.evidence.hypotheses import Hypotheses
from scalewatch.modelling.rules.evidence.laplace import ALONE, LOWEST, highest
from scalewatch.modelling.rules.evidence.least_squares import LEAST_CONSTANT
from scalewatch.modelling.rules.evidence.log_residuals import (
    Base,
    Centred,
    Mixture,
    Places,
)
from scalewatch.modelling.rules.evidence.model import (
    LARGEST_SHARE,
    Frame,
    are_defined,
    curves_of,
)
from scalewatch.modelling.rules.evidence.posterior import Prior


@dataclass(frozen=True, slots=True)
class TargetTable:
    """H curves at the n settings and at the T targets, over their bases.

    Parameters
    ----------
    tau, target_tau
        Curves divided by their largest value at the settings, shapes (H, n) and
        (H, T).
    base
        Logarithms of what both are multiples of; None where that is constant.
    """

    tau: Reals
    target_tau: Reals
    base: Base | None = None


def one_term(
    centred: Centred, terms: TargetTable, prior: Reals, ratio: Reals
) -> Mixture:
    """Return the mixture of all growths.

    Parameters
    ----------
    centred
        Measurements of S series.
    terms
        Of H growths.
    prior
        Share of each growth, shape (H,).
    ratio
        c₁/c₀ of the best fit of τ, shape (H, S).
    """
    tau = terms.tau.T[:, :, np.newaxis]
    top = highest(terms.tau)
    best = np.clip(np.log(np.maximum(ratio, ASSUMED.smallest_ratio)), LOWEST, top)
    steep = np.exp(best) * tau
    slope = steep / (1 + steep)
    deviation = _deviation(centred, np.log(1 + steep), slope, terms.base)
    nodes, width = _nodes(best, deviation, LOWEST, top)
    nodes = np.concatenate([nodes, np.full_like(best, ASSUMED.term_alone)[np.newaxis]])
    width = np.concatenate([width, np.full_like(best, ALONE)[np.newaxis]])
    log_weight = np.log(width / (top + ALONE - LOWEST))
    log_weight += np.log(prior)[:, np.newaxis]
    steep = np.exp(nodes.astype(np.float32))
    return centred.mixture(
        np.stack([np.log(1 + steep * column) for column in tau.astype(np.float32)]),
        np.stack(
            [np.log(1 + steep * column[:, np.newaxis]) for column in terms.target_tau.T]
        ),
        log_weight,
        terms.base,
    )


def one_difference(
    centred: Centred, terms: TargetTable, prior: Reals, share: Reals
) -> Mixture:
    """Return the mixture of all differences τ - κ; arguments as of `one_term`.

    Where a difference is not positive at a target, below the settings, it is left out.

    Parameters
    ----------
    centred, terms, prior
        Of H differences.
    share
        κ of the best fit, shape (H, S).
    """
    tau = terms.tau.T[:, :, np.newaxis]
    largest = LARGEST_SHARE * terms.tau.min(axis=1, keepdims=True)
    best = np.clip(share, 0, largest)
    curve = tau - best
    deviation = _deviation(centred, np.log(curve), -1 / curve, terms.base)
    nodes, width = _nodes(best, deviation, 0.0, largest)
    beyond = terms.target_tau.T[:, np.newaxis, :, np.newaxis] - nodes
    is_left = (beyond > 0).all(axis=0)
    log_weight = np.log(width / largest) + np.log(prior)[:, np.newaxis]
    return centred.mixture(
        np.log(tau[:, np.newaxis] - nodes),
        np.log(np.where(is_left, beyond, 1.0)),
        np.where(is_left, log_weight, -np.inf),
        terms.base,
    )


def _deviation(
    centred: Centred, curve: Reals, slope: Reals, base: Base | None
) -> Reals:
    """Return the standard deviation of an unknown about its best value, shape (H, S).

    Parameters
    ----------
    centred
        Measurements of S series.
    curve, slope
        Logarithm of a curve over its base, and its derivative, shape (n, H, S).
    base
        Of all curves.
    """
    if base is not None:
        curve = curve + base.settings
    _, energy = centred.phi(centred.square(centred.left(curve, centred.mean(curve))))
    information = centred.square(slope - centred.mean(slope))
    variance: Reals = energy / centred.likelihood.freedom
    variance /= np.maximum(information, ASSUMED.least_information)
    return np.sqrt(variance)


def _nodes(
    best: Reals, deviation: Reals, low: float, high: Reals
) -> tuple[Reals, Reals]:
    """Return nodes in rising order and how wide each is, shape (Q, H, S)."""
    steps = np.linspace(-ASSUMED.dense_reach, ASSUMED.dense_reach, ASSUMED.dense)[
        :, np.newaxis, np.newaxis
    ]
    dense = np.clip(best + steps * deviation, low, high)
    fractions = np.linspace(0, 1, ASSUMED.spread)[:, np.newaxis, np.newaxis]
    spread = np.broadcast_to(
        low + fractions * (high - low), (ASSUMED.spread, *best.shape)
    )
    nodes = np.concatenate([spread, dense])
    nodes.sort(axis=0)
    gaps = np.diff(nodes, axis=0) / 2
    width = np.full(nodes.shape, ASSUMED.narrowest_node)
    width[:-1] += gaps
    width[1:] += gaps
    return nodes, width


Settings = Mapping[str, Reals]

Fits = tuple[Reals, Reals]
"""c₀ and c₁ of H curves and S series, shape (H, S) each."""


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
        target_tau = np.exp2(np.minimum(np.concatenate(ratios), ASSUMED.largest_log2))
        return cls(rows, prior.share[rows], TargetTable(at.tau, target_tau, base))


@dataclass(frozen=True, slots=True)
class Forecaster:
    """All curves that compete.

    Parameters
    ----------
    terms, differences
        Those whose terms add up, and those of which one is taken off.
    places
        Of settings and targets.
    """

    terms: Curves
    differences: Curves
    places: Places

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
        locations: Sequence[Departing],
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
        targets = self.terms.table.target_tau.shape[1]
        length = max(1, ASSUMED.forecast_block // max(1, targets))
        for start in range(0, locations[0].log.shape[1], length):
            block = slice(start, start + length)
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
            forecasts.append(
                np.exp(np.minimum(logs, ASSUMED.largest_log)).transpose(2, 0, 1)
            )
        return np.concatenate(forecasts)

    def inside(
        self, location: Departing, noise: Noise, fits: Fits
    ) -> Iterator[tuple[Mixture, Indices]]:
        """Yield densities of curves under one size, and the rows of the curves."""
        constant, slope = fits
        centred = Centred.of(location, noise, self.places)
        share = location.log_share
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
        Places.of(settings, targets),
    )
