"""Assumptions about the noise of a series, before or after looking at many others.

Repetitions show how much a measurement scatters within a run, not how far the mean of
all runs lies from any model: jobs share a node's state, protocols switch, a code has
terms that no hypothesis has. So the variance of a location is the measured one times
an unknown excess, a mixture over the factors 1, 5, 25 and 125. Nor do they show whether
the curve is a growth of the space at all. A series by itself gets `USUAL` shares; a
batch of one machine and metric tells its own, see `scalewatch.modelling.noise.learn`.
"""

from dataclasses import dataclass
from typing import Final

from scalewatch.modelling.measurements.summary import Summary

EXCESSES: Final = (1.0, 5.0, 25.0, 125.0)
"""Factors by which the variance of a location may exceed that of its repetitions."""


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
        Prior probability of each of `EXCESSES`.
    kinds
        Prior probability of the kinds of curves that forecasts weigh: the growths of
        the space, and those of `families`.
    shapes
        Prior probability that a growth has one of its shapes, see `evidence.model`.
    typical, level_typical
        Variance of one repetition that is typical of the batch, and its degrees of
        freedom, as `summary` and as `level` see it; none say nothing.
    scale
        Factor for the variance of all locations.
    widening
        Factor for the intervals of forecasts one step beyond the measurements, at least
        1; see `rules.evidence.prediction` for further ones.
    """

    summary: Summary = "robust"
    level: Summary | None = None
    shares: tuple[float, ...] = (0.8, 0.12, 0.05, 0.03)
    kinds: tuple[float, ...] = (0.65, 0.1, 0.25)
    shapes: float = 0.1
    typical: tuple[float, float] = (0.0, 0.0)
    level_typical: tuple[float, float] = (0.0, 0.0)
    scale: float = 1.0
    widening: float = 1.0


USUAL: Final = Noise()
"""Assumed of a series that stands for itself."""
