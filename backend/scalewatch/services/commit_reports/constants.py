"""Series whose constant surely changed by a factor since another commit.

A history shows how far a series scatters from commit to commit: where a machine has
nights enough before the commit, they decide. Two commits do not show it. So of others
this tells only what exceeds `LEAST_CONSTANT`, by an interval that holds for all series
of a report at once; and each job of one has to say so beside each job of the other, as
what one job suffers from it suffers at all settings.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import log, log1p
from typing import Final, TypeVar

from sqlalchemy.orm import Session

from scalewatch.modelling import Comparison, Direction, Noise, VersionChange
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.services.analysis.pools import pools_by_job, pools_of
from scalewatch.services.analysis.versions import all_compared
from scalewatch.services.caches.editions import kept_at
from scalewatch.services.caches.lru import Kept
from scalewatch.services.commit_reports.changes import (
    SAME,
    ChangeKind,
    ConstantChange,
    SeriesChange,
)
from scalewatch.services.commit_reports.exact_constants import (
    costs_among,
    exact_constants,
)
from scalewatch.services.commit_reports.night_constants import night_constants
from scalewatch.services.commit_reports.thresholds import (
    LEAST_CONSTANT,
    direction_of,
    level_of,
)
from scalewatch.services.common_mode.newest_commit import newest_nights
from scalewatch.services.series.medians import Middles, middles_at
from scalewatch.storage.judgements import editions

Answer = TypeVar("Answer")

KINDS: Final = {
    Direction.WORSE: ChangeKind.WORSE_CONSTANT,
    Direction.BETTER: ChangeKind.BETTER_CONSTANT,
}

_GROWS_ALIKE: Final = SAME | frozenset(KINDS.values())


@dataclass(frozen=True, slots=True)
class _Asked:
    """A series, and the share by which its constant has to differ."""

    series_id: int
    metric: str
    least: float
    noise: Noise


_CHANGED: Final = Kept[dict[int, ConstantChange]](256)
_DIFFERING: Final = Kept[Sequence[int]](256)


def with_constants(
    session: Session,
    commits: tuple[int, int],
    changes: Sequence[SeriesChange],
    least: float,
) -> tuple[SeriesChange, ...]:
    """Return changes with those of constants, where the growth is as before.

    Parameters
    ----------
    commits
        Ids of the baseline and of the commit.
    changes
        Of series between them.
    least
        The share by which a constant has to differ.
    """
    found = changed_constants(session, commits, changes, lambda _: least)
    return tuple(
        _with_constant(each, found[each.series_id]) if each.series_id in found else each
        for each in changes
    )


def _with_constant(change: SeriesChange, constant: ConstantChange) -> SeriesChange:
    """Return a change as one of its constant; what is undecided is not better."""
    is_open = change.kind is not ChangeKind.UNCHANGED
    if is_open and constant.direction is Direction.BETTER:
        return replace(change, constant=constant)
    return replace(change, kind=KINDS[constant.direction], constant=constant)


def changed_constants(
    session: Session,
    commits: tuple[int, int],
    changes: Sequence[SeriesChange],
    least: Callable[[SeriesChange], float | None],
) -> dict[int, ConstantChange]:
    """Return how constants surely changed, of series whose growth is as before.

    Parameters
    ----------
    commits
        Ids of the baseline and of the commit.
    changes
        Of series between them.
    least
        Returns the share by which the constant of a series has to differ at least;
        None if it does not matter.
    """
    minded = {
        each.series_id: (each, share)
        for each in sorted(changes, key=lambda each: each.series_id)
        if each.kind in _GROWS_ALIKE and (share := least(each)) is not None
    }
    exact = {key: each for key, each in minded.items() if each[0].is_exact}
    noisy = {key: each for key, each in minded.items() if key not in exact}
    return exact_constants(session, commits, exact) | _noisy(session, commits, noisy)


def _noisy(
    session: Session,
    commits: tuple[int, int],
    minded: Mapping[int, tuple[SeriesChange, float]],
) -> dict[int, ConstantChange]:
    """Return those of series that scatter, as kept."""

    def read() -> dict[int, ConstantChange]:
        asked = [
            _Asked(key, each.metric, share, each.after.noise or USUAL)
            for key, (each, share) in minded.items()
        ]
        return _changed(session, commits, asked)

    shares = [(key, share) for key, (_, share) in minded.items()]
    return _kept_between(session, commits, _CHANGED, shares, read)


def _kept_between(
    session: Session,
    commits: tuple[int, int],
    kept: Kept[Answer],
    asked: Sequence[object],
    read: Callable[[], Answer],
) -> Answer:
    """Return an answer about a baseline and a commit, cached by the editions of both.

    The noise of series comes with these, and need not be told of each.
    """
    since = editions.at(session, commits[:1])
    if not since:
        return read()
    return kept_at(session, commits[1], kept, (since, asked), read)


def _changed(
    session: Session, commits: tuple[int, int], asked: Sequence[_Asked]
) -> dict[int, ConstantChange]:
    """Return the series whose constants changed, by nights or by two commits alone."""
    apart = set(differing(session, commits, [each.series_id for each in asked]))
    candidates = {each.series_id: each for each in asked if each.series_id in apart}
    metrics = {each.metric for each in candidates.values()}
    nights = newest_nights(session, commits, metrics)
    least = {key: each.least for key, each in candidates.items() if key in nights.known}
    others = {key: each for key, each in candidates.items() if key not in least}
    level = level_of(len(asked) or 1)
    return night_constants(nights, least) | _alone(session, commits, others, level)


def _alone(
    session: Session,
    commits: tuple[int, int],
    candidates: Mapping[int, _Asked],
    level: float,
) -> dict[int, ConstantChange]:
    """Return the series of which all jobs say the same, with what they say together."""
    agreed = _agreeing(session, commits, candidates, level)
    before, after = (pools_of(session, each, agreed) for each in commits)
    together = all_compared(
        [(before[key], after[key], candidates[key].noise) for key in agreed]
    )
    return {
        key: ConstantChange(
            direction=direction,
            factor=found.factor,
            low=found.low,
            high=found.high,
            probability=1 - found.probability[VersionChange.NONE],
            # Too few settings for a growth tell nothing of other ones.
            is_throughout=found.likeliest is VersionChange.LEVEL
            and found.growth_after is not None,
            jobs=number,
        )
        for (key, (direction, number)), found in zip(
            agreed.items(), together, strict=True
        )
        if isinstance(found, Comparison)
    }


def _agreeing(
    session: Session,
    commits: tuple[int, int],
    candidates: Mapping[int, _Asked],
    level: float,
) -> dict[int, tuple[Direction, int]]:
    """Return what all jobs of the commit say of a series, and how many they are."""
    if not candidates:
        return {}
    before, after = (pools_by_job(session, each, candidates) for each in commits)
    versions = [
        (key, earlier, later)
        for key in sorted(before.keys() & after.keys())
        for earlier, later in product(before[key], after[key])
    ]
    compared = all_compared(
        [(earlier, later, candidates[key].noise) for key, earlier, later in versions],
        level=level,
    )
    is_cost = costs_among(session, candidates)
    said: dict[int, set[Direction | None]] = {}
    for (key, *_), found in zip(versions, compared, strict=True):
        direction = direction_of(found, candidates[key].least, is_cost=is_cost[key])
        said.setdefault(key, set()).add(direction)
    return {
        key: (direction, len(after[key]))
        for key, (direction, *others) in said.items()
        if direction is not None and not others
    }


def differing(
    session: Session, commits: tuple[int, int], series: Collection[int]
) -> Sequence[int]:
    """Return those series whose medians differ enough to ask more of them."""
    asked = sorted(series)
    return _kept_between(
        session,
        commits,
        _DIFFERING,
        asked,
        lambda: _differing(session, commits, asked),
    )


def _differing(
    session: Session, commits: tuple[int, int], series: Sequence[int]
) -> list[int]:
    before, after = (middles_at(session, each, series) for each in commits)
    return [
        key
        for key in series
        if key in before
        and key in after
        and _distance(before[key], after[key]) > log1p(LEAST_CONSTANT) / 2
    ]


def _distance(before: Middles, after: Middles) -> float:
    """Return the mean distance of the logarithms of medians at common settings."""
    common = [
        (before.values[at], after.values[at])
        for at in before.values.keys() & after.values.keys()
    ]
    if not common or min(min(pair) for pair in common) <= 0:
        return 0.0
    # Six medians of each of hundreds of series: arrays of numpy would take ten times
    # as long.
    return abs(sum(log(late / early) for early, late in common) / len(common))
