import numpy as np
import pytest

from scalewatch.modelling import Verdict, find_models, parse_growth
from support.grids import GRID, values_on

NAMES = ("p", "n")


def shared_by_jobs(y, seed, series=12):
    """Return repetitions with 5 % of noise, half of its variance common to a point."""
    own = np.random.default_rng(seed).standard_normal((series, len(y), 6))
    return y[:, np.newaxis] * np.exp(0.035 * (own[..., :5] + own[..., 5:]))


@pytest.mark.parametrize("growth", ["n p", "n^2 / p", "n log p"])
def test_what_repetitions_of_a_job_have_in_common_is_no_misfit(growth):
    values = shared_by_jobs(values_on(GRID, [growth]), seed=6)
    truth, faster = parse_growth(growth), parse_growth(f"{growth} * p")

    found = find_models(GRID, values, parameter=NAMES, expectation=truth)
    wrongly = find_models(GRID, values, parameter=NAMES, expectation=faster)

    assert sum(each.misfit is not None for each in found) <= 2
    assert sum(each.verdict is Verdict.MATCH for each in found) >= 10
    assert not any(each.verdict is Verdict.MATCH for each in wrongly)


@pytest.mark.parametrize("at", ["p", "n"])
def test_a_switch_of_protocols_remains_a_misfit(at):
    x = GRID[:, NAMES.index(at)]
    curve = values_on(GRID, ["n p"]) * np.where(x > np.median(x), 1.15, 1.0)
    noise = np.random.default_rng(7).uniform(0.99, 1.01, (6, len(GRID), 5))

    found = find_models(GRID, curve[:, np.newaxis] * noise, parameter=NAMES)

    assert all(each.misfit for each in found)
