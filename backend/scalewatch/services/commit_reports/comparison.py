"""Series whose constant surely changed by a factor since another commit.

A history shows how far a series scatters from commit to commit: where a machine has
nights enough before the commit, they decide. Two commits do not show it: of others
`factors` tells what all jobs of both say.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from math import log, log1p

from scalewatch.modelling import Direction, Noise
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.commit_reports.factors import (
    LEAST_CONSTANT,
    ConstantChange,
    Jobs,
    agreed_directions,
    exact_constant,
    level_of,
    noisy_constants,
)
from scalewatch.services.commit_reports.pairs import GROWS_ALIKE, kind_with
from scalewatch.services.common_mode.newest_commit import NewestNights, newest_nights
from scalewatch.services.series.judged import Middles
from scalewatch.services.series.snapshots import CommitSnapshot

Minded = Mapping[int, tuple[SeriesChange, float]]
"""Series by id, with the share by which the constant of each has to differ."""


def with_constants(
    before: CommitSnapshot,
    after: CommitSnapshot,
    changes: Sequence[SeriesChange],
    least: float,
) -> tuple[SeriesChange, ...]:
    """Return changes with those of constants, where the growth is as before.

    Parameters
    ----------
    changes
        Of series between the two commits.
    least
        The share by which a constant has to differ.
    """
    constants = changed_constants(before, after, changes, lambda _: least)
    return tuple(
        replace(each, kind=kind_with(each.kind, constant), constant=constant)
        if (constant := constants.get(each.series_id))
        else each
        for each in changes
    )


def changed_constants(
    before: CommitSnapshot,
    after: CommitSnapshot,
    changes: Sequence[SeriesChange],
    least: Callable[[SeriesChange], float | None],
) -> dict[int, ConstantChange]:
    """Return how constants surely changed, of series whose growth is as before.

    Parameters
    ----------
    changes
        Of series between the two commits.
    least
        Returns the share by which the constant of a series has to differ at least;
        None if it does not matter.
    """
    minded = {
        each.series_id: (each, share)
        for each in sorted(changes, key=lambda change: change.series_id)
        if each.kind in GROWS_ALIKE and (share := least(each)) is not None
    }
    exact = {key: each for key, each in minded.items() if each[0].is_exact}
    noisy = {key: each for key, each in minded.items() if key not in exact}
    shares = [(key, share) for key, (_, share) in noisy.items()]
    # The noise of series comes with the editions of both commits.
    return _exact(before, after, exact) | after.kept(
        ("constants", shares), lambda: _noisy(before, after, noisy), beside=[before]
    )


def differing(
    before: CommitSnapshot, after: CommitSnapshot, series: Collection[int]
) -> Sequence[int]:
    """Return those series whose medians differ enough to ask more of them."""
    ids = sorted(series)
    return after.kept(
        ("differing", ids), lambda: _differing(before, after, ids), beside=[before]
    )


def _exact(
    before: CommitSnapshot, after: CommitSnapshot, minded: Minded
) -> dict[int, ConstantChange]:
    if not minded:
        return {}
    early, late = before.medians(minded), after.medians(minded)
    return {
        key: constant
        for key, (change, least) in minded.items()
        if key in early and key in late
        if (
            constant := exact_constant(
                change, early[key].values, late[key].values, least
            )
        )
    }


def _noisy(
    before: CommitSnapshot, after: CommitSnapshot, minded: Minded
) -> dict[int, ConstantChange]:
    """Return the series whose constants changed, by nights or by two commits alone."""
    apart = [minded[key] for key in differing(before, after, minded)]
    metrics = {change.metric for change, _ in apart}
    nights = newest_nights(after.session, (before.commit_id, after.commit_id), metrics)
    by_id = {change.series_id: (change, least) for change, least in apart}
    beside = {key: each for key, each in by_id.items() if key in nights.known}
    alone = {key: each for key, each in by_id.items() if key not in nights.known}
    level = level_of(len(minded))
    return _by_nights(nights, beside) | _by_jobs(before, after, alone, level)


def _by_nights(nights: NewestNights, minded: Minded) -> dict[int, ConstantChange]:
    """Return the constants that differ from the nights before by more than these do."""
    return {
        key: ConstantChange(
            direction=Direction.WORSE if move.is_worse else Direction.BETTER,
            factor=move.factor.value,
            low=move.factor.low,
            high=move.factor.high,
            probability=None,
            is_throughout=False,
            jobs=move.jobs,
            nights=move.nights,
        )
        for key, (_, least) in minded.items()
        if (move := nights.outstanding.get(key)) is not None
        and not 1 / (1 + least) <= move.factor.value <= 1 + least
    }


def _by_jobs(
    before: CommitSnapshot, after: CommitSnapshot, minded: Minded, level: float
) -> dict[int, ConstantChange]:
    """Return the constants of which all jobs say the same, with what they say together.

    Parameters
    ----------
    level
        Probability of the intervals of single jobs.
    """
    if not minded:
        return {}
    early, late = before.pools_by_job(minded), after.pools_by_job(minded)
    noise: dict[int, Noise] = {
        key: change.after.noise or USUAL for key, (change, _) in minded.items()
    }
    jobs = {
        key: Jobs(early[key], late[key], noise[key], least, change.is_cost)
        for key, (change, least) in sorted(minded.items())
        if key in early and key in late
    }
    agreed = agreed_directions(jobs, level)
    earlier, later = before.pools(agreed), after.pools(agreed)
    return noisy_constants(
        agreed, {key: (earlier[key], later[key], noise[key]) for key in agreed}
    )


def _differing(
    before: CommitSnapshot, after: CommitSnapshot, series: Sequence[int]
) -> list[int]:
    early, late = before.medians(series), after.medians(series)
    return [
        key
        for key in series
        if key in early
        and key in late
        and _distance(early[key], late[key]) > log1p(LEAST_CONSTANT) / 2
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
