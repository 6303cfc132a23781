"""Statistics of forty series over 200 commits, without changes."""

import numpy as np
import pytest

from scalewatch.modelling.common_mode.scan import LEAST, TARGET, threshold


def statistics(scale=1.0):
    return scale * np.random.default_rng(1).chisquare(2, (40, 200))


def test_restless_machines_need_clearer_steps():
    assert threshold(statistics(), TARGET) < threshold(statistics(1.5), TARGET)


def test_no_machine_needs_less_than_what_is_usual():
    assert threshold(statistics(0.1), TARGET) == LEAST


def test_a_smaller_target_needs_clearer_steps():
    own = statistics()

    assert threshold(own, TARGET / 4) == pytest.approx(
        threshold(own, TARGET) + 2 * np.log(4)
    )


def test_where_a_change_was_noticed_nothing_is_learned():
    changed = statistics()
    changed[:30, 100:110] = 50

    noticed = changed.copy()
    noticed[:30, 100:110] = np.nan

    assert threshold(changed, TARGET) > threshold(noticed, TARGET) + 1
    assert threshold(noticed, TARGET) == pytest.approx(
        threshold(statistics(), TARGET), abs=0.5
    )


def test_few_commits_leave_what_is_assumed():
    assert threshold(np.zeros((1, 0)), TARGET) == threshold(np.zeros((5, 19)), TARGET)
