import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from scalewatch.storage.runs import samples

QUANTITIES = st.floats(-1e290, 1e290)


def bits(values):
    return values.view(np.int64).tolist()


@example(np.array([-0.0]))
@given(arrays.arrays(np.float64, st.integers(0, 50), elements=QUANTITIES))
def test_decoding_returns_the_encoded_numbers_bit_by_bit(values):
    decoded = samples.decode(samples.encode(values))

    assert decoded.dtype == np.float64
    assert bits(decoded) == bits(values)


@given(st.lists(st.integers(0, 2**53 - 1), min_size=1))
def test_whole_nanoseconds_survive(nanoseconds):
    values = np.array(nanoseconds) / 1e9

    assert bits(samples.decode(samples.encode(values))) == bits(values)


@pytest.mark.parametrize("divisor", [1.0, 1e9], ids=["bytes", "nanoseconds"])
def test_integers_take_less_than_half_of_what_floats_take(divisor):
    rng = np.random.default_rng(1)
    whole = rng.integers(20_000, 30_000, 40_000) / divisor
    real = whole * (1 + 1e-9)

    assert len(samples.encode(whole)) < len(samples.encode(real)) / 2


def test_a_run_without_repetitions_is_empty():
    assert samples.decode(samples.encode(np.array([]))).size == 0
