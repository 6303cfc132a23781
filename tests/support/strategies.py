"""Hypothesis strategies for growths, models and measurements."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from scalewatch.modelling import Factor, Growth

exponents = st.fractions(
    min_value=-4, max_value=4, max_denominator=12
) | st.sampled_from([Fraction("2.8074"), Fraction(1, 60), Fraction(0)])
"""Exponents as people write them, and one of Strassen's."""


@st.composite
def growths(draw: st.DrawFn, parameters: tuple[str, ...] = ("n", "p")) -> Growth:
    """Draw a product of powers, logarithms and exponentials."""
    return Growth(
        tuple(
            Factor(name, draw(exponents), draw(exponents), draw(exponents))
            for name in parameters
        )
    )


process_counts = st.lists(
    st.integers(min_value=1, max_value=1 << 16), min_size=5, max_size=9, unique=True
).map(np.asarray)
"""Five to nine distinct process counts, in any order."""


def measurements(points: int, series: int = 3) -> st.SearchStrategy[np.ndarray]:
    """Draw repetitions of shape (series, points, 4), all of them positive."""
    return arrays.arrays(
        np.float64,
        (series, points, 4),
        elements=st.floats(min_value=1e-6, max_value=1e6),
    )
