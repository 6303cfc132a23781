"""The gate over histories with one value a commit."""

import numpy as np
import pytest

from support.histories import commit, single_values
from support.recorded import record

COMMITS = 24
REGIONS = tuple(f"bench.Suite{number // 4}.time_{number}" for number in range(12))


def runs(number, factors, noise, suite="tests"):
    """Return the run of a commit: one value of each region, at p = 1."""
    rng = np.random.default_rng([number, len(suite)])
    scatter = rng.normal(1, noise, len(REGIONS)).tolist()
    seconds = {
        region: 1e-3 * factor * factors.get(region, 1.0)
        for region, factor in zip(REGIONS, scatter, strict=True)
    }
    return single_values(
        number,
        seconds,
        p=1,
        project="numpy",
        machine={"name": "i7", "fingerprint": {"cores": 4}},
        suite=suite,
    )


@pytest.fixture
def gate(client, sessions):
    """Return a function that records a history and asks the gate about its last."""

    def gate(factors, noise=0.01):
        before = [run for k in range(1, COMMITS) for run in runs(k, {}, noise)]
        record(sessions, [*before, *runs(COMMITS, factors, noise)])
        return asked()

    def asked():
        address = "/api/v1/projects/numpy/gate"
        return client.get(address, params={"commit": commit(COMMITS)["sha"]}).json()

    gate.again = asked
    return gate


def test_an_ordinary_commit_is_fine(gate):
    answer = gate({})

    assert answer["outcome"] == "fine"
    assert answer["counts"]["unchanged"] == len(REGIONS)
    assert (
        f"{len(REGIONS)} by 10 % at most beside the commits before"
        in answer["sentence"]
    )


def test_a_slower_value_is_suspected_and_a_second_run_bears_it_out(gate, sessions):
    slower = {REGIONS[5]: 1.3}

    first = gate(slower)
    record(sessions, runs(COMMITS, slower, 0.01, suite="again"))
    second = gate.again()

    assert (first["outcome"], first["counts"]["suspected"]) == ("undecided", 1)
    (finding,) = first["findings"]
    assert finding["region"] == REGIONS[5]
    assert f"times as much as in {COMMITS - 1} nights before (" in finding["sentence"]
    assert second["outcome"] == "worse"


def test_noise_leaves_undecided_and_never_fine(gate):
    answer = gate({}, noise=0.2)

    assert answer["counts"]["unchanged"] <= len(REGIONS) // 4
    assert answer["counts"]["undecided"] >= len(REGIONS) // 2


def test_twenty_percent_are_never_called_unchanged(gate):
    answer = gate(dict.fromkeys(REGIONS[::3], 1.2))

    assert answer["counts"]["unchanged"] <= len(REGIONS) - 4
    assert answer["outcome"] != "fine"


def test_report_has_the_factor_of_each_series_beside_the_commits_before(gate, client):
    gate({REGIONS[5]: 1.3})

    report = client.get(f"/p/numpy/c/{commit(COMMITS)['sha']}?format=json").json()

    usual = {each["region"]: each["usual"] for each in report["changes"]}
    assert usual[REGIONS[0]]["low"] < 1 < usual[REGIONS[0]]["high"] < 1.1
    assert usual[REGIONS[0]]["commits"] == 20


def without(region, runs):
    """Return runs that lack a region."""
    return [
        run.model_copy(
            update={"results": tuple(r for r in run.results if r.region != region)}
        )
        for run in runs
    ]


@pytest.mark.parametrize("factor", [1.0, 3.0])
def test_series_that_only_the_baseline_lacks_is_not_new(
    client, sessions, factor
) -> None:
    region = REGIONS[5]
    before = [run for k in range(1, COMMITS - 2) for run in runs(k, {}, 0.01)]
    gap = [run for k in (COMMITS - 2, COMMITS - 1) for run in runs(k, {}, 0.01)]
    now = runs(COMMITS, {region: factor}, 0.01)
    record(sessions, [*before, *without(region, gap), *now])

    address = "/api/v1/projects/numpy/gate"
    answer = client.get(address, params={"commit": commit(COMMITS)["sha"]}).json()

    last = commit(COMMITS - 3)["sha"][:7]
    assert answer["counts"]["new"] == 0
    assert (
        f"1 series that the baseline lacks compared with {last}" in (answer["sentence"])
    )
    named = [each for each in answer["findings"] if each["region"] == region]
    assert bool(named) is (factor > 1)
    assert all(f"compared with {last}" in each["sentence"] for each in named)
