"""How likely each kind of change between two versions is.

Growths are never compared by name: the same code measured twice gets another one in a
third of all cases. Instead both versions are explained together by each of four kinds
of change, h any growth with its shapes,

    none          the same curve of h in both versions,
    level         the later version is κ times the earlier,
    coefficient   h in both, each with coefficients of its own,
    growth        h in the earlier version, another h' in the later,

and Bayes' rule tells how likely each is. The likelihood φ of a misfit R is that of
`likelihood`, the width W of its maximum that of `weighed_growths`. A version with a
level of its own pays for it with the range of κ that is thought possible,

    log Z(h, h') = φ(R_before(h) + R_after(h')) + log W_before(h) + log W_after(h')
                   + log(√(2π)·sd_κ / (2 log `LARGEST_FACTOR`)).

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
from scipy.special import softmax

from scalewatch.modelling.arrays import Indices, Reals, total
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.space import Space
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.rules.evidence.hypotheses import Hypotheses
from scalewatch.modelling.rules.evidence.likelihood import Likelihood
from scalewatch.modelling.rules.evidence.model import falls
from scalewatch.modelling.versions.versions import Versions
from scalewatch.modelling.versions.weighed_growths import WeighedGrowths

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
    found = _explained(versions, space, settings, noise)
    if not falling.size:
        return found
    fallen = _explained(versions.only(falling), space, settings, noise, may_fall=True)
    # Growths that rise are the first ones, whether or not others follow.
    found = replace(found, growths=fallen.growths)
    found.put(falling, fallen)
    return found


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
    own = before.log_width + after.log_width
    own[before.is_alone & after.is_alone] = -np.inf
    pairs = before.log_width[:, np.newaxis] + after.log_width
    pairs[np.arange(size), np.arange(size)] = -np.inf
    apart = before.misfit[:, np.newaxis] + after.misfit
    found = {
        VersionChange.NONE: (same.misfit, same.log_width),
        VersionChange.LEVEL: (levelled.misfit, levelled.log_width),
        VersionChange.COEFFICIENT: (before.misfit + after.misfit, own),
        VersionChange.GROWTH: (
            apart.reshape(size**2, -1),
            pairs.reshape(size**2, -1),
        ),
    }
    return _explanation(versions, found, once.leading, noise)


def _explanation(
    versions: Versions,
    found: Mapping[VersionChange, tuple[Reals, Reals]],
    growths: tuple[Growth, ...],
    noise: Noise,
) -> Explanation:
    """Turn misfits and logarithms of widths into the posterior of the changes."""
    likelihood = Likelihood.of(versions.both, noise)
    log_posterior, places, variances = [], [], []
    series = np.arange(likelihood.unit.size)
    for change, (misfit, log_width) in found.items():
        phi, energy = likelihood(misfit)
        variance = (energy / likelihood.freedom).astype(np.float64)
        log_evidence = phi + log_width
        if change is not VersionChange.NONE:
            log_evidence += _log_price(variance, versions)
        log_posterior.append(_log_mean(log_evidence, PRIOR[change]))
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


def _log_price(variance: Reals, versions: Versions) -> Reals:
    """Width of log κ over its range, shape of `variance`."""
    width: Reals = np.log(2 * np.pi * variance / total(versions.weight)) / 2
    return width - LOG_RANGE


def _log_mean(log_evidence: Reals, prior: float) -> Reals:
    """Add up hypotheses that are equally likely beforehand, shape (S,)."""
    competing = np.isfinite(log_evidence).sum(axis=0)
    most = log_evidence.max(axis=0)
    mean: Reals = most + np.log(total(np.exp(log_evidence - most)) * prior / competing)
    return mean
