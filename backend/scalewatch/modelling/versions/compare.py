"""What changed between two versions of a code: its growth, or only a factor.

The kinds of change and their probability are those of `kinds`. Where the measurements
cannot tell which growth it is, the tilt still says whether the later version grows
faster, see `tilts`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from scalewatch.errors import TooFewSettings, WrongShape
from scalewatch.modelling.arrays import Reals, total
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.space import Space, pmnf
from scalewatch.modelling.measurements.assumptions import USUAL, Noise
from scalewatch.modelling.measurements.batch import Batch
from scalewatch.modelling.measurements.feasibility import NEEDED_SETTINGS, obstacle
from scalewatch.modelling.measurements.further_settings import LEAST
from scalewatch.modelling.versions.kinds import VersionChange, explain
from scalewatch.modelling.versions.levels import Levels
from scalewatch.modelling.versions.tilts import tilts
from scalewatch.modelling.versions.versions import Versions

FITTED = np.array([1.0, 2.0, 3.0, 3.0])
"""What each kind of change is fitted by besides a level, by `VersionChange`."""

BLOCK = 256
"""Series that are compared together: each of them weighs all pairs of growths."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two versions of a series have to do with each other.

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

    Only settings at which both versions were measured count; of two to four, too few
    for a growth, only the factor is told.

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
        expected = f"as many series as the earlier version, {len(before.values)}"
        raise WrongShape("later", after.values.shape, expected)
    competing = pmnf(parameter) if space is None else space
    reasons = _reasons(before, after, competing)
    found: list[Comparison | Incomparable] = [Incomparable(each) for each in reasons]
    sound = np.array([i for i, reason in enumerate(reasons) if not reason], np.intp)
    points = _points(before.values, after.values)
    is_few = points[sound] < NEEDED_SETTINGS
    parts = [
        (sound[of_kind][start : start + BLOCK], compare)
        for of_kind, compare in ((~is_few, _compare), (is_few, _compare_levels))
        for start in range(0, int(of_kind.sum()), BLOCK)
    ]
    for rows, compare in parts:
        versions = Versions.of(before.values[rows], after.values[rows])
        compared = compare(versions, before.settings, competing, noise, level)
        for row, comparison in zip(rows.tolist(), compared, strict=True):
            found[row] = comparison
    return tuple(found)


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
    levels = Levels(versions, noise)
    (x,) = settings.values()
    tilt, faster = levels.tilts(x)
    bounds = levels.bounds(level)
    return [
        Comparison(
            probability={
                VersionChange.NONE: float(levels.probability[0, row]),
                VersionChange.LEVEL: float(levels.probability[1, row]),
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
            return "a value is infinite"
        if (values <= 0).any():
            return "a value that is not positive has no logarithm"
    points = int(_points(before, after))
    if points < LEAST:
        return f"{TooFewSettings(points, LEAST)} in both versions"
    return ""


def _points(before: Reals, after: Reals) -> NDArray[np.intp]:
    """Return how many settings of both versions were measured, shape (…)."""
    is_missing = np.isnan(before).all(axis=-1) | np.isnan(after).all(axis=-1)
    return np.asarray(np.count_nonzero(~is_missing, axis=-1), np.intp)
