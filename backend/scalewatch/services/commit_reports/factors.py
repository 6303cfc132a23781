"""Factors between the constants of two versions, and which of them are sure.

Servers and files ask the same. Of noisy series each job of the later version has to say
so beside each job of the earlier one, as what one job suffers from it suffers at all
settings; what exceeds `LEAST_CONSTANT` by an interval that holds for all series of a
report at once is sure. No repetition, job or machine changes an exact count, so that
one job of each version tells it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, Protocol, TypeVar

from scalewatch.modelling import Comparison, Direction, Noise, VersionChange
from scalewatch.services.analysis.questions import MeasuredSeries
from scalewatch.services.analysis.versions import Compared, all_compared

SURE: Final = 0.9
"""Probability from which something is said to have changed."""

LEAST_CONSTANT: Final = 0.05
"""By so much jobs may differ as a whole, which their repetitions do not show."""

FALSE: Final = 0.05
"""Probability that any series of a report is called worse, or better, for no reason."""

JOBS: Final = 2
"""Jobs that must agree at each coordinate before anybody is stopped."""

WORK: Final = "count"
"""The metric of what functions are called and loops run."""

TIMES: Final = 2.0
"""Counts are said to be so many times as many from this factor on, else in percent."""

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class ConstantChange:
    """Factor between the constants of a series and what it was before.

    Parameters
    ----------
    factor, low, high
        On average over the settings, with its 90 % interval.
    probability
        That anything changed; None where nights tell, by their scatter.
    is_throughout
        Whether it most probably is the same at every scale.
    jobs
        How many of the later version say so, each by itself; None where nothing tells
        jobs apart, as in files.
    nights
        With how many nights before it was compared; None: with the baseline alone.
    exactly
        It in words, of counts, of which one job says as much as many.
    """

    direction: Direction
    factor: float
    low: float
    high: float
    probability: float | None
    is_throughout: bool
    jobs: int | None
    nights: int | None = None
    exactly: str | None = None

    @property
    def sentence(self) -> str:
        """It in words."""
        if self.exactly is not None:
            return self.exactly
        where = "throughout" if self.is_throughout else "on average"
        before = "before" if self.nights is None else f"in {self.nights} nights before"
        return (
            f"{self.factor:.3g} times as much as {before} "
            f"({self.low:.3g} to {self.high:.3g}) {where}"
        )


@dataclass(frozen=True, slots=True)
class Jobs:
    """A noisy series at two versions, by the jobs that measured it.

    Parameters
    ----------
    noise
        What is known of it.
    least
        The share by which its constant has to differ.
    is_cost
        Whether less of it is better.
    """

    before: Sequence[MeasuredSeries]
    after: Sequence[MeasuredSeries]
    noise: Noise
    least: float
    is_cost: bool


class Counted(Protocol):
    """A series of exact counts at two versions."""

    @property
    def metric(self) -> str:
        """The count."""

    @property
    def is_cost(self) -> bool:
        """Whether less of it is better."""

    @property
    def is_explained(self) -> bool:
        """Whether a formula of a known growth reproduces the later version."""

    @property
    def formulas(self) -> str | None:
        """Both formulas in words, where they differ."""


def level_of(series: int) -> float:
    """Return how surely an interval of each holds if those of all series hold."""
    return 1 - 2 * FALSE / max(series, 1)


def direction_of(
    compared: Compared, least: float, *, is_cost: bool
) -> Direction | None:
    """Tell whether a series surely became worse or better by more than a share.

    Parameters
    ----------
    is_cost
        Whether less of it is better.
    """
    if not isinstance(compared, Comparison):
        return None
    if 1 - compared.probability[VersionChange.NONE] < SURE:
        return None
    if compared.low > 1 + least:
        return Direction.WORSE if is_cost else Direction.BETTER
    if compared.high < 1 / (1 + least):
        return Direction.BETTER if is_cost else Direction.WORSE
    return None


def agreed_directions(
    series: Mapping[Key, Jobs], level: float
) -> dict[Key, tuple[Direction, int]]:
    """Return the series of which all jobs say the same: what, and how many they are.

    Parameters
    ----------
    level
        Probability of the intervals, as `level_of` returns it.
    """
    versions = [
        (key, earlier, later)
        for key, jobs in series.items()
        for earlier, later in product(jobs.before, jobs.after)
    ]
    compared = all_compared(
        [(earlier, later, series[key].noise) for key, earlier, later in versions],
        level=level,
    )
    said: dict[Key, set[Direction | None]] = {}
    for (key, *_), comparison in zip(versions, compared, strict=True):
        jobs = series[key]
        direction = direction_of(comparison, jobs.least, is_cost=jobs.is_cost)
        said.setdefault(key, set()).add(direction)
    return {
        key: (direction, len(series[key].after))
        for key, (direction, *others) in said.items()
        if direction is not None and not others
    }


def noisy_constants(
    agreed: Mapping[Key, tuple[Direction, int | None]],
    versions: Mapping[Key, tuple[MeasuredSeries, MeasuredSeries, Noise]],
) -> dict[Key, ConstantChange]:
    """Return how the constants of series changed, by all repetitions of both versions.

    Parameters
    ----------
    agreed
        As `agreed_directions` returns it.
    versions
        All repetitions of each of these series, with what is known of its noise.
    """
    compared = all_compared([versions[key] for key in agreed])
    return {
        key: ConstantChange(
            direction=direction,
            factor=comparison.factor,
            low=comparison.low,
            high=comparison.high,
            probability=1 - comparison.probability[VersionChange.NONE],
            # Too few settings for a growth tell nothing of other ones.
            is_throughout=comparison.likeliest is VersionChange.LEVEL
            and comparison.growth_after is not None,
            jobs=jobs,
        )
        for (key, (direction, jobs)), comparison in zip(
            agreed.items(), compared, strict=True
        )
        if isinstance(comparison, Comparison)
    }


def exact_constant(
    series: Counted,
    before: Mapping[float, float],
    after: Mapping[float, float],
    least: float,
) -> ConstantChange | None:
    """Return how counts changed at the largest common setting, None for too little.

    Parameters
    ----------
    before, after
        Counts by setting.
    least
        The share by which they have to differ.
    """
    factors = {
        at: value / before[at]
        for at, value in after.items()
        if value > 0 and before.get(at, 0) > 0
    }
    if not factors:
        return None
    largest = factors[max(factors)]
    if 1 / (1 + least) <= largest <= 1 + least:
        return None
    is_worse = (largest > 1) == series.is_cost
    return ConstantChange(
        direction=Direction.WORSE if is_worse else Direction.BETTER,
        factor=largest,
        low=min(factors.values()),
        high=max(factors.values()),
        probability=1.0,
        is_throughout=min(factors.values()) == max(factors.values()),
        jobs=1,
        exactly=_exactly(series, largest),
    )


def _exactly(series: Counted, factor: float) -> str:
    counted = "work" if series.metric == WORK else series.metric
    if factor >= TIMES:
        size = f"{factor:.3g} times the {counted}"
    elif factor > 1:
        size = f"{100 * (factor - 1):.2g} % more {counted}"
    else:
        size = f"{100 * (1 - factor):.2g} % less {counted}"
    growth = " at the same growth" if series.is_explained else ""
    return f"{size}{growth}{f', {series.formulas}' if series.formulas else ''}"
