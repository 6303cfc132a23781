"""The parts into which its changes divide a history, and where each change is.

Once a change was noticed, all commits since the previous one and up to the next, at
most `AFTER` later, say where it is: the likelihood ratios of all
commits nearby, as probabilities, and of these the fewest in a row that hold `HELD`.
Steps in the same sense that follow each other may be a ramp.

A drift sets off one alarm after the other, each for a small step in the same sense.
A ramp explains such steps together if it leaves hardly more than they do, where each
further step has to pay `PRICE` for its place and its size.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.scan import Alarm
from scalewatch.modelling.histories.histories import (
    FLOOR,
    Histories,
    components,
    shrunk,
    winsorised_between,
    winsorised_pieces,
)

BASE: Final = 100
WINDOW: Final = 20
AFTER: Final = 60
HELD: Final = 0.99

SAME: Final = 3
"""Alarms about commits so near to each other are about the same change."""

NEXT: Final = 40
"""Commits between steps of one ramp, at most."""


@dataclass(frozen=True, slots=True)
class Segments:
    """A change of a series between two segments of its history.

    Parameters
    ----------
    series
        Its number.
    at
        Number of the commit at which it was noticed.
    first, last
        Numbers of the first and the last commit that may have made it.
    statistic
        Likelihood ratio, twice its logarithm.
    is_gradual
        Whether it came little by little, from `first` to `last`.
    before, after
        Mean log-location of the segments, shape (n,).
    before_commits, after_commits
        How many commits they have.
    variance
        Of one log-location within a segment: what jobs differ by.
    common
        Covariance of the log-locations of one commit: what commits differ by.
    level_variance
        Of the difference of the mean levels, where the correlation of commits is known.
    in_spreads
        Effect, the larger of the level's and those at both ends, in usual spreads of
        the series from commit to commit, where they are known.
    """

    series: int
    at: int
    first: int
    last: int
    statistic: float
    is_gradual: bool
    before: Reals
    after: Reals
    before_commits: int
    after_commits: int
    variance: float
    common: float
    level_variance: float | None = None
    in_spreads: float | None = None

    @property
    def difference(self) -> Reals:
        """Logarithm of after over before, shape (n,)."""
        return self.after - self.before

    @property
    def share(self) -> float:
        """Variance of the difference of the means, relative to that of a commit."""
        return 1 / self.before_commits + 1 / self.after_commits

    @property
    def level_error(self) -> float:
        """Standard error of the mean difference."""
        if self.level_variance is not None:
            return float(np.sqrt(self.level_variance))
        noise = self.variance / self.before.size + self.common
        return float(np.sqrt(self.share * noise))

    def scattering(self, covariance: Reals, in_spreads: float) -> "Segments":
        """Return the same with the scatter that correlated commits cause.

        Parameters
        ----------
        covariance
            Of what the means of level and tilts differ by, shape (k, k).
        in_spreads
            The effect in usual spreads.
        """
        tilts = np.diagonal(covariance)[1:]
        usual = self.share * self.variance / self.before.size
        wanders = max(1.0, float(tilts.max(initial=0.0)) / usual)
        return replace(
            self,
            level_variance=max(float(covariance[0, 0]), usual),
            variance=self.variance * wanders,
            in_spreads=in_spreads,
        )


@dataclass(frozen=True, slots=True)
class Ramp:
    """Numbers of the first and last commit that are on the way, and what is left."""

    first: int
    last: int
    misfit: float


def segments(histories: Histories, alarms: Sequence[Alarm]) -> list[Segments]:
    """Return the changes that alarms are about, by series and commit."""
    ordered = sorted(alarms, key=lambda alarm: (alarm.series, alarm.first, alarm.at))
    changes: list[Segments] = []
    for series, group in groupby(ordered, key=lambda alarm: alarm.series):
        log = histories.log[series, : histories.length[series]]
        events = list(_events(group))
        for run in _runs(list(_steps(log, events, histories.directions)), events):
            changes.extend(_joined(log, run, histories.directions))
    return changes


def _events(alarms: Iterable[Alarm]) -> Iterator[Alarm]:
    """Yield one alarm per change.

    A base that began a commit too early makes the rest of the change alarm again.
    """
    event: Alarm | None = None
    for alarm in alarms:
        if event is not None and alarm.first - event.first <= SAME:
            event = replace(event, statistic=max(event.statistic, alarm.statistic))
            continue
        if event is not None:
            yield event
        event = alarm
    if event is not None:
        yield event


@dataclass(frozen=True, slots=True)
class _Step:
    segments: Segments
    is_drift: bool
    begin: int
    end: int

    @property
    def sense(self) -> bool:
        """Whether the level rose."""
        return bool(self.segments.after.mean() > self.segments.before.mean())


def _steps(log: Reals, events: Sequence[Alarm], directions: Reals) -> Iterator[_Step]:
    """Locate each change between the one before and the one after it."""
    begin = 0
    for number, event in enumerate(events):
        is_last = number + 1 == len(events)
        end = len(log) if is_last else max(events[number + 1].first, event.at + 1)
        end = min(end, max(event.at + 1, event.first + AFTER))
        low = max(begin, event.first - BASE)
        yield _Step(_step(log, event, low, end, directions), event.is_drift, low, end)
        begin = event.first


def _step(log: Reals, event: Alarm, low: int, end: int, directions: Reals) -> Segments:
    guess = min(max(event.first - low, 1), end - low - 1)
    winsorised = winsorised_pieces(log[low:end], [guess])
    covariance = _covariance(winsorised, [guess])
    # A commit that the guess puts on the wrong side must still look like the other.
    features = whitened(winsorised_between(log[low:end], guess), covariance, directions)
    tau = np.arange(
        max(1, guess - WINDOW), max(2, min(event.at - low + 1, guess + WINDOW))
    )
    count = len(features)
    sums = np.cumsum(features, axis=0)[tau - 1]
    total = features.sum(axis=0)
    change = (total - sums) / (count - tau)[:, np.newaxis] - sums / tau[:, np.newaxis]
    ratios: Reals = (change**2).sum(axis=1) * tau * (count - tau) / count
    first, last = _held(tau, ratios)
    best = int(tau[ratios.argmax()])
    return replace(
        _segments(event, covariance, winsorised, (best, best)),
        first=low + first,
        last=low + last,
        statistic=float(ratios.max()),
    )


def _held(tau: NDArray[np.intp], ratios: Reals) -> tuple[int, int]:
    """Return the fewest commits in a row that hold the cause."""
    probability = np.exp((ratios - ratios.max()) / 2)
    probability /= probability.sum()
    low = high = int(probability.argmax())
    while probability[low : high + 1].sum() < HELD:
        left = probability[low - 1] if low else -1.0
        right = probability[high + 1] if high + 1 < tau.size else -1.0
        low, high = (low - 1, high) if left >= right else (low, high + 1)
    return int(tau[low]), int(tau[high])


def _runs(steps: Sequence[_Step], events: Sequence[Alarm]) -> Iterator[list[_Step]]:
    """Group steps in the same sense that follow each other."""
    run: list[_Step] = []
    for step, event in zip(steps, events, strict=True):
        if run and (
            step.sense != run[-1].sense or event.first - run[-1].segments.last > NEXT
        ):
            yield run
            run = []
        run.append(step)
    if run:
        yield run


def _joined(log: Reals, run: Sequence[_Step], directions: Reals) -> list[Segments]:
    """Return a ramp instead of steps, if it is one."""
    low, end = run[0].begin, run[-1].end
    # Two alarms about one change may be located the other way round.
    places = sorted({step.segments.first - low for step in run})
    winsorised = winsorised_pieces(log[low:end], places)
    covariance = _covariance(winsorised, places)
    features = whitened(winsorised, covariance, directions)
    ramp = best_ramp(features)
    was_drift = any(step.is_drift for step in run)
    if ramp is None or not (was_drift or is_gradual(ramp, features, places)):
        return [step.segments for step in run]
    strongest = max(step.segments.statistic for step in run)
    event = Alarm(run[0].segments.series, run[0].segments.at, low, strongest)
    margin = max((ramp.last - ramp.first) // 5, 1)
    change = _segments(
        event,
        covariance,
        winsorised,
        (ramp.first + margin, max(ramp.last + 1 - margin, ramp.first + margin)),
    )
    return [
        replace(
            change,
            first=low + ramp.first,
            last=low + ramp.last,
            is_gradual=True,
        )
    ]


def _covariance(log: Reals, places: Sequence[int]) -> Reals:
    """Return the covariance of winsorised locations between steps, shape (n, n)."""
    differences = np.diff(log, axis=0)
    differences = np.delete(differences, [place - 1 for place in places], axis=0)
    products = np.einsum("ti,tj->ij", differences, differences)[np.newaxis]
    (covariance,) = shrunk(products, np.array([max(len(differences), 1)]))
    return np.asarray(covariance)


def _segments(
    event: Alarm, covariance: Reals, log: Reals, ends: tuple[int, int]
) -> Segments:
    """Return what is before and after a change; its place comes later."""
    variance, common = components(covariance[np.newaxis])
    before, after = log[: ends[0]], log[min(ends[1], len(log) - 1) :]
    return Segments(
        series=event.series,
        at=event.at,
        first=event.first,
        last=event.first,
        statistic=event.statistic,
        is_gradual=False,
        before=before.mean(axis=0),
        after=after.mean(axis=0),
        before_commits=len(before),
        after_commits=len(after),
        variance=float(variance[0] - common[0]) + FLOOR**2,
        common=max(float(common[0]), 0.0),
    )


LENGTHS: Final = (15, 25, 40, 60, 100, 150, 250)
"""Commits through which a change may come."""

EVERY: Final = 5
"""Commits between the beginnings that are tried."""

PRICE: Final = 12.0
"""Price of a step, twice a log-likelihood; an unneeded one hardly ever gains more."""

GRADUAL: Final = 6.0
"""A ramp must be so much likelier than a single step."""


def whitened(log: Reals, covariance: Reals, directions: Reals) -> Reals:
    """Return level and tilt of each commit, uncorrelated and of variance 1.

    Parameters
    ----------
    log
        Locations, shape (T, n).
    covariance
        Of them, shape (n, n).
    directions
        Shape (k, n); so the result has shape (T, k).
    """
    weighed = np.asarray(np.linalg.solve(covariance, directions.T))
    root = np.asarray(np.linalg.cholesky(directions @ weighed))
    features = np.linalg.solve(root, (log @ weighed).T).T
    return np.asarray(features, np.float64)


def misfit_of_steps(features: Reals, places: Sequence[int]) -> float:
    """Return what steps before these commits leave of features, shape (T, k)."""
    pieces = np.split(features, places)
    return float(sum(((p - p.mean(axis=0)) ** 2).sum() for p in pieces if len(p)))


def best_ramp(features: Reals) -> Ramp | None:
    """Return the ramp that leaves least, None if there are too few commits."""
    count = len(features)
    spans = np.array(
        [
            (first, min(first + length, count - 1))
            for length in LENGTHS
            for first in range(0, max(count - length // 2, 0), EVERY)
            if count >= length // 2 + 2 * EVERY
        ]
    )
    if not spans.size:
        return None
    place = np.arange(count) - spans[:, :1]
    shape: Reals = np.clip(place / (spans[:, 1:] - spans[:, :1]), 0, 1)
    shape -= shape.mean(axis=1, keepdims=True)
    explained = ((shape @ features) ** 2).sum(axis=1) / (shape**2).sum(axis=1)
    best = int(explained.argmax())
    whole = misfit_of_steps(features, [])
    first, last = spans[best].tolist()
    return Ramp(first, last, whole - float(explained[best]))


def is_gradual(ramp: Ramp, features: Reals, places: Sequence[int]) -> bool:
    """Tell whether a ramp explains what was taken for steps before these commits."""
    price = PRICE * (len(places) - 1) if len(places) > 1 else -GRADUAL
    return ramp.misfit < misfit_of_steps(features, places) + price
