"""Forecasts of curves with one unknown, by quadrature over it.

It is ξ of growths, 1 + e^ξ·τ(x), and κ of differences, τ(x) - κ.

The nodes are spread over the range of the unknown and, denser, over ± 4.5 standard
deviations about the best fit, joined by the trapezoidal rule; a grid that does not
follow the width of the likelihood turns intervals of 90 % into 63 %. For growths a last
node stands for the term alone.
"""

from dataclasses import dataclass

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.rules.evidence.laplace import ALONE, LOWEST, highest
from scalewatch.modelling.rules.evidence.log_residuals import Base, Centred
from scalewatch.modelling.rules.evidence.mixture import Mixture
from scalewatch.modelling.rules.evidence.model import LARGEST_SHARE

SPREAD, DENSE = 12, 20
REACH = 4.5
TERM_ALONE = 60.0
"""ξ without any constant to speak of."""

SMALLEST = 1e-300
LEAST_INFORMATION = 1e-12
LEAST_WIDTH = 1e-12
"""Least width of a node, as of one that another one covers."""


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
    best = np.clip(np.log(np.maximum(ratio, SMALLEST)), LOWEST, top)
    steep = np.exp(best) * tau
    slope = steep / (1 + steep)
    deviation = _deviation(centred, np.log(1 + steep), slope, terms.base)
    nodes, width = _nodes(best, deviation, LOWEST, top)
    nodes = np.concatenate([nodes, np.full_like(best, TERM_ALONE)[np.newaxis]])
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
    variance /= np.maximum(information, LEAST_INFORMATION)
    return np.sqrt(variance)


def _nodes(
    best: Reals, deviation: Reals, low: float, high: Reals
) -> tuple[Reals, Reals]:
    """Return nodes in rising order and how wide each is, shape (Q, H, S)."""
    steps = np.linspace(-REACH, REACH, DENSE)[:, np.newaxis, np.newaxis]
    dense = np.clip(best + steps * deviation, low, high)
    fractions = np.linspace(0, 1, SPREAD)[:, np.newaxis, np.newaxis]
    spread = np.broadcast_to(low + fractions * (high - low), (SPREAD, *best.shape))
    nodes = np.concatenate([spread, dense])
    nodes.sort(axis=0)
    gaps = np.diff(nodes, axis=0) / 2
    width = np.full(nodes.shape, LEAST_WIDTH)
    width[:-1] += gaps
    width[1:] += gaps
    return nodes, width
