from collections import Counter

import numpy as np
import pytest

from scalewatch.modelling import Direction, compare_versions
from scalewatch.services.commit_reports.factors import (
    LEAST_CONSTANT,
    direction_of,
    level_of,
)

P = 2.0 ** np.arange(2, 8)
SERIES = 500


def run(curve, noise, rng):
    """Repetitions scatter by the noise, settings by 2 %, runs as a whole by 1 %."""
    scatter = rng.normal(0, 0.01, (SERIES, 1, 1))
    scatter = scatter + rng.normal(0, 0.02, (SERIES, P.size, 1))
    scatter = scatter + rng.normal(0, noise, (SERIES, P.size, 5))
    return curve[..., np.newaxis] * np.exp(scatter)


@pytest.mark.parametrize("noise", [0.02, 0.05, 0.1], ids=str)
def test_a_third_more_or_less_is_told_and_nothing_where_nothing_changed(noise):
    rng = np.random.default_rng(7)
    growing = rng.choice([0.0, 0.3, 1.0, 3.0], (SERIES, 1))
    curve = 1 + growing * np.log2(P) / np.log2(P[-1])

    def told(factor, *, is_cost=True):
        versions = run(curve, noise, rng), run(factor * curve, noise, rng)
        found = compare_versions(P, *versions, level=level_of(SERIES))
        return Counter(
            direction_of(each, LEAST_CONSTANT, is_cost=is_cost) for each in found
        )

    worse, better = Direction.WORSE, Direction.BETTER
    assert told(1.0) == {None: SERIES}
    assert told(1.3)[worse] > 0.97 * SERIES
    assert told(1 / 1.3)[better] > 0.97 * SERIES
    assert told(1.3, is_cost=False)[better] > 0.97 * SERIES
    assert told(1 / 1.3, is_cost=False)[worse] > 0.97 * SERIES
