"""How likely each kind of change between two versions is.

Growths are never compared by name: the same code measured twice gets another one in a
third of all cases. Instead both versions are explained together by each of four kinds
of change, with τ_h the growths of the space,

    none          y = c₀ + c₁·τ_h in both versions,
    level         the later version is κ times the earlier,
    coefficient   τ_h in both, each with its own c₀ and c₁,
    growth        τ_h in the earlier version, another τ_h' in the later,

and Bayes' rule tells how likely each is. The likelihood φ of a misfit R and the width
W of its maximum are those of `evidence`. A version with a level of its own pays for
it with the range of κ that is thought possible,

    log Z(h, h') = φ(R_before(h) + R_after(h')) + log W_before(h) + log W_after(h')
                   + log(√(2π)·sd_κ / (2 log `LARGEST_FACTOR`)).

References
----------
D. J. C. MacKay, "Information Theory, Inference, and Learning Algorithms", 2003,
chapter 28 (model comparison and Occam factors).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from scalewatch.modelling.arrays.columns import total
from scalewatch.modelling.arrays.scratch import Scratch
from scalewatch.modelling.arrays.types import Reals
from scalewatch.modelling.evidence.curves import ScaledCurves
from scalewatch.modelling.evidence.evidence import weigh
from scalewatch.modelling.evidence.likelihood import Likelihood
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.versions.versions import Versions

LARGEST_FACTOR = 4.0
"""A version is thought to be at most so many times slower or faster."""

LOG_RANGE = float(np.log(2 * np.log(LARGEST_FACTOR)))


class VersionChange(StrEnum):
    """How a version differs from an earlier one."""

    NONE = "none"
    LEVEL = "level"
    COEFFICIENT = "coefficient"
    GROWTH = "growth"


PRIOR: Final = {
    VersionChange.NONE: 1 / 2,
    VersionChange.LEVEL: 1 / 6,
    VersionChange.COEFFICIENT: 1 / 6,
    VersionChange.GROWTH: 1 / 6,
}
"""Most versions change nothing about a region."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """The kinds of change, in the order of `VersionChange`, for a batch of series.

    Parameters
    ----------
    probability
        Posterior, shape (4, S).
    before, after
        Likeliest growth of each version under each, as a row of τ, shape (4, S).
    variance
        Of a difference of weight 1 under each, shape (4, S).
    freedom
        Degrees of freedom of `variance`, shape (S,).
    """

    probability: Reals
    before: NDArray[np.intp]
    after: NDArray[np.intp]
    variance: Reals
    freedom: Reals


def explain(versions: Versions, tau: Reals, constant: int, noise: Noise) -> Explanation:
    """Weigh all changes, over all growths and pairs of growths.

    Parameters
    ----------
    versions
        Two versions of S series at n settings.
    tau
        Growths divided by their largest value at the settings, shape (H, n), H > 1.
    constant
        The row of the constant.
    noise
        Assumptions about the noise.
    """
    likelihood = Likelihood.of(versions.both, noise)
    twice = np.concatenate([tau, tau], axis=1)
    same = _Weighed.of(twice, constant, versions.both, noise)
    levelled = _Weighed.of(twice, constant, versions.levelled(), noise)
    before = _Weighed.of(tau, constant, versions.before, noise)
    after = _Weighed.of(tau, constant, versions.after, noise)

    apart = before.misfit[:, np.newaxis] + after.misfit
    widths = before.log_width[:, np.newaxis] + after.log_width
    growths = np.arange(len(tau))
    misfits = {
        VersionChange.NONE: same.misfit,
        VersionChange.LEVEL: levelled.misfit,
        VersionChange.COEFFICIENT: apart[growths, growths],
        VersionChange.GROWTH: apart.reshape(-1, apart.shape[2]),
    }
    log_widths = {
        VersionChange.NONE: same.log_width,
        VersionChange.LEVEL: levelled.log_width,
        VersionChange.COEFFICIENT: widths[growths, growths],
        VersionChange.GROWTH: widths.reshape(misfits[VersionChange.GROWTH].shape),
    }
    # A constant with a coefficient of its own is a constant at another level, and a
    # pair of the same growth is no change of growth.
    log_widths[VersionChange.COEFFICIENT][constant] = -np.inf
    log_widths[VersionChange.GROWTH][growths * (len(tau) + 1)] = -np.inf

    return _explanation(versions, likelihood, misfits, log_widths, len(tau))


@dataclass(frozen=True, slots=True)
class _Weighed:
    """Best fits of all growths, and how wide their maxima are, shape (H, S)."""

    misfit: Reals
    log_width: Reals

    @classmethod
    def of(
        cls, tau: Reals, constant: int, location: Location, noise: Noise
    ) -> "_Weighed":
        shape = (len(tau), location.log.shape[1])
        curves = ScaledCurves.rising(tau, constant)
        weighed = weigh(curves, location, noise, Scratch(shape))
        misfit = weighed.fit.misfit
        phi, _ = Likelihood.of(location, noise)(misfit, Scratch(shape))
        return cls(misfit, (weighed.log_evidence - phi).astype(np.float64))


def _explanation(
    versions: Versions,
    likelihood: Likelihood,
    misfits: Mapping[VersionChange, Reals],
    log_widths: Mapping[VersionChange, Reals],
    growths: int,
) -> Explanation:
    """Turn misfits and widths into the posterior of the changes."""
    log_posterior, places, variances = [], [], []
    series = np.arange(likelihood.unit.size)
    for change, misfit in misfits.items():
        phi, energy = likelihood(misfit, Scratch(misfit.shape))
        variance = (energy / likelihood.freedom).astype(np.float64)
        log_evidence = phi + log_widths[change]
        if change is not VersionChange.NONE:
            log_evidence += _log_price(variance, versions)
        log_posterior.append(_log_mean(log_evidence, PRIOR[change]))
        place = log_evidence.argmax(axis=0)
        places.append(place)
        variances.append(likelihood.variance(misfit[place, series]))
    before, after = np.stack(places), np.stack(places)
    before[-1], after[-1] = np.divmod(places[-1], growths)
    return Explanation(
        probability=softmax(np.stack(log_posterior), axis=0),
        before=before,
        after=after,
        variance=np.stack(variances),
        freedom=likelihood.freedom.astype(np.float64),
    )


def _log_price(variance: Reals, versions: Versions) -> Reals:
    """Width of log κ over its range, shape of `variance`."""
    width: Reals = np.log(2 * np.pi * variance / total(versions.weight)) / 2
    return width - LOG_RANGE


def _log_mean(log_evidence: Reals, prior: float) -> Reals:
    """Add up hypotheses that are equally likely beforehand, shape (S,)."""
    competing = np.isfinite(log_evidence[:, 0]).sum()
    mean: Reals = logsumexp(log_evidence, axis=0) + np.log(prior / competing)
    return mean
