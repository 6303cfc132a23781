import numpy as np
import pytest

from scalewatch.modelling.exact_counts.exactness import exact_series, exact_values

P = np.array([4.0, 8, 16, 32, 64])


def repeated(y, times=5):
    return np.repeat(np.asarray(y, float)[np.newaxis, :, np.newaxis], times, axis=2)


def test_equal_repetitions_are_exact():
    assert exact_series(repeated(P - 1)).all()


def test_single_repetitions_are_not_known_to_be_exact():
    assert not exact_series(repeated(P - 1, times=1)).any()


def test_series_of_which_everything_failed_are_not_exact():
    assert not exact_series(np.empty((1, 5, 0))).any()


def test_what_a_computer_rounds_does_not_matter():
    values = repeated(P / 10)
    values[0, :, 1] *= 1 + 1e-15

    assert exact_series(values).all()


def test_a_count_that_one_of_five_repetitions_misses_is_the_others():
    values = repeated(P - 1)
    values[0, 3, 2] -= 1

    assert exact_series(values).all()
    assert exact_values(values)[0].tolist() == (P - 1).tolist()


@pytest.mark.parametrize("times", [2, 5])
def test_noise_is_not_exact(times):
    noise = np.random.default_rng(1).uniform(0.9, 1.1, (1, 5, times))

    assert not exact_series(repeated(P, times) * noise).any()


def test_decimals_that_differ_are_noise():
    values = repeated(P / 10)
    values[0, 0, 2] += 0.1

    assert not exact_series(values).any()


def test_missing_repetitions_do_not_count():
    values = repeated(P - 1)
    values[0, 0, 1:] = np.nan
    values[0, 2, 0] = np.nan

    assert exact_series(values).all()
    assert exact_values(values)[0].tolist() == (P - 1).tolist()
