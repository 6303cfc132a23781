"""Series that surely became dearer, or yield less, by a factor since another commit.

A history shows how far a series scatters from commit to commit; two commits do not. So
this tells only what exceeds `LEAST_CONSTANT`, by an interval that holds for all series
of a report at once; and each job of one has to say so beside each job of the other, as
what one job suffers from it suffers at all settings.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling import Comparison, Noise, VersionChange
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.services.analysis.pools import pools_by_job, pools_of
from scalewatch.services.analysis.versions import Compared, all_compared
from scalewatch.services.caches.editions import kept_at
from scalewatch.services.caches.lru import Kept
from scalewatch.services.commit_reports.changes import SAME, SURE, SeriesChange
from scalewatch.services.gates.rules import LEAST_CONSTANT, GateRules
from scalewatch.services.series.medians import Middles, middles_at
from scalewatch.storage.judgements import editions
from scalewatch.storage.runs.measurements import series_by_id

FALSE: Final = 0.05
"""Probability that any series of a report is named for no reason."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A series, and the share by which its constant has to be worse."""

    series_id: int
    least: float
    noise: Noise


@dataclass(frozen=True, slots=True)
class WorseConstant:
    """How many times as much as before a series takes, or yields.

    Parameters
    ----------
    factor, low, high
        On average over the settings, with its 90 % interval.
    probability
        That anything changed.
    is_throughout
        Whether it most probably is the same at every scale.
    jobs
        How many of the commit say so, each by itself.
    """

    factor: float
    low: float
    high: float
    probability: float
    is_throughout: bool
    jobs: int


_WORSE: Final = Kept[dict[int, WorseConstant]](256)


def worse_constants(
    session: Session,
    commits: tuple[int, int],
    changes: Sequence[SeriesChange],
    rules: GateRules,
) -> list[tuple[SeriesChange, WorseConstant]]:
    """Return the series whose growth is as before and whose constant is surely worse.

    Parameters
    ----------
    commits
        Ids of the baseline and of the commit.
    changes
        Of all series that both measured.
    """
    minded = {
        each.series_id: each
        for each in changes
        if each.kind in SAME and rules.about(each.region).least_constant is not None
    }
    asked = [
        _Asked(key, rules.about(each.region).least_constant or 0.0, _noise(each))
        for key, each in sorted(minded.items())
    ]
    # What is kept is known by the edition of the commit itself, and of its baseline.
    since = editions.at(session, commits[:1])
    worse = (
        kept_at(
            session,
            commits[1],
            _WORSE,
            (since, asked),
            lambda: _worse(session, commits, asked),
        )
        if since
        else _worse(session, commits, asked)
    )
    return [(minded[key], found) for key, found in worse.items()]


def level_of(series: int) -> float:
    """Return how surely an interval of each holds if those of all series hold."""
    return 1 - 2 * FALSE / series


def is_worse(compared: Compared, least: float, *, is_cost: bool) -> bool:
    """Tell whether a series surely became worse by more than a share.

    Parameters
    ----------
    is_cost
        Whether less of it is better.
    """
    if not isinstance(compared, Comparison):
        return False
    surely = compared.low if is_cost else 1 / compared.high
    is_change = 1 - compared.probability[VersionChange.NONE] >= SURE
    return is_change and surely > 1 + least


def _noise(change: SeriesChange) -> Noise:
    return change.after.noise or USUAL


def _worse(
    session: Session, commits: tuple[int, int], asked: Sequence[_Asked]
) -> dict[int, WorseConstant]:
    """Return the series that all jobs call worse, with what they say together."""
    differing = set(_differing(session, commits, [each.series_id for each in asked]))
    candidates = {each.series_id: each for each in asked if each.series_id in differing}
    jobs = _agreeing(session, commits, candidates, level_of(len(asked) or 1))
    before, after = (pools_of(session, each, jobs) for each in commits)
    together = all_compared(
        [(before[key], after[key], candidates[key].noise) for key in jobs]
    )
    return {
        key: WorseConstant(
            factor=found.factor,
            low=found.low,
            high=found.high,
            probability=1 - found.probability[VersionChange.NONE],
            is_throughout=found.likeliest is VersionChange.LEVEL,
            jobs=number,
        )
        for (key, number), found in zip(jobs.items(), together, strict=True)
        if isinstance(found, Comparison)
    }


def _agreeing(
    session: Session,
    commits: tuple[int, int],
    candidates: Mapping[int, _Asked],
    level: float,
) -> dict[int, int]:
    """Return how many jobs of the commit say that a series is worse, if all of them."""
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
    is_cost = {
        row.id: row.better == "lower" for row in series_by_id(session, candidates)
    }
    denied = {
        key
        for (key, *_), found in zip(versions, compared, strict=True)
        if not is_worse(found, candidates[key].least, is_cost=is_cost[key])
    }
    return {key: len(after[key]) for key, *_ in versions if key not in denied}


def _differing(
    session: Session, commits: tuple[int, int], series: Collection[int]
) -> list[int]:
    """Return those series whose medians differ enough to read all repetitions."""
    before, after = (middles_at(session, each, series) for each in commits)
    return [
        key
        for key in series
        if key in before
        and key in after
        and _distance(before[key], after[key]) > np.log1p(LEAST_CONSTANT) / 2
    ]


def _distance(before: Middles, after: Middles) -> float:
    """Return the mean distance of the logarithms of medians at common settings."""
    common = [
        (before.values[at], after.values[at])
        for at in before.values.keys() & after.values.keys()
    ]
    if not common or np.min(common) <= 0:
        return 0.0
    return float(np.abs(np.diff(np.log(common)).mean()))
