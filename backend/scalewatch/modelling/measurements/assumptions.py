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
    """Constants of measurements.

    Parameters
    ----------
    excesses
        Factors by which the variance of a location may exceed that of its repetitions.
    bend
        Standard deviation of the exponent of D over an e-fold of the setting.
    drift
        The same of D itself.
    scatter
        Relative deviation of a measurement that no repetition of its job shows.
    freedom
        Degrees of freedom of the variance of D.
    sizes
        Sizes of D that a series may have, in those of `bend`, `drift`, `scatter`.
    """

    excesses: tuple[float, ...] = (1.0, 5.0, 25.0, 125.0)
    bend: float = 0.05
    drift: float = 0.08
    scatter: float = 0.03
    freedom: float = 2.0
    sizes: tuple[float, ...] = (0.0, 0.7)


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
