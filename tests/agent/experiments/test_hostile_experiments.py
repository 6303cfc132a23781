"""Experiment files with values that no machine has: one line each, no traceback."""

import copy
import json

import pytest
from click.testing import CliRunner

from scalewatch.errors import ScalewatchError
from scalewatch_agent.cli import main
from scalewatch_agent.experiments.loading import load_experiment

EXPERIMENT = {
    "name": "ring",
    "project": "examples",
    "commit": "c" * 40,
    "parameters": {
        "p": [1, 2],
        "n": [3, 4],
        "r": {"from": 1, "to": 8, "factor": 2},
        "d": {"expression": "2 * p"},
    },
    "zipped": [["p", "n"]],
    "where": "p < 9",
    "repeats": 2,
    "compile": {"run": "true", "time_limit": 60},
    "execute": {
        "run": "echo {p}",
        "processes": "p",
        "nodes": 1,
        "time_limit": "30 + p",
        "estimate": 2,
    },
    "results": [{"pattern": "(.+)", "region": "a", "unit": "s", "skip": 1}],
    "launcher": {"kind": "local"},
}

HOSTILE = {
    "whole number": 10**400,
    "number of 4201 digits": 10**4200,
    "largest number": 1e308,
    "smallest number": 5e-324,
    "long text": "é" * 10_000,
    "long sum": "1+" * 200 + "1",
    "deep expression": "(" * 3000,
    "endless power": "10**10**10",
    "large power": "10**400",
    "list of large numbers": [1e308, 10**400],
    "endless range": {"from": 1, "to": 1e308, "factor": 1.0000001},
    "range of large steps": {"from": 1, "to": 1e308, "factor": 10**308},
    "large expression": {"expression": "10**300 * p"},
    "nothing": None,
    "NUL": "\x00",
}


def places(content, place=()):
    """Yield where each value stands in a document."""
    inner = content.items() if isinstance(content, dict) else enumerate(content)
    for key, value in inner:
        yield (*place, key)
        if isinstance(value, dict | list):
            yield from places(value, (*place, key))


def written(folder, place, value):
    """Write the experiment, with another value at a place."""
    content = copy.deepcopy(EXPERIMENT)
    section = content
    for key in place[:-1]:
        section = section[key]
    section[place[-1]] = value
    path = folder / "ring.yaml"
    path.write_text(json.dumps(content))
    return path


@pytest.mark.parametrize("kind", HOSTILE)
def test_value_at_any_place_is_refused_in_few_words_or_can_be_had(kind, tmp_path):
    refusals = []
    for place in places(EXPERIMENT):
        path = written(tmp_path, place, HOSTILE[kind])
        try:
            loaded = load_experiment(path)
        except ScalewatchError as error:
            refusals.append(str(error))
        else:
            loaded.core_hours(loaded.configured, repeats=2)

    assert refusals
    assert all(len(refusal) < 3000 for refusal in refusals)


def test_experiment_itself_is_sound(tmp_path):
    assert load_experiment(written(tmp_path, ("repeats",), 2)).coordinate == ("p", "n")


@pytest.mark.parametrize(
    "text",
    ["[" * 10_000, "{a: " * 5_000, "- " * 5_000, "? " * 5_000, f"a: {'[' * 900}"],
    ids=["lists", "mappings", "items", "keys", "value"],
)
def test_deep_file_ends_in_one_line(text, tmp_path):
    path = tmp_path / "deep.yaml"
    path.write_text(text)

    ended = CliRunner().invoke(main, ["run", str(path), "--dry-run"])

    assert ended.exit_code == 2
    (line,) = ended.stderr.splitlines()
    assert str(path) in line


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("execute", "time_limit"), 1e9),
        (("execute", "processes"), "2**31"),
        (("compile", "time_limit"), 1e300),
        (("launcher",), {"kind": "slurm", "poll": 1e10}),
    ],
)
def test_waits_and_counts_have_a_largest_value(place, value, tmp_path):
    path = written(tmp_path, place, value)

    ended = CliRunner().invoke(main, ["run", str(path), "--dry-run"])

    assert ended.exit_code == 2
    assert place[-1] in ended.stderr or "poll" in ended.stderr
