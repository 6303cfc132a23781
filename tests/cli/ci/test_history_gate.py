"""The gate of files that hold a history of one value a benchmark and commit."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from scalewatch.cli import main

FINE, WORSE, UNDECIDED = 0, 1, 2
NAMES = tuple(f"bench.Suite{number // 4}.time_{number}" for number in range(12))
COMMITS = 30
DAY = 86_400_000


def sha(number):
    return f"{number:08x}" + 32 * "c"


@pytest.fixture
def gate(tmp_path):
    """Return a function that writes commits and judges one."""

    def gate(*options):
        arguments = ("gate", str(tmp_path / "results"), "--format", "json", *options)
        done = CliRunner().invoke(main, arguments)
        return done.exit_code, json.loads(done.stdout)

    def written(number, factors=(), *, noise=0.01, environment="py", values=True):
        rng = np.random.default_rng([number, len(environment)])
        factors = dict(factors)
        scatter = rng.normal(1, noise, len(NAMES)).tolist()
        seconds = {
            name: 1e-3 * at * factors.get(name, 1) if values else None
            for name, at in zip(NAMES, scatter, strict=True)
        }
        columns = ["result", "params", "version", "stats_q_25", "stats_q_75"]
        content = {
            "commit_hash": sha(number),
            "env_name": "py",
            "date": 10**12 + number * DAY,
            "params": {"machine": "i7"},
            "result_columns": columns,
            "results": {
                name: [[s], [], "1", [s and s * 0.999], [s and s * 1.001]]
                for name, s in seconds.items()
            },
        }
        folder = tmp_path / "results" / "i7"
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{sha(number)[:8]}-{environment}.json"
        (folder / name).write_text(json.dumps(content))

    gate.written = written
    return gate


def history(gate, commits=COMMITS, **options):
    for number in range(commits):
        gate.written(number, **options)


def test_an_ordinary_commit_passes_and_says_what_it_excludes(gate):
    history(gate)

    code, answer = gate()

    assert code == FINE
    assert answer["counts"]["unchanged"] == len(NAMES)
    assert f"{len(NAMES)} by 10 % at most" in answer["sentence"]
    for series in answer["series"]:
        assert series["outcome"] == "unchanged"
        usual = series["usual"]
        assert usual["low"] < usual["value"] < usual["high"] < 1.1
        assert usual["commits"] == 20


def test_a_worse_value_is_suspected_and_the_next_commit_bears_it_out(gate):
    slower = {NAMES[5]: 1.3}
    history(gate)
    gate.written(COMMITS, slower)

    first = gate()
    gate.written(COMMITS + 1, slower)
    after, newest = gate("--commit", sha(COMMITS)), gate()

    assert (first[0], first[1]["counts"]["suspected"]) == (UNDECIDED, 1)
    (finding,) = first[1]["findings"]
    assert (finding["region"], finding["is_sure"]) == (NAMES[5], False)
    assert "1.3" in finding["sentence"]
    assert after[0] == WORSE
    assert after[1]["findings"][0]["is_sure"]
    assert newest[0] == FINE


def test_a_second_run_bears_a_worse_value_out(gate):
    slower = {NAMES[5]: 1.3}
    history(gate)
    gate.written(COMMITS, slower)
    gate.written(COMMITS, slower, environment="again")

    assert gate()[0] == WORSE


@pytest.mark.parametrize("again", [COMMITS, COMMITS + 1])
def test_a_spike_that_a_second_run_or_the_next_commit_lacks_stops_nobody(gate, again):
    history(gate)
    gate.written(COMMITS, {NAMES[5]: 2})
    gate.written(again, environment="again")

    code, answer = gate("--commit", sha(COMMITS))

    assert code == FINE
    assert not answer["findings"]


def test_noise_stays_undecided_and_says_by_how_much(gate):
    history(gate, noise=0.2)

    code, answer = gate()

    assert code == UNDECIDED
    assert "too noisy" in answer["sentence"]
    assert "% worse or more" in answer["sentence"]
    assert answer["counts"]["unchanged"] <= len(NAMES) // 4


def test_all_series_of_a_machine_are_suspected_together(gate):
    history(gate)
    gate.written(COMMITS, dict.fromkeys(NAMES, 1.2))

    code, answer = gate()

    assert code == UNDECIDED
    assert answer["counts"]["suspected"] == len(NAMES)
    assert answer["counts"]["unchanged"] == 0
    (finding,) = answer["findings"]
    assert finding["region"] == "all regions"


def test_twenty_percent_are_never_called_unchanged(gate):
    history(gate)
    gate.written(COMMITS, dict.fromkeys(NAMES[::3], 1.2))

    code, answer = gate()

    slower = [e for e in answer["series"] if e["region"] in NAMES[::3]]
    assert code == UNDECIDED
    assert len(slower) == len(NAMES[::3])
    assert all(each["outcome"] != "unchanged" for each in slower)


def test_one_run_of_a_short_history_stops_nobody(gate):
    history(gate, commits=4)
    gate.written(4, {NAMES[5]: 3})

    code, answer = gate()

    assert code == UNDECIDED
    assert not any(each["is_sure"] for each in answer["findings"])


def test_the_newest_commit_with_values_is_the_newest(gate):
    history(gate)
    gate.written(COMMITS, values=False)

    code, answer = gate()

    assert answer["commit"]["sha"] == sha(COMMITS - 1)
    assert code == FINE
