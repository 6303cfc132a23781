"""Where the profile of a code changes as its scale, size or configuration does.

A linear scan (section 3.3 of the reference): every profile is compared with the one
before it, or all of them with the first. As that makes many comparisons, their
p-values are corrected for their number: Holm's way unless chosen otherwise, which
holds however the comparisons depend on each other, and neighbours share a profile.

References
----------
"Formulation of Scientific Codes", LA-UR-14-26577, section 3.3.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import overload

import numpy as np
from numpy.typing import NDArray

from scalewatch.errors import RepeatedScale, TooFewProfiles
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.false_discoveries import Correction, corrected
from scalewatch.modelling.hotspots.profiles import (
    ProfileDifference,
    chi_squares,
    kendall_taus,
    one_sided,
    profile_table,
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
