import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewatch.modelling.false_discoveries import Correction, corrected

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=20).map(np.array)
BOTH = pytest.mark.parametrize("correction", Correction, ids=str)


def test_holm_multiplies_by_the_hypotheses_that_are_left():
    found = corrected(np.array([0.03, 0.005, 0.04]), Correction.HOLM)

    # 3 × 0.005, 2 × 0.03, and 0.04 no smaller than what precedes it.
    np.testing.assert_allclose(found, [0.06, 0.015, 0.06])


def test_benjamini_and_hochberg_multiply_by_the_share_found():
    found = corrected(np.array([0.03, 0.005, 0.04]), Correction.BENJAMINI_HOCHBERG)

    # 3/3 × 0.04, which bounds 3/2 × 0.03 from above, and 3/1 × 0.005.
    np.testing.assert_allclose(found, [0.04, 0.015, 0.04])


@BOTH
@given(p_values=P_VALUES)
def test_correction_never_makes_a_step_more_significant(correction, p_values):
    found = corrected(p_values, correction)

    assert (found >= p_values * (1 - 1e-12)).all()
    assert (found <= 1).all()


@given(P_VALUES)
def test_holm_is_the_stricter_of_both(p_values):
    strict = corrected(p_values, Correction.HOLM)

    lenient = corrected(p_values, Correction.BENJAMINI_HOCHBERG)
    assert (strict >= lenient * (1 - 1e-12)).all()


@BOTH
def test_one_comparison_needs_no_correction(correction):
    assert corrected(np.array([0.03]), correction) == 0.03
