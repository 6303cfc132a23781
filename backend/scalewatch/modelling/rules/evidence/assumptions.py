"""Assumptions of the default rule: priors, what is seen, and where a curve goes."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Numbers of the default rule.

    Source: `benchmarks real`, `textbook` and `accuracy`, by `ablate`.
    """

    fall: float = 4.0
    """Standard deviations by which the first point lies above the least where it falls.
    """
    largest_share: float = 0.97
    """Largest κ of a difference, as a share of the least t/u."""
    leading: float = 0.3
    """Share of the leading term of a sum at the largest setting: a term that has not
    overtaken the other there would be a forecast and no finding."""
    caution: float = 7.0
    """How much likelier than the constant a growth has to be to be selected: a false
    growth costs more than a missed one. At 1, one late setting is called growth in 0.6
    % of cases, and what jobs share in 1 %."""
    law_share: float = 0.7
    """Share of textbook laws among the terms beside 1/p."""
    expectation_share: float = 0.6
    """Probability with which an expectation is met because it is stated."""
    constant_share: float = 0.2
    """Prior of the constant among growths: most regions do not grow."""
    faintest: float = 0.03
    """Least c₁/c₀ that counts as growth; τ is 1 at its largest."""
    alone: float = 0.5
    """Share of the prior of a term without its base, in the unit of ξ."""
    purest: float = 50.0
    """Ratio of term to constant, where the term is smallest, that hides the constant.
    """
    doubt: float = 3.0
    """How many times the usual doubt a mismatch leaves that the last settings show,
    too."""
    step: float = 2.0
    """Ratio of settings between which an exponent is told: that of closer ones is
    noise."""
    last_settings: int = 3
    """Settings that bound an exponent."""
    exponent_reach: float = 2.0
    """Last step: standard deviations to either end of the bounds of an exponent."""
    term_alone: float = 60.0
    """A ξ without any constant to speak of."""
    dense_reach: float = 4.5
    """Standard deviations about the best fit that these nodes cover."""
    spread: int = 12
    """Nodes over the range of an unknown."""
    dense: int = 20
    """Nodes about its best fit."""
    # Limits: no answer depends on them.
    large: int = 500
    """Series of a block whose scratch is kept; it takes some ten megabytes."""
    largest_range: float = 80.0
    """Logarithms of locations are clipped so far from their mean: squares stay finite.
    """
    least_constant: float = 1e-30
    """Ratio c₀/c₁ of a curve without a constant: its ratio stays finite."""
    singular: float = 1e-13
    """Relative determinant below which a term cannot be told from the constant."""
    least_width: float = 1e-12
    """Least width of a likelihood, relative to that of the prior."""
    smallest: float = 1e-15
    """Least number of single precision that its inverse survives."""
    largest: float = 1e15
    """Largest number of single precision that is squared."""
    least_tau: float = 1e-12
    """A term this small counts as zero, which does not bound ξ."""
    negligible_fall: float = 16.0
    """Fall of φ from the likeliest curve behind which nothing can be told of a curve.
    """
    largest_z: float = 1e20
    """Largest z, far beyond all that is likely, that single precision can square."""
    rounding: float = 1e-9
    """Last step: share by which a step between settings may fall short."""
    forecast_block: int = 128
    """Series whose curves are compared together at one target, of more targets as many
    fewer: their arrays are to fit the cache."""
    largest_log: float = 709.0
    """Forecasts beyond e to this power are no numbers."""
    largest_log2: float = 900.0
    """Growths are not followed beyond 2 to this power."""
    narrowest_node: float = 1e-12
    """Least width of a node, as of one that another one covers."""
    least_information: float = 1e-12
    """Least information about an unknown, so that it has a variance."""
    smallest_ratio: float = 1e-300
    """Least ratio of term to constant, so that it has a logarithm."""
    least_variance: float = 1e-12
    """Rounding does not make it negative."""
    farthest_normal: float = 6.0
    """Standard deviations beyond which a normal density counts as zero."""
    at_once: int = 2**16
    """Numbers that are worked on together: as many as a processor's cache holds."""
    unweighty: float = 1e-7
    """Weight of a part that no quantile depends on."""
    halvings: int = 20
    """Halvings of a quantile; the first interval is some tens wide in logarithms."""
    kept: int = 1000
    """Parts of a mixture that its quantiles are taken from."""
    weighed_block: int = 1000
    """Series that are weighed together: enough to make little of what a block costs,
    few enough for the cache. A power of two would put all arrays at the same places of
    it."""


ASSUMED: Final = Assumptions()
