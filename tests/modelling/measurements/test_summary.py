import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from scalewatch.modelling.measurements.location import summarise

REFERENCE = {
    "q1": lambda values: np.quantile(values, 0.25),
    "median": np.median,
    "min": np.min,
    "mean": np.mean,
}


@pytest.mark.parametrize("summary", REFERENCE)
@given(
    arrays(
        np.float64, st.tuples(st.just(4), st.integers(1, 9)), elements=st.floats(-9, 9)
    ),
    st.data(),
)
def test_missing_repetitions_do_not_count(summary, values, data):
    kept = [data.draw(st.integers(1, values.shape[1])) for _ in values]
    holes = values.copy()
    for row, count in zip(holes, kept, strict=True):
        row[count:] = np.nan

    found = summarise(holes, summary)

    wanted = [REFERENCE[summary](row[:n]) for row, n in zip(values, kept, strict=True)]
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
