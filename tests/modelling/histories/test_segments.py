"""Where changes lie, of alarms that are given."""

import numpy as np
import pytest

from scalewatch.modelling.common_mode.scan import Alarm
from scalewatch.modelling.histories.histories import Histories
from scalewatch.modelling.histories.segments import segments

P = np.array([4.0, 8, 16, 32, 64, 128])


@pytest.mark.parametrize(("peak", "last"), [(0.08, 0.1), (0.1, 0.12), (0.1, 0.15)])
def test_alarms_that_are_located_the_other_way_round_stay_inside_of_the_history(
    peak, last
):
    """The first sees the peak begin at commit 100, the second a rise from 99 on."""
    level = np.concatenate([np.zeros(99), [0.03], np.full(4, peak)])
    level = np.concatenate([level, np.linspace(0.03, last, 17)])
    noise = np.random.default_rng(1).normal(0, 0.002, (len(level), len(P)))
    alarms = [Alarm(0, 103, 95, 20.0), Alarm(0, 113, 99, 20.0, is_drift=True)]

    (found,) = segments(Histories.of(P, (level[:, None] + noise)[None]), alarms)

    assert found.is_gradual
    assert 80 <= found.first < found.last < len(level)
