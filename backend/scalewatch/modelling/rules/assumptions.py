"""Assumptions of the rules beside the default one."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Numbers of `refinement`, `smape` and `paper`, from their references."""

    fall: float = 4.0
    """Refinement: standard deviations by which the first point lies above the least
    where it falls."""
    floor: float = 0.0003
    """Refinement: relative misfit that no model has to go below."""
    noise_margin: float = 3.0
    """Refinement: misfit that is still noise, over the variance that the repetitions
    show."""
    patience: int = 1
    """Refinement: terms more than the model has that may fail before the search ends.
    """
    saturation: float = 0.5
    """Refinement: share to which each further term has to reduce the cross-validated
    error."""
    most_terms: int = 5
    """Refinement: n of the reference, more than sufficient for real-world applications.
    """
    smape_negligible: float = 0.0005
    """SMAPE: share of a measured value below which c₀, or a whole term, does not count.
    """
    # Limits: no answer depends on them.
    faintest_value: float = 2.0 ** (-200)
    """Refinement: values of this size count as zeros, those of the search being scaled
    to 1."""
    most_weight: float = 1000000000000.0
    """Refinement: largest weight of a value, where those of a series are of the order
    of 1."""
    most_hypotheses: int = 20000
    """Refinement: hypotheses per round; a space that has more combinations is searched
    with fewer terms."""
    least_freedom: float = 1e-09
    """Refinement: least 1 - h: a point that determines a coefficient alone cannot be
    left out."""
    dependent: float = 1e-12
    """Refinement: share of a column's square below which the others already hold all of
    it."""
    refined_scratch: int = 2**17
    """Refinement: numbers per scratch array, so that those of a block stay in the
    cache."""
    smape_tiny: float = 1e-300
    """SMAPE: makes 0/0 zero: a value of zero that is predicted exactly has no error."""
    smape_scratch: int = 2**18
    """SMAPE: numbers per scratch array, so that those of a block stay in the cache."""
    smape_tile: int = 64
    """SMAPE: series per matrix product: one shape, so that bits agree for one series or
    many."""
    paper_rounding: float = 1e-12
    """Paper: constants below this, next to values scaled to 1, are rounding, no
    constant."""
    paper_block: int = 2048
    """Paper: series that are fitted together; their scratch memory stays in the cache.
    """


ASSUMED: Final = Assumptions()
