"""The kinds of change between two versions, and how likely each is.

Growths are never compared by name: the same code measured twice gets another one in a
third of all cases. Instead both versions are explained together by each of four kinds
of change, h any growth with its shapes,

    none          the same curve of h in both versions,
    level         the later version is κ times the earlier,
    coefficient   h in both, each with coefficients of its own,
    growth        h in the earlier version, another h' in the later,

and Bayes' rule tells how likely each is. The likelihood φ of a misfit R is that of
`likelihood`, the width W of its maximum that of `WeighedGrowths`. A version with a
level of its own pays for it with the range of κ that is thought possible,

    log Z(h, h') = φ(R_before(h) + R_after(h')) + log W_before(h) + log W_after(h')
                   + log(√(2π)·sd_κ / (2 log `largest_factor`)).

Measurements are weighed for each growth over all curves that it leads. Each growth has
a few curves: itself beside a constant, and its shapes. With their evidence Z_c and
their shares s_c of the prior of the growth,

    Z = Σ_c s_c Z_c,    R that of the likeliest curve,    W = Z / exp φ(R),

so that measurements that are explained together can add up their misfits R and widths
W, as if each growth had one curve.

A coefficient is told from a level by where the curves differ. Let a curve c₀ + c₁·τ
with ρ = c₁/c₀ differ by d, the logarithm of after over before at n settings, of mean m.
If all of it was multiplied, d is m everywhere. If only what grows was, by f, it is

    t = log((1 + f·ρ·τ) / (1 + ρ·τ)),    f such that the mean of t is m.

Either has one number to choose, the mean takes it away from both, and what is left is
whether d rises with τ as t does. With s = (d - m)·(t - m) / |t - m|² and the variance v
of a difference, the logarithm of the likelihood ratio is

    log P(d | growing part) - log P(d | everything) = |t - m|² / v · (s - 1/2).

What all settings of a commit share shifts m alone, and is no noise here. Where the
constant vanishes both are the same, and the ratio is 1.

References
----------
D. J. C. MacKay, "Information Theory, Inference, and Learning Algorithms", 2003,
chapter 28 (model comparison and Occam factors).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from scalewatch.modelling.arrays import Indices, Reals, total
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.space import Space
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.discrepancy import independent
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.rules.evidence.hypotheses import Hypotheses
from scalewatch.modelling.rules.evidence.model import falls
from scalewatch.modelling.rules.evidence.posterior import shares_of
from scalewatch.modelling.rules.evidence.weighing import Likelihood
from scalewatch.modelling.versions.assumptions import ASSUMED
from scalewatch.modelling.versions.versions import Versions

LOG_RANGE = float(np.log(2 * np.log(ASSUMED.largest_factor)))


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
    growths
        All that compete.
    probability
        Posterior, shape (4, S).
    before, after
        Likeliest growth of each version under each, shape (4, S).
    variance
        Of a difference of weight 1 under each, shape (4, S).
    freedom
        Degrees of freedom of `variance`, shape (S,).
    """

    growths: tuple[Growth, ...]
    probability: Reals
    before: Indices
    after: Indices
    variance: Reals
    freedom: Reals

    def put(self, series: Indices, part: "Explanation") -> None:
        """Enter what is found about some series."""
        self.probability[:, series] = part.probability
        self.before[:, series] = part.before
        self.after[:, series] = part.after
        self.variance[:, series] = part.variance
        self.freedom[series] = part.freedom


def explain(
    versions: Versions, space: Space, settings: Mapping[str, Reals], noise: Noise
) -> Explanation:
    """Weigh all changes, over all growths and pairs of growths.

    What strong scaling may be competes for series of which a version falls.

    Parameters
    ----------
    versions
        Two versions of S series at n settings of one parameter.
    space
        Growths that compete.
    settings
        Where both were measured.
    noise
        Assumptions about the noise.
    """
    is_positive = all((x > 0).all() for x in settings.values())
    is_falling = falls(versions.before) | falls(versions.after)
    falling = np.flatnonzero(is_falling & is_positive)
    explained = _explained(versions, space, settings, noise)
    if not falling.size:
        return explained
    fallen = _explained(versions.only(falling), space, settings, noise, may_fall=True)
    # Growths that rise are the first ones, whether or not others follow.
    explained = replace(explained, growths=fallen.growths)
    explained.put(falling, fallen)
    return explained


def _explained(
    versions: Versions,
    space: Space,
    settings: Mapping[str, Reals],
    noise: Noise,
    *,
    may_fall: bool = False,
) -> Explanation:
    """Weigh all changes of series that fall, or of those that do not."""
    once = Hypotheses.of(space, settings, may_fall=may_fall)
    twice = {name: np.concatenate([x, x]) for name, x in settings.items()}
    both = Hypotheses.of(space, twice, may_fall=may_fall)
    same = WeighedGrowths.of(both, versions.both, noise)
    levelled = WeighedGrowths.of(both, versions.levelled(), noise)
    before = WeighedGrowths.of(once, versions.before, noise)
    after = WeighedGrowths.of(once, versions.after, noise)

    size = len(once.leading)
    # What has one term only has no other coefficient than its level, and a pair of the
    # same growth is no change of growth.
    width = before.log_width + after.log_width
    width[before.is_alone & after.is_alone] = -np.inf
    pairs = before.log_width[:, np.newaxis] + after.log_width
    pairs[np.arange(size), np.arange(size)] = -np.inf
    apart = before.misfit[:, np.newaxis] + after.misfit
    by_change = {
        VersionChange.NONE: (same.misfit, same.log_width),
        VersionChange.LEVEL: (levelled.misfit, levelled.log_width),
        VersionChange.COEFFICIENT: (before.misfit + after.misfit, width),
        VersionChange.GROWTH: (
            apart.reshape(size**2, -1),
            pairs.reshape(size**2, -1),
        ),
    }
    return _explanation(versions, by_change, once.leading, noise)


def _explanation(
    versions: Versions,
    by_change: Mapping[VersionChange, tuple[Reals, Reals]],
    growths: tuple[Growth, ...],
    noise: Noise,
) -> Explanation:
    """Turn misfits and logarithms of widths into the posterior of the changes."""
    likelihood = Likelihood.of(versions.both, noise)
    log_posterior, places, variances = [], [], []
    series = np.arange(likelihood.unit.size)
    for change, (misfit, log_width) in by_change.items():
        phi, energy = likelihood(misfit)
        variance = (energy / likelihood.freedom).astype(np.float64)
        log_evidence = phi + log_width
        if change is not VersionChange.NONE:
            width: Reals = np.log(2 * np.pi * variance / total(versions.weight)) / 2
            log_evidence += width - LOG_RANGE
        competing = np.isfinite(log_evidence).sum(axis=0)
        most = log_evidence.max(axis=0)
        mean: Reals = most + np.log(
            total(np.exp(log_evidence - most)) * PRIOR[change] / competing
        )
        log_posterior.append(mean)
        place = log_evidence.argmax(axis=0)
        places.append(place)
        variances.append(likelihood.variance(misfit[place, series]))
    before, after = np.stack(places), np.stack(places)
    before[-1], after[-1] = np.divmod(places[-1], len(growths))
    return Explanation(
        growths=growths,
        probability=softmax(np.stack(log_posterior), axis=0),
        before=before,
        after=after,
        variance=np.stack(variances),
        freedom=likelihood.freedom.astype(np.float64),
    )


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
        weighed = hypotheses.weigh(
            independent(location), noise, scratch, thoroughly=True
        )
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


def log_ratio(tau: Reals, level: Reals, difference: Reals, variance: float) -> float:
    """Return the logarithm of the likelihood of `growing part` over `everything`.

    Parameters
    ----------
    tau
        The growth at the settings, of any scale, shape (n,).
    level
        Log-locations of the curve before, shape (n,).
    difference
        Logarithm of after over before, shape (n,).
    variance
        Of one difference.
    """
    from scipy.optimize import brentq  # noqa: PLC0415 - see `_ratio`

    growing = tau / np.abs(tau).max()
    ratio = _ratio(growing, level)
    mean = float(difference.mean())

    def change(log_factor: float) -> Reals:
        after = np.log1p(np.exp(log_factor) * ratio * growing)
        changed: Reals = after - np.log1p(ratio * growing)
        return changed

    def excess(log_factor: float) -> float:
        return float(change(log_factor).mean()) - mean

    if excess(-ASSUMED.largest_log) * excess(ASSUMED.largest_log) >= 0:
        return -np.inf  # not even without its growing part would it be so fast
    template = change(brentq(excess, -ASSUMED.largest_log, ASSUMED.largest_log)) - mean
    left = difference - mean
    return float((left @ template - template @ template / 2) / variance)


def _ratio(growing: Reals, level: Reals) -> float:
    """Return ρ, by least squares of the logarithms."""
    # A sixth of the time in which a worker starts, who may never come here.
    from scipy.optimize import minimize_scalar  # noqa: PLC0415

    def misfit(log_ratio: float) -> float:
        residual = level - np.log1p(np.exp(log_ratio) * growing)
        return float(residual.var())

    best = minimize_scalar(
        misfit, bounds=(-ASSUMED.largest_log, ASSUMED.largest_log), method="bounded"
    )
    return float(np.exp(best.x))
