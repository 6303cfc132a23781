"""Assumptions about the noise of a series, before or after looking at many others.

Repetitions show how much a measurement scatters within a run, not how far the mean of
all runs lies from any model: jobs share a node's state, protocols switch, a code has
terms that no hypothesis has. So the variance of a location is the measured one times
an unknown excess, a mixture over a few factors, and curves depart from growths by a
discrepancy of unknown size, see `discrepancy`. A series by itself gets the shares of
`USUAL`; a batch of one machine and metric tells its own, see
`scalewatch.modelling.noise.learn`.
"""

from dataclasses import dataclass
from typing import Final, Literal, get_args

Summary = Literal["q1", "median", "min", "mean", "robust"]

SUMMARIES: Final[tuple[Summary, ...]] = get_args(Summary)
"""All summaries by name."""


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Numbers of measurements.

    Source: `benchmarks real` for the discrepancy, `accuracy` for locations; drawn noise
    of six kinds and 68 measured curves for repetitions that are not alike.
    """

    excesses: tuple[float, ...] = (1.0, 5.0, 25.0, 125.0)
    """Factors by which the variance of a location may exceed that of its repetitions.
    """
    bend: float = 0.05
    """Standard deviation of the exponent of D over an e-fold of the setting."""
    drift: float = 0.08
    """The same of D itself."""
    scatter: float = 0.03
    """Relative deviation of a measurement that no repetition of its job shows."""
    freedom: float = 2.0
    """Degrees of freedom of the variance of D."""
    sizes: tuple[float, ...] = (0.0, 0.7)
    """Sizes of D that a series may have, in those of `bend`, `drift`, `scatter`."""
    least_measured: int = 10
    """Series of measured variance of which something is typical, at least."""
    measured: float = 2.0
    """Degrees of freedom that a variance has which repetitions have shown."""
    most_tailed: float = 5.0
    """Degrees of freedom of a typical variance of the least repetition, at most: it is
    as far out as an exponential number, whose kurtosis Student's t has with five."""
    least_typical: float = 0.1
    """Least degrees of freedom of a typical variance."""
    most_typical: float = 20.0
    """Most degrees of freedom of one; single precision has no room for more."""
    gap_freedom: float = 0.4
    """Degrees of freedom that a gap tells: squares of exponential numbers scatter much.
    """
    least_slope: float = 0.3
    """Least mean slope of ψ; less would mean that hardly any repetition is kept."""
    most_freedom: float = 12.0
    """Locations: degrees of freedom that repetitions tell a variance with, at most."""
    floor: float = 3e-4
    """Relative misfit that is assumed of any model."""
    location_steps: int = 3
    """Locations: steps of the M-estimate from the first quartile."""
    location_reach: float = 6.0
    """Locations: repetitions further than so many scales away do not count, c."""
    normal_quartile: float = 0.6745
    """Median deviation of normal noise, in standard deviations."""
    unlike: float = 0.15
    """Relative deviation between settings of how far the modes are apart, at most."""
    rarer: float = 0.25
    """Least share of a mode; what is rarer is a disturbed repetition."""
    apart: float = 6.0
    """Scatters within a mode between two of them; half as many again of few
    repetitions."""
    many_in_modes: int = 20
    """Modes: repetitions of all settings that are many."""
    least_in_modes: int = 16
    """Modes: repetitions of all settings that can show two."""
    in_modes: int = 4
    """Repetitions of a setting that can show two modes."""
    fewest: int = 3
    """Settings of which a test can tell anything."""
    most_warm_ups: int = 3
    """Warm-ups: repetitions at the beginning that may be off."""
    lonely_ranges: float = 5.0
    """Warm-ups: ranges of the others by which it is off there."""
    lonely_factor: float = 1.5
    """Warm-ups: factor of one where few settings agree on it."""
    alike: float = 0.8
    """Share of the settings at which the first repetition is on its side of the others.
    """
    worth_a_look: float = 2.5
    """Standard errors of a difference by means, below which no test of medians is
    tried."""
    chance: float = 1e-3
    """Probability of a warm-up by chance."""
    scatters: float = 3.0
    """Scatters of the others by which a warm-up is off at least."""
    least_factor: float = 1.1
    """Factor between repetitions of a setting that is worth a word."""
    needed_settings: int = 5
    """Distinct settings that a model needs, a rule of thumb of the paper (section 2.3).
    """
    least_settings: int = 2
    """Settings between which there is a factor."""
    # Limits: no answer depends on them.
    halvings: int = 20
    """Halvings of the degrees of freedom of a typical variance."""
    absent: float = 1e6
    """Stands for the logarithm of a repetition that is missing; it gets no weight."""
    most_sorted: int = 64
    """Repetitions of a setting in which modes are looked for."""
    tiny: float = 1e-4
    """Relative scatter below which no clock tells repetitions apart."""
    largest_term: float = 1000.0
    """Terms above 2 to this power cannot be computed with."""
    ordinary: float = 1e60
    """Values up to here, and down to its inverse, can be multiplied and squared."""
    most_candidates: int = 1000
    """Points that are tried as the one to measure next."""
    least_pivot: float = 1e-12
    """Pivot of Cholesky's method below which a point is missing."""


ASSUMED: Final = Assumptions()

EXCESSES: Final = ASSUMED.excesses


@dataclass(frozen=True, slots=True)
class Noise:
    """Assumptions about noise.

    Parameters
    ----------
    summary
        How repetitions become one location.
    level
        The summary whose level coefficients and forecasts have; `summary` then only
        tells the shape of the curve. None for the same.
    shares
        Prior probability of each of the excesses.
    sizes
        Prior probability of each size of the discrepancy.
    future
        Least size of the discrepancy beyond the last setting.
    shapes
        Prior probability that a growth has one of its shapes, see `evidence.model`.
    typical, level_typical
        Variance of one repetition that is typical of the batch, and its degrees of
        freedom, as `summary` and as `level` see it; none say nothing.
    """

    summary: Summary = "robust"
    level: Summary | None = None
    shares: tuple[float, ...] = (0.8, 0.12, 0.05, 0.03)
    sizes: tuple[float, ...] = (0.05, 0.95)
    future: float = 1.5
    shapes: float = 0.1
    typical: tuple[float, float] = (0.0, 0.0)
    level_typical: tuple[float, float] = (0.0, 0.0)


USUAL: Final = Noise()
"""Assumed of a series that stands for itself."""
