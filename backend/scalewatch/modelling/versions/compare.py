"""Compare two versions of a code: whether its growth changed, or only a factor.

The kinds of change and their probability are those of `kinds`. Where the measurements
cannot tell which growth it is, the tilt still says whether the later version grows
faster, see `versions.tilts`.

Of n settings, too few for a growth, each has a level of its own that both versions
share. The differences d of their logarithms, of weight w, have the misfit Σ w d² if
nothing changed, and Σ w (d - log κ)² if the later version is κ times the earlier; how
likely each is follows as in `kinds`, without its curves. The noise is that of
`few_settings.with_unseen`: two close values say little.

Posteriors of two versions by themselves say less. `compare_versions` weighs the
repetitions of both versions together. Where only the posteriors of their growths are at
hand, they still tell with which probability the later growth dominates the earlier:
both are drawn independently, and the orders compared,

    P(faster) = Σ_g P(before = g) · Σ_{h > g} P(after = h).

A growth selected by a hair's breadth changes its name without changing these sums much.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax, stdtrit

from scalewatch.errors import TooFewSettings, WrongShape
from scalewatch.modelling.arrays import Reals, total
from scalewatch.modelling.few_settings import with_unseen
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.space import Space, pmnf
from scalewatch.modelling.measurements.assumptions import USUAL, Noise
from scalewatch.modelling.measurements.batch import (
    LEAST,
    NEEDED_SETTINGS,
    Batch,
    obstacle,
)
from scalewatch.modelling.rules.evidence.weighing import Likelihood
from scalewatch.modelling.versions.assumptions import ASSUMED
from scalewatch.modelling.versions.kinds import LOG_RANGE, PRIOR, VersionChange, explain
from scalewatch.modelling.versions.versions import Versions, tilts
from scalewatch.reasons import INFINITE, NO_LOGARITHM, FewInBoth

FITTED = np.array([1.0, 2.0, 3.0, 3.0])
"""Degrees of freedom of each kind of change besides a level, by `VersionChange`."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of two versions of a series.

    Parameters
    ----------
    probability
        Posterior of the kinds of change.
    growth_before, growth_after
        Likeliest growths under the likeliest change; None where settings are too few
        for one.
    factor, low, high
        Later over earlier version on average over the settings, and its interval.
    tilt
        Exponent by which their ratio grows: it doubles in 1/tilt doublings.
    faster_probability
        Probability that the later version grows faster.
    """

    probability: Mapping[VersionChange, float]
    growth_before: Growth | None
    growth_after: Growth | None
    factor: float
    low: float
    high: float
    tilt: float
    faster_probability: float

    @property
    def likeliest(self) -> VersionChange:
        """The most probable change."""
        return max(self.probability, key=self.probability.__getitem__)

    def change(self, level: float = 0.9) -> VersionChange | None:
        """Return the change that is at least so likely, if there is one."""
        likeliest = self.likeliest
        return likeliest if self.probability[likeliest] >= level else None


@dataclass(frozen=True, slots=True)
class Incomparable:
    """Why two versions of a series cannot be compared, in words."""

    reason: str


def compare_versions(  # noqa: PLR0913, one keyword per choice of the user
    x: ArrayLike,
    earlier: ArrayLike,
    later: ArrayLike,
    *,
    parameter: str = "p",
    space: Space | None = None,
    noise: Noise = USUAL,
    level: float = 0.9,
) -> tuple[Comparison | Incomparable, ...]:
    """Compare two versions of each series, or two segments of its history.

    Only settings at which both versions were measured count; of one to four, too few
    for a growth, only the factor is told, of one if it was repeated.

    Parameters
    ----------
    x
        Settings, shape (n,).
    earlier, later
        All repetitions of each, shape (S, n, R), R may differ; NaN where missing.
    parameter
        Name of what varies.
    space
        Growths that compete; the usual ones unless given.
    noise
        Assumptions about the noise.
    level
        Probability that the interval of the factor holds.

    Raises
    ------
    WrongShape, NotFinite
        If the arrays do not fit each other or a setting is no number.
    """
    before = Batch.of(x, earlier, [parameter])
    after = Batch.of(x, later, [parameter])
    if len(before.values) != len(after.values):
        raise WrongShape(
            "later",
            after.values.shape,
            f"as many series as the earlier version, {len(before.values)}",
        )
    competing = pmnf(parameter) if space is None else space
    reasons = _reasons(before, after, competing)
    comparisons: list[Comparison | Incomparable] = [
        Incomparable(each) for each in reasons
    ]
    sound = np.array([i for i, reason in enumerate(reasons) if not reason], np.intp)
    points = _points(before.values, after.values)
    is_few = points[sound] < NEEDED_SETTINGS
    parts = [
        (sound[of_kind][start : start + ASSUMED.block], compare)
        for of_kind, compare in ((~is_few, _compare), (is_few, _compare_levels))
        for start in range(0, int(of_kind.sum()), ASSUMED.block)
    ]
    for rows, compare in parts:
        versions = Versions.of(before.values[rows], after.values[rows])
        compared = compare(versions, before.settings, competing, noise, level)
        for row, comparison in zip(rows.tolist(), compared, strict=True):
            comparisons[row] = comparison
    return tuple(comparisons)


def _compare(
    versions: Versions,
    settings: Mapping[str, Reals],
    space: Space,
    noise: Noise,
    level: float,
) -> list[Comparison]:
    explanation = explain(versions, space, settings, noise)
    series = np.arange(explanation.freedom.size)
    likeliest = explanation.probability.argmax(axis=0)
    freedom = explanation.freedom - FITTED[likeliest]
    variance = explanation.variance[likeliest, series]
    variance *= explanation.freedom / freedom
    factor = versions.log_factor
    reach = stdtrit(freedom, (1 + level) / 2) * np.sqrt(
        variance / total(versions.weight)
    )
    (x,) = settings.values()
    tilt, faster = tilts(
        np.log2(x), versions.difference, versions.weight, variance, freedom
    )
    before = explanation.before[likeliest, series]
    after = explanation.after[likeliest, series]
    bounds = np.exp([factor, factor - reach, factor + reach])
    return [
        Comparison(
            probability=dict(
                zip(
                    VersionChange, explanation.probability[:, row].tolist(), strict=True
                )
            ),
            growth_before=explanation.growths[before[row]],
            growth_after=explanation.growths[after[row]],
            factor=float(bounds[0, row]),
            low=float(bounds[1, row]),
            high=float(bounds[2, row]),
            tilt=float(tilt[row]),
            faster_probability=float(faster[row]),
        )
        for row in series.tolist()
    ]


def _compare_levels(
    versions: Versions,
    settings: Mapping[str, Reals],
    space: Space,
    noise: Noise,
    level: float,
) -> list[Comparison]:
    """Compare versions by their levels alone."""
    del space
    both = with_unseen(versions.both)
    weight, difference = versions.weight, versions.difference
    points, mass = np.count_nonzero(weight, axis=0), total(weight)
    likelihood = Likelihood(
        unit=both.freedom * both.variance,
        prior_freedom=both.freedom.astype(np.float32),
        freedom=(both.freedom + points).astype(np.float32),
        shares=noise.shares,
    )
    factor, freedom = versions.log_factor, both.freedom + points - 1
    same, moved = (
        total(weight * difference**2),
        total(weight * (difference - factor) ** 2),
    )
    variance = likelihood.variance(moved)
    phi, _ = likelihood(np.stack([same, moved]))
    prior = np.log([PRIOR[VersionChange.NONE], PRIOR[VersionChange.LEVEL]])
    evidence = phi.astype(np.float64) + prior[:, np.newaxis]
    evidence[1] += np.log(2 * np.pi * variance / mass) / 2 - LOG_RANGE
    probability = softmax(evidence, axis=0)
    reach = stdtrit(freedom, (1 + level) / 2) * np.sqrt(variance / mass)
    bounds = np.exp([factor, factor - reach, factor + reach])
    (x,) = settings.values()
    tilt, faster = tilts(np.log2(x), difference, weight, variance, freedom)
    return [
        Comparison(
            probability={
                VersionChange.NONE: float(probability[0, row]),
                VersionChange.LEVEL: float(probability[1, row]),
                VersionChange.COEFFICIENT: 0.0,
                VersionChange.GROWTH: 0.0,
            },
            growth_before=None,
            growth_after=None,
            factor=float(bounds[0, row]),
            low=float(bounds[1, row]),
            high=float(bounds[2, row]),
            tilt=float(tilt[row]),
            faster_probability=float(faster[row]),
        )
        for row in range(bounds.shape[1])
    ]


def _reasons(before: Batch, after: Batch, space: Space) -> list[str]:
    """Say for each series why its versions cannot be compared, if so."""
    (x,) = before.settings.values()
    everywhere = obstacle(before.settings, space) if x.size >= NEEDED_SETTINGS else None
    if everywhere:
        return [everywhere] * len(before.values)
    return [
        _reason(*versions) for versions in zip(before.values, after.values, strict=True)
    ]


def _reason(before: Reals, after: Reals) -> str:
    for values in (before, after):
        if np.isinf(values).any():
            return INFINITE
        if (values <= 0).any():
            return NO_LOGARITHM
    points = int(_points(before, after))
    is_repeated = min(_repetitions(before), _repetitions(after)) > 1
    if points < (1 if is_repeated else LEAST):
        return str(FewInBoth(TooFewSettings(points, LEAST)))
    return ""


def _repetitions(values: Reals) -> int:
    """Return the most repetitions of a series at a setting."""
    return int(np.count_nonzero(~np.isnan(values), axis=-1).max(initial=0))


def _points(before: Reals, after: Reals) -> NDArray[np.intp]:
    """Return how many settings of both versions were measured, shape (…)."""
    is_missing = np.isnan(before).all(axis=-1) | np.isnan(after).all(axis=-1)
    return np.asarray(np.count_nonzero(~is_missing, axis=-1), np.intp)


@dataclass(frozen=True, slots=True)
class GrowthOdds:
    """Probability that a later version grows faster, or slower, than an earlier."""

    faster: float
    slower: float


def all_growth_odds(
    pairs: Sequence[tuple[Mapping[Growth, float], Mapping[Growth, float]]],
) -> list[GrowthOdds | None]:
    """Compare the posteriors of two versions of each series; None where one is unknown.

    Few growths occur in all of them: they are put in order once.

    Parameters
    ----------
    pairs
        Probability by growth, of the likeliest ones at least, before and after.
    """
    named = set[Growth]().union(
        *(probability for pair in pairs for probability in pair)
    )
    rank = {growth: place for place, growth in enumerate(sorted(named))}
    before = _shares([pair[0] for pair in pairs], rank)
    after = _shares([pair[1] for pair in pairs], rank)
    whole = before.sum(axis=1) * after.sum(axis=1)
    faster = (after * (before.cumsum(axis=1) - before)).sum(axis=1)
    slower = (before * (after.cumsum(axis=1) - after)).sum(axis=1)
    return [
        GrowthOdds(up / all_of_it, down / all_of_it) if all_of_it else None
        for up, down, all_of_it in zip(
            faster.tolist(), slower.tolist(), whole.tolist(), strict=True
        )
    ]


def _shares(
    posteriors: Sequence[Mapping[Growth, float]], rank: Mapping[Growth, int]
) -> NDArray[np.float64]:
    """Return the probability by posterior and by rank of the growth."""
    shares = np.zeros((len(posteriors), len(rank)))
    rows = [row for row, each in enumerate(posteriors) for _ in each]
    columns = [rank[growth] for each in posteriors for growth in each]
    shares[rows, columns] = [share for each in posteriors for share in each.values()]
    return shares
