"""Best times beyond the calibrated numbers of processes, of growths that are known."""

from collections import Counter

import numpy as np
import pytest

from scalewatch_agent.traces.calibration.growth import (
    CONSTANT,
    GROWTHS,
    LEAST_COUNTS,
    extrapolated,
)

COUNTS = np.array([2.0, 4.0, 8.0, 16.0, 32.0])


@pytest.mark.parametrize("name", GROWTHS, ids=str)
@pytest.mark.parametrize("constant", [0.0, 3.0])
def test_growth_that_is_exact_is_found_and_continued(name, constant):
    growth = GROWTHS[name]
    times = 1e-6 * (constant + np.array([[1.0, 0.5]]) * growth(COUNTS)[:, np.newaxis])

    found, names = extrapolated(COUNTS, times, 1024)

    assert names == [name, name]
    exact = 1e-6 * (constant + np.array([1.0, 0.5]) * growth(np.array([1024.0])))
    assert found == pytest.approx(exact, rel=0.05)


def test_noise_and_falling_times_are_constant():
    generator = np.random.default_rng(7)
    noisy = 1e-6 * np.exp(generator.normal(0, 0.2, (len(COUNTS), 500)))
    falling = 1e-6 / COUNTS[:, np.newaxis]

    found, names = extrapolated(COUNTS, noisy, 512)
    kept, told = extrapolated(COUNTS, falling, 512)

    assert Counter(names)[CONSTANT] > 0.8 * len(names)
    assert np.median(found) == pytest.approx(1e-6, rel=0.2)
    assert told == [CONSTANT]
    assert 1e-6 / COUNTS[-1] <= kept[0] <= 1e-6 / COUNTS[0]
    assert (found >= noisy[-1] * (1 - 1e-9)).all()


@pytest.mark.parametrize("name", ["log p", "p"])
def test_growth_is_found_below_some_noise(name):
    generator = np.random.default_rng(11)
    exact = GROWTHS[name](COUNTS)[:, np.newaxis]
    noisy = 1e-6 * exact * np.exp(generator.normal(0, 0.05, (len(COUNTS), 200)))

    found, names = extrapolated(COUNTS, noisy, 128)

    assert Counter(names)[name] >= 0.5 * len(names)
    truth = 1e-6 * GROWTHS[name](np.array([128.0]))[0]
    assert np.quantile(np.abs(np.log(found / truth)), 0.9) < np.log(1.5)


def test_fewest_numbers_of_processes_suffice():
    counts = COUNTS[:LEAST_COUNTS]

    found, names = extrapolated(counts, np.log2(counts)[:, np.newaxis], 64)

    assert names == ["log p"]
    assert found == pytest.approx([6], rel=0.01)


def test_times_that_jump_are_not_drawn_to_the_shortest_ones():
    found, _ = extrapolated(COUNTS, np.array([[1e-7, 1e-5, 1e-5, 2e-5, 2e-5]]).T, 64)

    assert 2e-5 * (1 - 1e-9) <= found[0] < 1e-4
