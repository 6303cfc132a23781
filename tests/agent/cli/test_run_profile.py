"""Profiles that programs write under `scalewatch-agent run`."""

import pytest

from support.experiments import GOOD, experiment, run

PROFILED = """
import json
json.dump([{"region": "solve", "seconds": 1.5}], open("profile.json", "w"))
print("took 2.5 s")
"""


def test_profile_that_a_program_writes_is_posted(folder, receiver):
    path = experiment(folder, PROFILED, profile={"json": "profile.json"})

    done = run(path, receiver.url, "--set", "p=2")

    assert done.exit_code == 0, done.output
    (posted,) = receiver.runs
    assert posted["profile"]["functions"][0]["region"] == "solve"
    assert posted["profile"]["functions"][0]["seconds"] == 1.5


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (GOOD, "the program wrote no file profile.json"),
        (
            PROFILED.replace("1.5", "-1.5"),
            "profile.json, 0.seconds: Input should be greater than or equal to 0",
        ),
        (PROFILED.replace("1.5", "0"), "profile.json: no function took any time"),
    ],
)
def test_profile_that_makes_no_sense_costs_no_result(folder, receiver, code, reason):
    path = experiment(folder, code, profile={"json": "profile.json"})

    run(path, receiver.url, "--set", "p=2")

    (posted,) = receiver.runs
    measured, lacking = posted["results"]
    assert measured["values"] == [2.5]
    assert lacking["reason"] == reason
