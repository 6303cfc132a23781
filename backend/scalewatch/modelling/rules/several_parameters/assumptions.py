"""Assumptions about surfaces: which sums compete, and how far settings may scatter."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Numbers of models of several parameters.

    Source: `benchmarks two_parameters`, and two parameters of `benchmarks textbook`.
    """

    price: float = 1.5
    """Price of a product, in logarithms of the number of points: half its parameters.
    """
    fewest_terms: int = 2
    """Terms of signed sums that always compete."""
    enough: float = 1.2
    """Misfit per point, in variances of one, that repetitions explain."""
    least_points: int = 12
    """Settings from which on sums of common terms compete."""
    shortest_line: int = 3
    """Settings on a line that can prefer one growth to another."""
    negligible: float = 1e-3
    """Probability over the likeliest below which a hypothesis takes no part."""
    # Limits: no answer depends on them.
    products: int = 2**17
    """Multiplications of numbers that no library spreads over threads."""
    most_contenders: int = 200
    """Hypotheses that take part in a forecast."""
    listed: int = 32
    """Growths per series whose probability is told."""
    most_hypotheses: int = 20_000
    """Hypotheses of more than these need a shortlist; two parameters have 7,141."""
    most_sums: int = 2000
    """Sums of equally many terms, of least misfit, that stay in the contest."""
    dependent: float = 1e-10
    """Share of a column square below which the others already hold all of it."""
    least_log2: float = -1000.0
    """Binary logarithm of a term that is zero at a target."""
    largest_log: float = 700.0
    """Natural logarithms of forecasts are cut off here, below the largest number."""
    ridge: float = 1e-12
    """Added to correlations of columns, so that none makes the others singular."""
    tiny: float = 1e-150
    """Least prediction, so that it has a logarithm and its square an inverse."""


ASSUMED: Final = Assumptions()
