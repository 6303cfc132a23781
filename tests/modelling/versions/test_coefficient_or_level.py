import numpy as np
import pytest

from scalewatch.modelling.versions.kinds import log_ratio

P = 2.0 ** np.arange(2, 8)
LOG = np.log2(P)
VARIANCE = 0.01**2


def curve(factor=1.0):
    return np.log(1 + factor * LOG / 7)


@pytest.mark.parametrize("factor", [0.5, 1.3, 2.0])
def test_what_grows_was_multiplied_or_everything(factor):
    growing = curve(factor) - curve()
    everything = np.full_like(growing, growing.mean())

    ratio = log_ratio(LOG, curve(), growing, VARIANCE)

    # The likelihood of either difference under the other differs by as much.
    distance = ((growing - growing.mean()) ** 2).sum() / (2 * VARIANCE)
    assert ratio == pytest.approx(distance, rel=0.01)
    assert log_ratio(LOG, curve(), everything, VARIANCE) == pytest.approx(
        -distance, rel=0.01
    )


def test_what_a_commit_shares_and_the_scale_of_a_growth_tell_nothing():
    growing = curve(1.3) - curve()

    ratio = log_ratio(LOG, curve(), growing, VARIANCE)

    assert log_ratio(9 * LOG, 5 + curve(), growing, VARIANCE) == pytest.approx(
        ratio, rel=1e-3
    )


def test_without_a_constant_both_are_the_same():
    ratio = log_ratio(LOG, np.log(LOG), np.full(P.size, 0.1), VARIANCE)

    assert ratio == pytest.approx(0, abs=1e-2)


def test_faster_than_without_its_growing_part_is_everything():
    assert log_ratio(LOG, curve(), np.full(P.size, -3.0), VARIANCE) == -np.inf
