"""Speed-up and efficiency of a scan over a parallel scale, and what to claim of them.

The scale n counts nodes, processes, GPUs or threads; b is its base, the smallest size
unless another is asked for. With t(n) the median time of a run

    strong:  S = t(b) / t(n),             E = S b / n
    weak:    E = t(b) / t(n),             S = E n / b

and a rate r of the whole machine is one over a time per work: strong and weak alike,
E = r(n) b / (r(b) n). A rate of each node or GPU has E = r(n) / r(b).

The logarithm of E has the variance v (1/k + 1/k_b) for medians of k and k_b runs, where
v is pooled over all sizes (at most `pooled_freedom` degrees of freedom), with what no
repetition of one job shows (`few_settings`). The error of the base is common to all
sizes. So P(E ≥ L) is one of Student's distribution, and **the largest defensible size**
is the largest measured one with P(E ≥ L) ≥ 0.9.

The serial fraction is that of Karp and Flatt, e = (1/S - 1/c) / (1 - 1/c), c = n/b.

References
----------
A. Karp and H. Flatt, "Measuring Parallel Processor Performance", CACM 33 (1990).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import exp, hypot, log, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from scalewatch.errors import BadScale, UnknownChoice, WrongShape
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.few_settings import unseen_too
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.modelling.scaling_errors.errors import ScalingKind


class Quantity(StrEnum):
    """Quantity of a scan: a time, or a rate of all or of each node or GPU."""

    TIME = "time"
    RATE = "rate"
    RATE_EACH = "rate of each"


class NextRunKind(StrEnum):
    """Use of one more run."""

    EXTEND = "extend"  # all sizes hold: beyond them
    BETWEEN = "between"  # narrow the gap between what holds and what fails
    REPEAT = "repeat"  # make a size sure that is not


@dataclass(frozen=True, slots=True)
class SizeRow:
    """One size of a scan.

    Parameters
    ----------
    size, runs
        On the scale, and how many runs succeeded there; none of a forecast.
    value
        Median of the runs, with its interval, in the unit of the scan.
    speed_up, efficiency
        Relative to the base; the base itself has 1 for certain.
    holds
        By limit the probability that the efficiency is at least that.
    per_doubling
        Speed-up per doubling since the size before; None for the base, and of weak
        scaling.
    serial_fraction
        Of Karp and Flatt; None for the base.
    """

    size: float
    runs: int
    value: Bounds
    speed_up: float
    efficiency: Bounds
    holds: Mapping[float, float]
    per_doubling: float | None
    serial_fraction: float | None

    @property
    def speed_ups(self) -> Bounds:
        """The speed-up with its interval, which is that of the efficiency."""
        times = self.speed_up / self.efficiency.value
        low, high = times * self.efficiency.low, times * self.efficiency.high
        return Bounds(self.speed_up, low, high)


@dataclass(frozen=True, slots=True)
class Largest:
    """The largest measured size at which an efficiency is reached.

    Parameters
    ----------
    sure
        The largest one with a probability of at least the level.
    by_median
        The largest one whose median reaches it.
    fails
        The next larger measured one; None where the largest size of all reaches it.
    dips
        Smaller sizes whose medians do not reach it.
    """

    limit: float
    sure: SizeRow
    by_median: SizeRow
    fails: SizeRow | None
    dips: tuple[SizeRow, ...]

    @property
    def is_reached(self) -> bool:
        """Whether sizes were measured at which the efficiency falls below the limit."""
        return self.fails is not None


@dataclass(frozen=True, slots=True)
class NextRun:
    """A run that would tell most about the first limit.

    Parameters
    ----------
    size, runs
        Where, and how many.
    efficiency
        Interpolated there, where it is between measured sizes; None elsewhere.
    """

    kind: NextRunKind
    size: float
    runs: int
    efficiency: float | None = None


@dataclass(frozen=True, slots=True)
class Scaling:
    """Efficiency of a scan.

    Parameters
    ----------
    rows
        By ascending size, the base first.
    below_base
        Sizes below the base, with their medians.
    largest
        By limit, in the order asked for.
    next_run
        None where no run would change what is known.
    is_at_limit
        Whether the largest undecided size is at the first limit within what can be
        measured: no reasonable number of runs decides it.
    is_assumed
        Whether no size was repeated, so that all of the noise is assumed.
    """

    kind: ScalingKind
    quantity: Quantity
    base: float
    rows: tuple[SizeRow, ...]
    below_base: Mapping[float, float]
    largest: tuple[Largest, ...]
    next_run: NextRun | None
    is_at_limit: bool
    is_assumed: bool

    @property
    def ideal_exponent(self) -> int:
        """The exponent of the ideal value over the size: -1, 0 or 1."""
        return _ideal_exponent(self.quantity, self.kind)

    def at(
        self, size: float, value: Bounds, limits: Sequence[float], level: float
    ) -> SizeRow:
        """Return the row of a size that was not measured, by the forecast of its value.

        Parameters
        ----------
        size, value
            Beyond those measured, and the forecast there with its interval.
        limits, level
            Efficiencies that are asked about, and the probability of the interval.
        """
        first, ratio = self.rows[0], size / self.base
        gain = value.value / first.value.value
        if self.quantity is Quantity.TIME:
            gain = 1 / gain
        share = gain / ratio if self.ideal_exponent else gain
        half = max(log(value.high / value.value), log(value.value / value.low))
        deviation = half / float(ndtri((1 + level) / 2))
        return SizeRow(
            size=size,
            runs=0,
            value=value,
            speed_up=share * ratio,
            efficiency=_around(share, half),
            holds={
                limit: float(ndtr(log(share / limit) / deviation))
                if deviation
                else float(share >= limit)
                for limit in limits
            },
            per_doubling=None,
            serial_fraction=None,
        )


def guessed_kind(
    sizes: ArrayLike, values: ArrayLike, problem_sizes: ArrayLike | None = None
) -> ScalingKind | None:
    """Return whether a scan of times is one of strong or weak scaling.

    Problem sizes decide where they are known: one of them is strong scaling, sizes that
    grow like the scale are weak. Else the median slope of the logarithm of the time
    within a factor of eight from the smallest size: below `strong_slope` it is strong,
    above `weak_slope` weak. None where neither tells.

    Parameters
    ----------
    sizes, values
        Sizes, shape (n,), and times, shape (n, R), NaN where missing.
    problem_sizes
        Of each size, shape (n,).
    """
    x, runs = _runs(sizes, values)
    middle = _medians(runs)
    if problem_sizes is not None:
        problem = np.asarray(problem_sizes, np.float64)[np.argsort(sizes)]
        if np.ptp(problem) == 0:
            return ScalingKind.STRONG
        density = problem / x
        return (
            ScalingKind.WEAK
            if np.ptp(density) < ASSUMED.same_size * density[0]
            else None
        )
    if len(x) < 2:
        return None
    slopes = np.log(middle[1:] / middle[0]) / np.log(x[1:] / x[0])
    near = x[1:] <= max(ASSUMED.slope_reach * x[0], x[1])
    slope = float(np.median(slopes[near]))
    if slope < ASSUMED.strong_slope:
        return ScalingKind.STRONG
    return ScalingKind.WEAK if slope > ASSUMED.weak_slope else None


def scaling_of(  # noqa: PLR0913, one keyword per choice of the user
    sizes: ArrayLike,
    values: ArrayLike,
    kind: ScalingKind,
    *,
    quantity: Quantity = Quantity.TIME,
    base: float | None = None,
    limits: Sequence[float] = (0.7, 0.5),
    level: float = 0.9,
) -> Scaling | None:
    """Return the efficiency of a scan; None where fewer than two sizes succeeded.

    Parameters
    ----------
    sizes
        Sizes on the scale, shape (n,), positive.
    values
        Runs, shape (n, R), positive; NaN where one is missing.
    base
        The smallest measured size unless given.
    limits
        Efficiencies that are asked about; the first decides about the next run.

    Raises
    ------
    UnknownChoice
        If the base is no measured size.
    WrongShape, BadScale
        If runs do not belong to sizes, or one is not positive.
    """
    x, runs = _runs(sizes, values)
    middle = _medians(runs)
    if not len(x):
        return None
    start = float(x[0]) if base is None else base
    if start not in x:
        raise UnknownChoice("base", start, [f"{size:g}" for size in x])
    first = int(np.flatnonzero(x == start)[0])
    if len(x) - first < 2:
        return None
    noise = _Noise.of(runs[first:])
    below_base = dict(zip(x[:first].tolist(), middle[:first].tolist(), strict=True))
    x, middle = x[first:], middle[first:]
    cost = middle if quantity is Quantity.TIME else 1 / middle
    times, gain = x / x[0], cost[0] / cost
    efficiency = gain / times if _ideal_exponent(quantity, kind) else gain
    reach = noise.reach(level)
    rows: list[SizeRow] = []
    for number, (size, here, share) in enumerate(
        zip(x.tolist(), runs[first:], efficiency.tolist(), strict=True)
    ):
        error = noise.error(here.size, runs[first].size) if number else 0.0
        speed_up = share * float(times[number])
        rows.append(
            SizeRow(
                size=size,
                runs=here.size,
                value=_around(float(middle[number]), reach * noise.error(here.size)),
                speed_up=speed_up,
                efficiency=_around(share, reach * error),
                holds={
                    limit: noise.probability(log(share / limit), error)
                    for limit in limits
                },
                per_doubling=_per_doubling(rows[-1], size, speed_up)
                if rows and kind is ScalingKind.STRONG
                else None,
                serial_fraction=_serial_fraction(speed_up, float(times[number]))
                if number
                else None,
            )
        )
    largest = tuple(_largest(rows, limit, level) for limit in limits)
    next_run, is_at_limit = _next_run(rows, largest[0], noise, level)
    return Scaling(
        kind=kind,
        quantity=quantity,
        base=start,
        rows=tuple(rows),
        below_base=below_base,
        largest=largest,
        next_run=next_run,
        is_at_limit=is_at_limit,
        is_assumed=all(here.size == 1 for here in runs[first:]),
    )


@dataclass(frozen=True, slots=True)
class _Noise:
    """Variance of the logarithm of one run, and its degrees of freedom."""

    variance: float
    freedom: float

    @classmethod
    def of(cls, runs: Sequence[Reals]) -> "_Noise":
        logs = [np.log(here) for here in runs]
        squares = sum(float(((here - np.median(here)) ** 2).sum()) for here in logs)
        known = sum(here.size - 1 for here in logs)
        seen = squares / known if known else 0.0
        return cls(*unseen_too(seen, min(known, ASSUMED.pooled_freedom)))

    def error(self, *runs: int) -> float:
        """Return the standard error of a median, or of the ratio of two."""
        return hypot(*(sqrt(self.variance / count) for count in runs))

    def reach(self, level: float) -> float:
        """Return the half width of an interval, in standard errors."""
        return float(stdtrit(self.freedom, (1 + level) / 2))

    def probability(self, beyond: float, error: float) -> float:
        """Return the probability that what lies so far above zero is positive."""
        if not error:
            return float(beyond >= 0)
        return float(stdtr(self.freedom, beyond / error))


def _runs(sizes: ArrayLike, values: ArrayLike) -> tuple[Reals, list[Reals]]:
    """Return the sizes that succeeded, ascending, and the runs of each."""
    x, taken = np.asarray(sizes, np.float64), np.asarray(values, np.float64)
    if taken.ndim != 2 or x.shape != taken.shape[:1]:
        raise WrongShape("runs", taken.shape, f"({len(x)}, R)")
    lowest = min(x.min(initial=1.0), np.nanmin(taken, initial=1.0))
    if lowest <= 0:
        raise BadScale("size or value", float(lowest))  # noqa: TRY003, two words
    order = [at for at in np.argsort(x) if not np.isnan(taken[at]).all()]
    return x[order], [taken[at][~np.isnan(taken[at])] for at in order]


def _medians(runs: Sequence[Reals]) -> Reals:
    return np.array([np.median(here) for here in runs])


def _ideal_exponent(quantity: Quantity, kind: ScalingKind) -> int:
    """Return 0 where the ideal is a gain of one, else that of a gain of the scale."""
    if quantity is Quantity.TIME:
        return -1 if kind is ScalingKind.STRONG else 0
    return 1 if quantity is Quantity.RATE else 0


def _around(value: float, half: float) -> Bounds:
    return Bounds(value, value * exp(-half), value * exp(half))


def _per_doubling(before: SizeRow, size: float, speed_up: float) -> float:
    return float((speed_up / before.speed_up) ** (log(2) / log(size / before.size)))


def _serial_fraction(speed_up: float, ratio: float) -> float:
    return (1 / speed_up - 1 / ratio) / (1 - 1 / ratio)


def _largest(rows: Sequence[SizeRow], limit: float, level: float) -> Largest:
    reaching = [row for row in rows if row.efficiency.value >= limit]
    by_median = reaching[-1]
    beyond = [row for row in rows if row.size > by_median.size]
    return Largest(
        limit,
        sure=[row for row in rows if row.holds[limit] >= level][-1],
        by_median=by_median,
        fails=beyond[0] if beyond else None,
        dips=tuple(
            row
            for row in rows
            if row.size < by_median.size and row.efficiency.value < limit
        ),
    )


def _next_run(
    rows: Sequence[SizeRow], first: Largest, noise: _Noise, level: float
) -> tuple[NextRun | None, bool]:
    """Return the run that tells most about a limit, and whether none decides it.

    Undecided sizes are repeated, if few runs would do; else a size between what holds
    and what fails, or beyond all that hold.
    """
    open_ = [
        row for row in rows if ASSUMED.surely_fails < row.holds[first.limit] < level
    ]
    if open_:
        row = open_[-1]
        apart = abs(log(row.efficiency.value / first.limit))
        for more in range(1, ASSUMED.most_repeats + 1):
            later = _Noise(noise.variance, noise.freedom + more)
            error = noise.error(row.runs + more, rows[0].runs)
            if later.reach(level) * error < apart:
                return NextRun(NextRunKind.REPEAT, row.size, more), False
        return None, True
    if first.fails is None:
        return NextRun(NextRunKind.EXTEND, 2 * rows[-1].size, 1), False
    holding, failing = first.by_median, first.fails
    if failing.size < ASSUMED.wide_gap * holding.size:
        return None, False
    slope = log(failing.efficiency.value / holding.efficiency.value) / log(
        failing.size / holding.size
    )
    crossing = holding.size * exp(log(first.limit / holding.efficiency.value) / slope)
    size = _even(min(sqrt(holding.size * failing.size), crossing / ASSUMED.short_of))
    if not holding.size < size < failing.size:
        return None, False
    share = holding.efficiency.value * (size / holding.size) ** slope
    return NextRun(NextRunKind.BETWEEN, size, 1, share), False


def _even(size: float) -> float:
    """Return a size as people ask for: few leading bits."""
    step = 2.0 ** max(0, int(np.log2(size)) - 3)
    return max(step, round(size / step) * step)
