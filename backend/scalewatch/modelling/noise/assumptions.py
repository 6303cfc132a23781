"""Assumptions of learning noise from many series."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Numbers of learned noise.

    Source: `benchmarks accuracy` and `calibration`, by `ablate`.
    """

    unlikely: float = 2.5
    """Standard errors by which misfits differ if something has changed; the logarithm
    of the mean misfit of S series scatters by about 1/√S."""
    least_future: float = 0.5
    """Least size of the discrepancy beyond the last setting that few forecasts tell."""
    sure: int = 50
    """Forecasts that tell a smaller size."""
    enough: float = 0.97
    """Share of the nominal intervals that has to hold: chance explains the rest."""
    trimmed: float = 0.9
    """Share of the series, those of least misfit, that choose the estimator."""
    pseudo_series: float = 20.0
    """Series that the shares of `USUAL` count like."""
    least_series: int = 20
    """Series of which noise is learned, at least."""
    fitted: int = 3
    """Degrees of freedom of a fitted curve: constant, coefficient, growth."""
    # Limits: no answer depends on them.
    most_forecast: int = 200
    """Series that are forecast, evenly spread."""
    rounds: int = 50
    """Rounds of expectation maximisation."""
    most_deviations: float = 10.0
    """Standard deviations of the largest excess within which an error surely lies."""
    deviation_halvings: int = 40
    """Halvings of these deviations."""
    most_series: int = 500
    """Series of a batch that are pooled, evenly spread: more tell nothing new."""


ASSUMED: Final = Assumptions()
