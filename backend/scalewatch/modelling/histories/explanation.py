"""Kinds of changes in a history: another growth, another coefficient, another level.

The two segments are explained together by each kind of change, as in `kinds`, with
the locations averaged over their commits: the scatter between jobs is their noise,
and what all settings of a commit share shifts only the level, which every kind of
change leaves open. Where the measurements cannot tell which growth it is, the tilt
still says whether the later segment grows faster.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

import numpy as np
from scipy.special import chdtrc, expit, stdtrit

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.space import Space
from scalewatch.modelling.growths.terms import term_table
from scalewatch.modelling.histories.histories import Histories
from scalewatch.modelling.histories.segments import Segments
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.modelling.measurements.batch import obstacle
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.versions.kinds import (
    Explanation,
    VersionChange,
    explain,
    log_ratio,
)
from scalewatch.modelling.versions.versions import Versions, tilts

FREEDOM: Final = 20.0
"""Degrees of freedom of a variance between jobs that many commits have told."""

TESTS: Final = 2_000.0
"""Likelihood ratios that a history of 200 commits has seen, about, when it alarms."""

BLOCK: Final = 128
"""Changes that are explained together: each weighs all pairs of growths."""


class ShiftKind(StrEnum):
    """Kind of a change."""

    GROWTH = "growth"  # another growth class, or faster by a tilt that is sure
    COEFFICIENT = "coefficient"  # the growing part is another multiple
    LEVEL = "level"  # everything is another multiple
    MODES = "modes"  # one of two levels is more or less frequent


@dataclass(frozen=True, slots=True)
class Shift:
    """A change, explained.

    Parameters
    ----------
    segments
        Where it is and what was measured before and after.
    kind
        The likeliest.
    probability
        That a change is what it is said to be, given that there is one, by kind.
    growth_before, growth_after
        Likeliest growths; None where they cannot be told.
    factor, low, high
        After over before, on average over the settings, with its 90 % interval.
    largest_factor
        The same at the largest setting.
    tilt
        Exponent by which after over before grows along the first parameter.
    faster_probability
        That the later segment grows faster.
    p_value
        Of finding as clear a change in a history of 200 commits without one.
    shares
        Of commits at the upper of two levels, before and after; of modes only.
    """

    segments: Segments
    kind: ShiftKind
    probability: dict[ShiftKind, float]
    growth_before: Growth | None
    growth_after: Growth | None
    factor: float
    low: float
    high: float
    largest_factor: float
    tilt: float
    faster_probability: float
    p_value: float
    shares: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class _Growths:
    """Likeliest growths before and after a change, and its probability by kind."""

    probability: dict[ShiftKind, float]
    before: Growth
    after: Growth


@dataclass(frozen=True, slots=True)
class _Tilt:
    """Exponent by which after over before grows, and how surely it is positive."""

    exponent: float
    probability: float


def explained(
    histories: Histories, changes: Sequence[Segments], space: Space
) -> list[Shift]:
    """Explain changes, in their order.

    Parameters
    ----------
    histories
        Where they were found.
    changes
        The changes.
    space
        Growths that compete, of the one parameter that varies.
    """
    growths = (
        _growths(histories, changes, space)
        if _is_tellable(histories, space)
        else [None] * len(changes)
    )
    return [
        _shift(histories, *parts)
        for parts in zip(changes, _tilts(histories, changes), growths, strict=True)
    ]


def _is_tellable(histories: Histories, space: Space) -> bool:
    """Tell whether growths can be told apart at these settings."""
    if histories.doublings.shape[1] != 1 or len(space.parameters) != 1:
        return False
    settings = {space.parameters[0]: np.exp2(histories.doublings[:, 0])}
    return obstacle(settings, space) is None


def _growths(
    histories: Histories, changes: Sequence[Segments], space: Space
) -> list[_Growths]:
    """Return what growths each change is between."""
    (parameter,) = space.parameters
    settings = {parameter: np.exp2(histories.doublings[:, 0])}
    growths = []
    for start in range(0, len(changes), BLOCK):
        block = changes[start : start + BLOCK]
        explanation = explain(_versions(block), space, settings, USUAL)
        growths += [
            _likeliest(explanation, row, settings, segments)
            for row, segments in enumerate(block)
        ]
    return growths


def _versions(changes: Sequence[Segments]) -> Versions:
    """Return both segments of each change as versions."""
    most = [max(each.before_commits, each.after_commits) for each in changes]
    variance = np.array([each.variance for each in changes]) / most

    def location(sides: Sequence[Reals], commits: Sequence[int]) -> Location:
        log = np.stack(sides, axis=1)
        weight = np.broadcast_to(np.array(commits) / most, log.shape)
        freedom = np.full(len(changes), FREEDOM)
        nothing = np.zeros(len(changes))
        return Location(log, weight, variance, freedom, nothing, nothing)

    before = location([f.before for f in changes], [f.before_commits for f in changes])
    after = location([f.after for f in changes], [f.after_commits for f in changes])
    both = replace(
        before,
        log=np.concatenate([before.log, after.log]),
        weight=np.concatenate([before.weight, after.weight]),
    )
    return Versions(before, after, both)


def _likeliest(
    explanation: Explanation,
    row: int,
    settings: Mapping[str, Reals],
    segments: Segments,
) -> _Growths:
    """Return the likeliest growths of one change, given that something changed.

    `kinds` leaves a coefficient both of its numbers; that versions of a code share the
    constant tells it from a level much better.
    """
    share = dict(
        zip(VersionChange, explanation.probability[:, row].tolist(), strict=True)
    )
    places = {change: place for place, change in enumerate(VersionChange)}
    growths = explanation.growths
    multiple = share[VersionChange.LEVEL] + share[VersionChange.COEFFICIENT]
    growth, of_coefficient = (
        growths[explanation.before[places[change], row]]
        for change in (VersionChange.LEVEL, VersionChange.COEFFICIENT)
    )
    if growth != CONSTANT:
        tau = term_table([growth], settings).tau[0]
        before, after = segments.before_commits, segments.after_commits
        together = segments.before * before
        together += (segments.after - segments.difference.mean()) * after
        level = together / (before + after)
        variance = segments.share * segments.variance
        odds = float(expit(log_ratio(tau, level, segments.difference, variance)))
    else:
        # What falls to a constant has a coefficient, as in Amdahl's law.
        odds = share[VersionChange.COEFFICIENT] / max(multiple, 1e-300)
        odds *= of_coefficient == CONSTANT
    weight = {
        ShiftKind.GROWTH: share[VersionChange.GROWTH],
        ShiftKind.COEFFICIENT: multiple * odds,
        ShiftKind.LEVEL: multiple * (1 - odds),
    }
    changed = max(sum(weight.values()), 1e-300)
    probability = {kind: share / changed for kind, share in weight.items()}
    likeliest = max(probability, key=probability.__getitem__)
    place = places[VersionChange(likeliest.value)]
    return _Growths(
        probability,
        growths[explanation.before[place, row]],
        growths[explanation.after[place, row]],
    )


def _tilts(histories: Histories, changes: Sequence[Segments]) -> list[_Tilt]:
    """Return the tilt of each change along the first parameter."""
    if not changes:
        return []
    difference = np.stack([segments.difference for segments in changes], axis=1)
    noise = np.array([segments.share * segments.variance for segments in changes])
    # So many commits tell the variance of a segment that it counts as known.
    known = np.full(len(changes), np.inf)
    tilt, faster = tilts(
        histories.doublings[:, 0], difference, np.ones_like(difference), noise, known
    )
    return list(map(_Tilt, tilt.tolist(), faster.tolist()))


def _shift(
    histories: Histories, segments: Segments, tilt: _Tilt, growths: _Growths | None
) -> Shift:
    difference = segments.difference
    mean = float(difference.mean())
    reach = float(stdtrit(FREEDOM, 0.95)) * segments.level_error
    probability = _by_tilt(tilt.probability) if growths is None else growths.probability
    kind = max(probability, key=probability.__getitem__)
    return Shift(
        segments=segments,
        kind=kind,
        probability=probability,
        growth_before=growths.before if growths else None,
        growth_after=growths.after if growths else None,
        factor=float(np.exp(mean)),
        low=float(np.exp(mean - reach)),
        high=float(np.exp(mean + reach)),
        largest_factor=float(
            np.exp(difference[int(np.lexsort(histories.doublings.T[::-1])[-1])])
        ),
        tilt=tilt.exponent,
        faster_probability=tilt.probability,
        p_value=min(1.0, TESTS * float(chdtrc(2, segments.statistic))),
    )


def _by_tilt(faster: float) -> dict[ShiftKind, float]:
    """Tell kinds apart where too few settings were measured for a growth."""
    is_tilted = abs(2 * faster - 1)
    return {
        ShiftKind.GROWTH: is_tilted**20,
        ShiftKind.COEFFICIENT: 0.0,
        ShiftKind.LEVEL: 1 - is_tilted**20,
    }
