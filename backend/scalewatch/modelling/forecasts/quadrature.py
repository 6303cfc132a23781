"""What curves of one term, 1 + e^ξ·τ(x), say about targets: quadrature over ξ.

The nodes are spread over the range of ξ and, denser, over ± 4.5 standard deviations
about the best fit, joined by the trapezoidal rule; a grid that does not follow the
width of the likelihood turns intervals of 90 % into 63 %. A last node stands for the
term alone.
"""

from dataclasses import dataclass

import numpy as np

from scalewatch.modelling.arrays.types import Reals
from scalewatch.modelling.evidence.evidence import ALONE, LOWEST, highest
from scalewatch.modelling.forecasts.log_residuals import Centred
from scalewatch.modelling.forecasts.mixture import Mixture

SPREAD, DENSE = 12, 20
REACH = 4.5
TERM_ALONE = 60.0
"""ξ without any constant to speak of."""

SMALLEST = 1e-300
LEAST_INFORMATION = 1e-12
LEAST_WIDTH = 1e-12
"""Of a node that another one covers."""

TERM_ALONE = 60.0
"""ξ without any constant to speak of."""


@dataclass(frozen=True, slots=True)
class TargetTable:
    """Growths at the settings and at the targets.

    Parameters
    ----------
    tau, target_tau
        Growths divided by their largest value at the settings, shapes (H, n) and
        (H, T).
    """

    tau: Reals
    target_tau: Reals


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
    nodes, log_weight = _nodes(best, _deviation(centred, tau, best), top)
    log_weight += np.log(prior)[:, np.newaxis]
    steep = np.exp(nodes.astype(np.float32))
    return centred.mixture(
        np.stack([np.log(1 + steep * column) for column in tau.astype(np.float32)]),
        np.stack(
            [np.log(1 + steep * column[:, np.newaxis]) for column in terms.target_tau.T]
        ),
        log_weight,
    )


def _deviation(centred: Centred, tau: Reals, best: Reals) -> Reals:
    """Return the standard deviation of ξ about its best value, shape (H, S)."""
    steep = np.exp(best) * tau
    curve, slope = np.log(1 + steep), steep / (1 + steep)
    _, energy = centred.phi(centred.misfit(curve, centred.mean(curve)))
    slope -= centred.mean(slope)
    information = centred.mass * centred.mean(slope * slope)
    variance: Reals = energy / centred.likelihood.freedom
    variance /= np.maximum(information, LEAST_INFORMATION)
    return np.sqrt(variance)


def _nodes(best: Reals, deviation: Reals, top: Reals) -> tuple[Reals, Reals]:
    """Return nodes in rising order and the logarithms of their shares, (Q, H, S)."""
    steps = np.linspace(-REACH, REACH, DENSE)[:, np.newaxis, np.newaxis]
    dense = np.clip(best + steps * deviation, LOWEST, top)
    fractions = np.linspace(0, 1, SPREAD)[:, np.newaxis, np.newaxis]
    spread = LOWEST + fractions * (top - LOWEST)
    nodes = np.empty((SPREAD + DENSE + 1, *best.shape))
    nodes[:SPREAD], nodes[SPREAD:-1] = spread, dense
    nodes[:-1].sort(axis=0)
    nodes[-1] = TERM_ALONE
    gaps = np.diff(nodes[:-1], axis=0) / 2
    width = np.full(nodes.shape, LEAST_WIDTH)
    width[:-2] += gaps
    width[1:-1] += gaps
    width[-1] = ALONE
    return nodes, np.log(width / (top + ALONE - LOWEST))
