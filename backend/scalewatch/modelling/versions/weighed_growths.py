"""What measurements say of each growth, over all curves that it leads.

Each growth has a few curves: itself beside a constant, and its shapes. With their
evidence Z_c and their shares s_c of the prior of the growth,

    Z = Σ_c s_c Z_c,    R that of the likeliest curve,    W = Z / exp φ(R),

so that measurements that are explained together can add up their misfits R and widths
W, as if each growth had one curve.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.rules.evidence.hypotheses import Hypotheses
from scalewatch.modelling.rules.evidence.likelihood import Likelihood
from scalewatch.modelling.rules.evidence.prior import shares_of


@dataclass(frozen=True, slots=True)
class WeighedGrowths:
    """Best fits, and how wide the maxima of the likelihood are about them.

    Parameters
    ----------
    misfit, log_width
        R and log W, shape (G, S).
    is_alone
        Whether the likeliest curve has one term only, shape (G, S).
    """

    misfit: Reals
    log_width: Reals
    is_alone: NDArray[np.bool_]

    @classmethod
    def of(
        cls, hypotheses: Hypotheses, location: Location, noise: Noise
    ) -> "WeighedGrowths":
        """Weigh each growth that leads a hypothesis, shape (G, S)."""
        series = location.log.shape[1]
        scratch = hypotheses.scratch(series)
        # What is negligible of one version may be likely of both.
        weighed = hypotheses.weigh(location, noise, scratch, thoroughly=True)
        log_evidence = weighed.log_evidence + _log_shares(hypotheses, noise.shapes)
        misfits = weighed.fit.misfit
        most = log_evidence[hypotheses.first]
        chosen = np.repeat(hypotheses.first[:, np.newaxis], series, axis=1)
        together = most.copy()
        for row in hypotheses.others:
            growth = hypotheses.leads[row]
            is_likelier = log_evidence[row] > most[growth]
            np.copyto(most[growth], log_evidence[row], where=is_likelier)
            chosen[growth, is_likelier] = row
            together[growth] = np.logaddexp(together[growth], log_evidence[row])
        misfit = misfits[chosen, np.arange(series)]
        phi, _ = Likelihood.of(location, noise)(misfit)
        return cls(misfit, together - phi, hypotheses.is_alone[chosen])


def _log_shares(hypotheses: Hypotheses, shapes: float) -> Reals:
    """Return the logarithm of each curve's share of its growth, shape (H, 1)."""
    shares = shares_of(hypotheses, shapes)
    shares /= hypotheses.by_growth(shares)[hypotheses.leads]
    with np.errstate(divide="ignore"):  # a metric may be known to have no shapes
        return np.asarray(np.log(shares)[:, np.newaxis])
