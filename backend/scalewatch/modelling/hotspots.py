"""Where the profile of a code changes as its scale, size or configuration does.

A profile holds the seconds spent per function. Two distribution-difference functions
of the reference: Pearson's χ² test of independence over functions and profiles
(equation 12), and Kendall's τ over the order of functions by time (equation 13).

The reference requires a difference near 0 for similar profiles (equation 11), but
its χ² function is the right-tailed probability, which is near 1 for them: both are
given, `p_value` as printed there and `difference` = 1 - p as required.

In a linear scan (section 3.3 of the reference) every profile is compared with the one
before it, or all of them with the first. As that makes many comparisons, their
p-values are corrected for their number: Holm's way unless chosen otherwise, which
holds however the comparisons depend on each other, and neighbours share a profile.

References
----------
"Formulation of Scientific Codes", LA-UR-14-26577, section 3.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import overload

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from scalewatch.errors import BadProfile, RepeatedScale, TooFewProfiles
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.false_discoveries import Correction, corrected
from scalewatch.reasons import ONE_FUNCTION

Ranks = NDArray[np.int16] | NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class ProfileDifference:
    """Differences between two profiles.

    Parameters
    ----------
    chi2
        Pearson's statistic; it grows with the unit of time, the reference counts
        seconds.
    degrees_of_freedom
        Functions less one.
    p_value
        Probability of a larger χ² by chance, near 1 for similar profiles.
    tau
        Kendall's τ: 1 for the same order of functions, -1 for the reverse.
    only_first, only_second
        Functions that took time in one of the profiles only, by name.
    """

    chi2: float
    degrees_of_freedom: int
    p_value: float
    tau: float
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()

    @property
    def difference(self) -> float:
        """χ² difference, 0 for profiles of the same proportions, at most 1."""
        return 1 - self.p_value

    @property
    def order_difference(self) -> float:
        """τ difference (1 - τ)/2: 0 for the same order, 1 for the reverse."""
        return (1 - self.tau) / 2

    @property
    def reason(self) -> str | None:
        """Why nothing can differ, if so."""
        if self.degrees_of_freedom:
            return None
        return ONE_FUNCTION


@dataclass(frozen=True, slots=True)
class Movement:
    """A function in two profiles.

    Parameters
    ----------
    function
        Its name.
    before, after
        Seconds.
    share_before, share_after
        Of the time of the profile.
    chi2
        What it contributes to the statistic: the largest explains the jump.
    """

    function: str
    before: float
    after: float
    share_before: float
    share_after: float
    chi2: float


def profile_difference(
    a: Mapping[str, float], b: Mapping[str, float], *, unit: float = 1.0
) -> ProfileDifference:
    """Compare two profiles; a function missing in one took no time there.

    Parameters
    ----------
    a, b
        Seconds by function.
    unit
        Seconds that count as one; minutes or hours suit exceptionally long runs.

    Raises
    ------
    BadProfile
        If a profile has no time at all, or a time that is negative or no number.
    """
    functions, seconds = profile_table((a, b), ("the first", "the second"))
    is_used = seconds.any(axis=0)
    chi2, degrees, p_value = chi_squares(seconds[:1] / unit, seconds[1:] / unit)
    only_first, only_second = one_sided(functions, *seconds)
    return ProfileDifference(
        chi2=float(chi2[0]),
        degrees_of_freedom=int(degrees[0]),
        p_value=float(p_value[0]),
        tau=float(kendall_taus(seconds[:1, is_used], seconds[1:, is_used])[0]),
        only_first=only_first,
        only_second=only_second,
    )


def movements(a: Mapping[str, float], b: Mapping[str, float]) -> tuple[Movement, ...]:
    """Return two profiles side by side, what explains their difference first.

    Raises
    ------
    BadProfile
        As `profile_difference`.
    """
    functions, seconds = profile_table((a, b), ("the first", "the second"))
    contribution = _contributions(seconds[:1], seconds[1:])[0]
    share = seconds / seconds.sum(axis=1, keepdims=True)
    return tuple(
        Movement(
            function=functions[i],
            before=float(seconds[0, i]),
            after=float(seconds[1, i]),
            share_before=float(share[0, i]),
            share_after=float(share[1, i]),
            chi2=float(contribution[i]),
        )
        for i in np.argsort(-contribution, kind="stable").tolist()
        if seconds[:, i].any()
    )


def profile_table(
    profiles: Sequence[Mapping[str, float]], names: Sequence[str]
) -> tuple[tuple[str, ...], Reals]:
    """Return functions by name, and their seconds, shape (profiles, functions).

    Raises
    ------
    BadProfile
        With the name of the first profile without sound times.
    """
    functions = tuple(sorted(set().union(*profiles)))
    table = np.array(
        [[each.get(name, 0.0) for name in functions] for each in profiles], dtype=float
    ).reshape(len(profiles), len(functions))
    is_sound = np.isfinite(table).all(axis=1) & (table >= 0).all(axis=1)
    for name, sound in zip(names, is_sound & table.any(axis=1), strict=True):
        if not sound:
            raise BadProfile(name)
    return functions, table


def chi_squares(a: Reals, b: Reals) -> tuple[Reals, NDArray[np.intp], Reals]:
    """Return χ², its degrees of freedom and p-value of pairs of profiles.

    Parameters
    ----------
    a, b
        Times by function, shape (pairs, functions).
    """
    chi2 = _contributions(a, b).sum(axis=1)
    degrees = ((a > 0) | (b > 0)).sum(axis=1) - 1
    # Without a degree of freedom, nothing can differ.
    p_value = np.where(degrees > 0, chdtrc(np.maximum(degrees, 1), chi2), 1.0)
    return chi2, degrees, p_value


def kendall_taus(a: Reals, b: Reals) -> Reals:
    """Return (C - D)/N of pairs of profiles; ties may be taken in either order.

    Parameters
    ----------
    a, b
        Times by function, shape (pairs, functions). Functions that took no time in
        either profile do not count.
    """
    functions = ((a > 0) | (b > 0)).sum(axis=1)
    pairs = functions * (functions - 1) / 2
    ranks_a, ranks_b = _ranks(a), _ranks(b)
    changed = np.array(list(map(_changed_pairs, ranks_a, ranks_b)), dtype=float)
    return np.asarray(1 - 2 * changed / np.maximum(pairs, 1))


def one_sided(
    functions: Sequence[str], a: Reals, b: Reals
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the functions that took time in the first, the second profile only."""
    first = np.flatnonzero((a > 0) & (b == 0)).tolist()
    second = np.flatnonzero((a == 0) & (b > 0)).tolist()
    return tuple(functions[i] for i in first), tuple(functions[i] for i in second)


def _contributions(a: Reals, b: Reals) -> Reals:
    """Return Σ (observed - expected)²/expected of each function, (pairs, functions)."""
    together = a + b
    all_time = together.sum(axis=1, keepdims=True)
    expected_a = together * (a.sum(axis=1, keepdims=True) / all_time)
    expected_b = together * (b.sum(axis=1, keepdims=True) / all_time)
    squares = (a - expected_a) ** 2, (b - expected_b) ** 2
    # A function that took no time in either profile is no category.
    is_used = together > 0
    return np.asarray(
        np.divide(squares[0], expected_a, out=np.zeros_like(a), where=is_used)
        + np.divide(squares[1], expected_b, out=np.zeros_like(b), where=is_used)
    )


def _ranks(times: Reals) -> Ranks:
    """Return the rank of each function by time, ties share one: small and exact."""
    kind = np.int16 if times.shape[1] <= np.iinfo(np.int16).max else np.int32
    order = np.argsort(times, axis=1, kind="stable")
    rising = np.take_along_axis(times, order, axis=1)
    step = np.zeros(times.shape, dtype=kind)
    step[:, 1:] = rising[:, 1:] > rising[:, :-1]
    ranks = np.empty(times.shape, dtype=kind)
    np.put_along_axis(ranks, order, np.cumsum(step, axis=1, dtype=kind), axis=1)
    return ranks


def _changed_pairs(a: Ranks, b: Ranks) -> int:
    """Count the pairs of functions whose order has changed."""
    rows = max(1, ASSUMED.pairs_at_once // max(a.size, 1))
    return sum(
        int(
            np.count_nonzero(
                (a[start : start + rows, np.newaxis] > a)
                & (b[start : start + rows, np.newaxis] < b)
            )
        )
        for start in range(0, a.size, rows)
    )


Setting = float | str


class Against(StrEnum):
    """Profile that each one of a scan is compared with."""

    PREVIOUS = "previous"
    FIRST = "first"


@dataclass(frozen=True, slots=True)
class ScanStep:
    """Two profiles of a scan, compared.

    Parameters
    ----------
    before, after
        Their settings.
    difference
        How much they differ.
    corrected_p_value
        Its p-value, corrected for the number of comparisons of the scan.
    is_significant
        Whether that is below the level of the scan.
    """

    before: Setting
    after: Setting
    difference: ProfileDifference
    corrected_p_value: float
    is_significant: bool


@dataclass(frozen=True, slots=True)
class ProfileScan(Sequence[ScanStep]):
    """All steps of a scan, in its order; steps are built on demand from arrays.

    Parameters
    ----------
    settings
        Of the profiles, shape (m,).
    against, correction, level
        How it was made, and when a step is significant.
    unit
        Seconds that count as one in χ².
    functions, seconds
        Names, and the times of the profiles, shape (m, functions).
    chi2, degrees_of_freedom, p_value, tau, corrected_p_value
        Of the steps, shape (m - 1,).
    """

    settings: tuple[Setting, ...]
    against: Against
    correction: Correction
    level: float
    unit: float
    functions: tuple[str, ...]
    seconds: Reals
    chi2: Reals
    degrees_of_freedom: NDArray[np.intp]
    p_value: Reals
    tau: Reals
    corrected_p_value: Reals

    def __len__(self) -> int:
        return len(self.settings) - 1

    @overload
    def __getitem__(self, index: int) -> ScanStep: ...
    @overload
    def __getitem__(self, index: slice) -> list[ScanStep]: ...
    def __getitem__(self, index: int | slice) -> ScanStep | list[ScanStep]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        step = range(len(self))[index]
        before = step if self.against is Against.PREVIOUS else 0
        only = one_sided(self.functions, self.seconds[before], self.seconds[step + 1])
        return ScanStep(
            before=self.settings[before],
            after=self.settings[step + 1],
            difference=ProfileDifference(
                float(self.chi2[step]),
                int(self.degrees_of_freedom[step]),
                float(self.p_value[step]),
                float(self.tau[step]),
                *only,
            ),
            corrected_p_value=float(self.corrected_p_value[step]),
            is_significant=bool(self.corrected_p_value[step] < self.level),
        )

    def __iter__(self) -> Iterator[ScanStep]:
        return (self[step] for step in range(len(self)))

    @property
    def jumps(self) -> list[ScanStep]:
        """The significant steps, the largest χ² first."""
        significant = np.flatnonzero(self.corrected_p_value < self.level)
        order = significant[np.argsort(-self.chi2[significant], kind="stable")]
        return [self[step] for step in order.tolist()]


def scan_profiles(  # noqa: PLR0913, one keyword per choice of the user
    settings: Sequence[Setting],
    profiles: Sequence[Mapping[str, float]],
    *,
    against: Against = Against.PREVIOUS,
    correction: Correction = Correction.HOLM,
    level: float = 0.05,
    unit: float | None = None,
) -> ProfileScan:
    """Compare profiles along a scan.

    Parameters
    ----------
    settings
        Scales or problem sizes, which are sorted, or names of configurations, which
        stay in their order.
    profiles
        Seconds by function, one per setting; a function missing took no time.
    against
        What each is compared with.
    correction
        How p-values are corrected for the number of comparisons.
    level
        Below which corrected p-value a step is significant.
    unit
        Seconds that count as one in χ²; the reference's is 1. Unless given, the
        shortest profile counts `least_counts`.

    Raises
    ------
    TooFewProfiles
        If there are fewer than two.
    RepeatedScale
        If two have the same setting.
    BadProfile
        If one has no time at all, or a time that is negative or no number.
    """
    if len(profiles) < 2:
        raise TooFewProfiles(len(profiles))
    ordered = _ordered(settings)
    places = tuple(settings[i] for i in ordered)
    functions, seconds = profile_table(
        [profiles[i] for i in ordered], [f"at {place}, the" for place in places]
    )
    later = seconds[1:]
    earlier = seconds[:-1]
    if against is Against.FIRST:
        earlier = np.broadcast_to(seconds[0], later.shape)
    if unit is None:
        unit = float(seconds.sum(axis=1).min()) / ASSUMED.least_counts
    chi2, degrees, p_value = chi_squares(earlier / unit, later / unit)
    return ProfileScan(
        settings=places,
        against=against,
        correction=correction,
        level=level,
        unit=unit,
        functions=functions,
        seconds=seconds,
        chi2=chi2,
        degrees_of_freedom=degrees,
        p_value=p_value,
        tau=kendall_taus(earlier, later),
        corrected_p_value=corrected(p_value, correction),
    )


def _ordered(settings: Sequence[Setting]) -> list[int]:
    """Return the order of a scan: numbers rise, names stay."""
    seen: set[Setting] = set()
    for setting in settings:
        if setting in seen:
            raise RepeatedScale("setting", setting)
        seen.add(setting)
    positions = range(len(settings))
    if any(isinstance(setting, str) for setting in settings):
        return list(positions)
    return sorted(positions, key=settings.__getitem__)
