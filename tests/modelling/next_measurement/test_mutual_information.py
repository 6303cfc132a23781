import numpy as np
import pytest

from scalewatch.modelling.assumptions import ASSUMED as OF_ROOMS
from scalewatch.modelling.next_measurement import BeliefAtSetting, entropy, is_settled


def outlook(distance, spread=0.01, shares=(0.5, 0.0, 0.5)):
    """Return a match and a mismatch whose predictions lie apart."""
    return BeliefAtSetting(
        weight=np.array([shares[0], shares[2]]),
        mean=np.array([0.0, distance]),
        variance=np.full(2, spread**2),
        rank=np.array([0, 2]),
    )


def after(state, scatter):
    return state.verdicts_after(np.full(len(state.weight), scatter))


def test_entropy_is_in_bits():
    assert entropy(np.array([0.5, 0.5, 0.0])) == pytest.approx(1)
    assert entropy(np.array([1.0, 0.0, 0.0])) == 0


def test_predictions_far_apart_are_told_apart_by_one_measurement():
    verdicts = after(outlook(distance=1.0), scatter=1e-4)

    assert is_settled(verdicts, 0.99).all()
    assert entropy(verdicts).mean() < 1e-6


def test_equal_predictions_are_never_told_apart():
    verdicts = after(outlook(distance=0.0), scatter=1e-4)

    np.testing.assert_allclose(verdicts, [[0.5, 0, 0.5]] * OF_ROOMS.outcomes)


@pytest.mark.parametrize("distance", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("share", [0.3, 0.8])
def test_beliefs_do_not_change_on_average(distance, share):
    state = outlook(distance, shares=(share, 0.0, 1 - share))

    mean = after(state, scatter=4e-4).mean(axis=0)

    np.testing.assert_allclose(mean, state.verdicts, atol=0.03)


def test_more_scatter_tells_less():
    state = outlook(distance=0.1)

    bits = [entropy(after(state, scatter)).mean() for scatter in (1e-4, 1e-3, 1e-2)]

    assert bits == sorted(bits)


def test_the_median_is_that_of_the_heavier_half():
    assert outlook(1.0, shares=(0.2, 0.0, 0.8)).median == 1.0
