import numpy as np
import pytest

from scalewatch.modelling import Verdict, find_models, parse_growth
from support.grids import GRID, values_on

NAMES = ("p", "n")


def shared_by_jobs(y, seed, series=12):
    """Return repetitions with 5 % of noise, half of its variance common to a point."""
    own = np.random.default_rng(seed).standard_normal((series, len(y), 6))
    return y[:, np.newaxis] * np.exp(0.035 * (own[..., :5] + own[..., 5:]))


GROWTHS = [
    "n p",
    pytest.param("n^2 / p", marks=pytest.mark.thorough),
    pytest.param("n log p", marks=pytest.mark.thorough),
]


@pytest.mark.parametrize("growth", GROWTHS)
def test_what_repetitions_of_a_job_have_in_common_is_no_misfit(growth):
    values = shared_by_jobs(values_on(GRID, [growth]), seed=6)
    truth, faster = parse_growth(growth), parse_growth(f"{growth} * p")

    found = find_models(GRID, values, parameter=NAMES, expectation=truth)
    wrongly = find_models(GRID, values, parameter=NAMES, expectation=faster)

    assert sum(each.verdict is Verdict.MATCH for each in found) >= 10
    assert not any(each.verdict is Verdict.MATCH for each in wrongly)


@pytest.mark.parametrize("growth", GROWTHS)
def test_intervals_hold_far_beyond_what_jobs_have_in_common(growth):
    corner = 16 * GRID.max(axis=0)
    x = np.vstack([GRID, corner])
    *near, far = parse_growth(growth)(dict(zip(NAMES, x.T, strict=True))).tolist()
    target = dict(zip(NAMES, corner.tolist(), strict=True))

    found = find_models(
        GRID, shared_by_jobs(np.array(near), 8), parameter=NAMES, targets=[target]
    )

    told = [each.forecasts[0] for each in found if each.forecasts]
    assert len(told) >= 10
    assert sum(each.low <= far <= each.high for each in told) >= 0.8 * len(told)


@pytest.mark.parametrize("at", ["p", "n"])
def test_a_switch_of_protocols_is_a_departure_and_no_other_growth(at):
    x = GRID[:, NAMES.index(at)]
    curve = values_on(GRID, ["n p"]) * np.where(x > np.median(x), 1.15, 1.0)
    noise = np.random.default_rng(7).uniform(0.99, 1.01, (6, len(GRID), 5))
    target = {"p": 1024.0, "n": 4096.0}

    found = find_models(
        GRID,
        curve[:, np.newaxis] * noise,
        parameter=NAMES,
        expectation=parse_growth("n p"),
        targets=[target],
    )

    truth = 1.15 * (1 + 10 * 1024 * 4096 / (64 * 256))
    for each in found:
        assert each.verdict is Verdict.MATCH
        assert all(f.low <= truth <= f.high for f in each.forecasts)
