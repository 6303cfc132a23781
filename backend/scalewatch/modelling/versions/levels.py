"""Two versions of a series of few settings: the same, or another by a factor.

Of n settings, too few for a growth, each has a level of its own that both versions
share. The differences d of their logarithms, of weight w, have the misfit Σ w d² if
nothing changed, and Σ w (d - log κ)² if the later version is κ times the earlier; how
likely each is follows as in `kinds`, without its curves. The noise is that of
`few_settings.unseen`: two close values say little.
"""

import numpy as np
from scipy.special import softmax, stdtrit

from scalewatch.modelling.arrays import Reals, total
from scalewatch.modelling.few_settings.unseen import with_unseen
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.rules.evidence.likelihood import Likelihood
from scalewatch.modelling.versions.kinds import LOG_RANGE, PRIOR, VersionChange
from scalewatch.modelling.versions.tilts import tilts
from scalewatch.modelling.versions.versions import Versions


class Levels:
    """What is told of the factor between versions of S series.

    Attributes
    ----------
    probability
        That nothing changed, or the level, shape (2, S).
    variance, freedom
        Of a difference of weight 1, shape (S,).
    """

    def __init__(self, versions: Versions, noise: Noise) -> None:
        both = with_unseen(versions.both)
        weight, difference = versions.weight, versions.difference
        points = np.count_nonzero(weight, axis=0)
        likelihood = Likelihood(
            unit=both.freedom * both.variance,
            prior_freedom=both.freedom.astype(np.float32),
            freedom=(both.freedom + points).astype(np.float32),
            shares=noise.shares,
        )
        same = total(weight * difference**2)
        moved = total(weight * (difference - versions.log_factor) ** 2)
        misfit = np.stack([same, moved])
        phi, _ = likelihood(misfit)
        self.variance: Reals = likelihood.variance(moved)
        self.freedom: Reals = both.freedom + points - 1
        width = np.log(2 * np.pi * self.variance / total(weight)) / 2 - LOG_RANGE
        prior = np.log([PRIOR[VersionChange.NONE], PRIOR[VersionChange.LEVEL]])
        evidence = phi.astype(np.float64) + prior[:, np.newaxis]
        evidence[1] += width
        self.probability: Reals = softmax(evidence, axis=0)
        self._weight, self._versions = weight, versions

    def bounds(self, level: float) -> Reals:
        """Return the factors, and their intervals, shape (3, S)."""
        factor = self._versions.log_factor
        reach = stdtrit(self.freedom, (1 + level) / 2)
        reach *= np.sqrt(self.variance / total(self._weight))
        bounds: Reals = np.exp([factor, factor - reach, factor + reach])
        return bounds

    def tilts(self, x: Reals) -> tuple[Reals, Reals]:
        """Return the exponents of the ratio, and how probably they are positive."""
        return tilts(
            np.log2(x),
            self._versions.difference,
            self._weight,
            self.variance,
            self.freedom,
        )
