"""Files of TALP, in the form that DLB documents."""

import json

import pytest

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces.formats import read_reduced
from scalewatch_agent.traces.talp import read_talp
from support.agent_sentences import TRACES as SAID

GLOBAL = {
    "numCpus": 4,
    "elapsedTime": 10_000_000_000,
    "usefulTime": 32_000_000_000,
    "mpiTime": 8_000_000_000,
    "numMpiCalls": 400,
    "parallelEfficiency": 0.8,
    "mpiLoadBalance": 0.9,
}


def talp(path, **changes):
    """Write a file of four processes; None leaves a key out."""
    whole = {**GLOBAL, **changes.pop("whole", {})}
    told = {
        "dlbVersion": "3.5.0",
        "resources": {"numCpus": 4, "numMpiRanks": 4},
        "Application": {
            "Global": {name: v for name, v in whole.items() if v is not None},
            "solve": {**GLOBAL, "mpiTime": 5_000_000_000, "numMpiCalls": 300},
        },
    } | changes
    path.write_text(json.dumps({k: v for k, v in told.items() if v is not None}))
    return path


@pytest.mark.parametrize(
    "outcome", [{"status": "timeout"}, {"exitCode": 137}, {"state": "who knows"}]
)
def test_run_that_failed_is_refused_by_the_word_for_it(tmp_path, outcome):
    ((key, word),) = outcome.items()

    with pytest.raises(TraceUnusable, match=f"failed: {key} {word}"):
        read_talp(talp(tmp_path / "talp.json", **outcome))
    with pytest.raises(TraceUnusable, match=f"failed: {key} {word}"):
        read_talp(talp(tmp_path / "talp.json", whole=outcome))
    fine = {"exitCode": 0, "status": "COMPLETED", "error": None}
    assert read_talp(talp(tmp_path / "talp.json", **fine)).runtime


def test_efficiencies_are_those_that_talp_tells(tmp_path):
    found = read_reduced(talp(tmp_path / "talp.json"))

    assert found.processes == 4
    assert found.runtime == pytest.approx(10)
    assert found.efficiencies.parallel == pytest.approx(0.8)
    assert found.efficiencies.load_balance == pytest.approx(0.9)
    assert found.mpi_time == pytest.approx(8)


def test_regions_are_locations_with_their_calls(tmp_path):
    (solve,) = read_talp(talp(tmp_path / "talp.json")).locations

    assert (solve.site.caller, solve.calls) == ("solve", 300)
    assert solve.mpi_time == pytest.approx(5)
    assert solve.wait_late_sender is None


def test_efficiency_stands_for_useful_time_that_is_missing(tmp_path):
    path = talp(tmp_path / "talp.json", whole={"usefulTime": None})

    assert read_talp(path).efficiencies.parallel == pytest.approx(0.8)


def test_without_load_balance_the_largest_useful_time_is_unknown(tmp_path):
    path = talp(tmp_path / "talp.json", whole={"mpiLoadBalance": None})

    assert not read_talp(path).has_each


def test_older_files_name_their_regions_pop_metrics(tmp_path):
    path = talp(tmp_path / "talp.json", Application=None, popMetrics={"Global": GLOBAL})

    assert read_talp(path).runtime == pytest.approx(10)


def test_lists_before_version_3_5_are_joined_by_name(tmp_path):
    metrics = {"elapsedTime": 10**10, "parallelEfficiency": 0.8, "loadBalance": 0.9}
    raw = {
        "numCpus": 4, "numRanks": 4, "elapsedTime": 10**10,
        "usefulCpuTotal": 32 * 10**9, "numMPICalls": 400,
    }  # fmt: skip
    whole, solve = {"name": "MPI Execution"}, {"name": "solve"}
    told = {
        "popMetrics": [whole | metrics, solve | metrics],
        "popRaw": [whole | raw, solve | raw],
    }
    path = tmp_path / "talp.json"
    path.write_text(json.dumps(told))

    found = read_talp(path)

    assert (found.processes, found.runtime) == (4, pytest.approx(10))
    assert found.efficiencies.parallel == pytest.approx(0.8)
    assert found.efficiencies.load_balance == pytest.approx(0.9)
    assert found.remarks == (SAID["no MPI time"],)

    del told["popRaw"]
    path.write_text(json.dumps(told))
    with pytest.raises(TraceUnusable, match="--talp-summary=pop-metrics,pop-raw"):
        read_talp(path)


def test_region_of_the_whole_run_has_several_names(tmp_path):
    solve = {**GLOBAL, "mpiTime": 10**9}
    regions = {"solve": solve, "Application": {**GLOBAL, "mpiTime": 0}}
    path = talp(tmp_path / "talp.json", Application=regions)

    found = read_talp(path)

    assert [one.site.caller for one in found.locations] == ["solve"]
    assert (found.mpi_time, found.remarks) == (0, ())


def test_efficiency_of_threads_that_were_seen_is_told_beside_that_of_the_run(tmp_path):
    """As in hybrid programs whose threads begin late."""
    path = talp(
        tmp_path / "talp.json",
        resources={"numCpus": 224, "numMpiRanks": 4},
        whole={"numCpus": 224, "parallelEfficiency": 0.96, "usefulTime": 14 * 10**11},
    )

    found = read_talp(path)

    assert found.processes == 4
    assert found.efficiencies.parallel == pytest.approx(1400 / 224 / 10)
    assert "0.96" in found.remarks[0]
    assert "0.62" in found.remarks[0]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"Application": None}, "names no regions"),
        ({"Application": []}, "names no regions"),
        ({"Application": {"Global": 3}}, "names no regions"),
        ({"resources": {"numMpiRanks": 0}, "whole": {"numCpus": 0}}, "how many proc"),
        ({"resources": {"numMpiRanks": 2**62}, "whole": {"numCpus": 0}}, "how many"),
        ({"whole": {"elapsedTime": None}}, "how long the run took"),
        ({"whole": {"elapsedTime": "long"}}, "its elapsedTime is 'long'"),
        ({"whole": {"elapsedTime": -1}}, "its elapsedTime is -1"),
        ({"whole": {"usefulTime": None, "parallelEfficiency": None}}, "neither"),
    ],
)
def test_file_that_lacks_something_is_refused_with_what(tmp_path, changes, reason):
    with pytest.raises(TraceUnusable, match=reason):
        read_talp(talp(tmp_path / "talp.json", **changes))


@pytest.mark.parametrize("content", ["{", "[]", "{" * 100_000, '{"a": NaN}', "\0"])
def test_what_is_no_file_of_talp_is_refused(tmp_path, content):
    path = tmp_path / "talp.json"
    path.write_text(content)

    with pytest.raises(TraceUnusable):
        read_talp(path)
