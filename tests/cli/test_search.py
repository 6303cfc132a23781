"""`scalewatch search` with a real agent and a real server."""

import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from scalewatch.cli import main

pytestmark = pytest.mark.usefixtures("user")

PROGRAM = "p, t = {p}, {threads}; print('took', 8 / p + 0.02 * p * t, 's')"


@pytest.fixture
def experiment(tmp_path: Path) -> str:
    """A program that gets slower with threads."""
    path = tmp_path / "code.yaml"
    content = {
        "name": "code",
        "project": "code",
        "commit": "v1",
        "machine": "here",
        "parameters": {"p": [1, 2, 4], "threads": [1], "compiler": ["gcc"]},
        "coordinate": ["p"],
        "repeats": 1,
        "execute": f'{{python}} -c "{PROGRAM}"',
        "results": [{"pattern": "took (.+) s", "region": "solve", "unit": "s"}],
    }
    path.write_text(yaml.safe_dump(content))
    return str(path)


def search(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["search", *arguments], catch_exceptions=False)


def test_all_configurations_are_run_where_they_may_be(server, experiment):
    done = search(
        *(experiment, "--region", "solve", "--server", server),
        *("--vary", "threads=1,2,4"),
    )

    assert done.exit_code == 0, done.stderr
    rows = re.findall(r"│ (\d) +│ +([0-9.]+) │", done.stdout)
    assert [threads for threads, _ in rows] == ["1", "2", "4"]
    assert (
        f"{server}/p/code/scaling/configurations?region=solve&commit=v1" in done.stdout
    )


def test_bayesian_search_stays_within_its_trials(server, experiment):
    done = search(
        *(experiment, "--region", "solve", "--server", server, "--trials", "3"),
        *("--vary", "threads=1,2,4,8", "--vary", "compiler=gcc,clang"),
        *("--objective", "time", "--target", "4"),
    )

    assert done.exit_code == 0, done.stderr
    assert 1 <= len(re.findall(r"^\d+: .+: [0-9.]+$", done.stderr, re.MULTILINE)) <= 3


def test_failed_trials_say_why_and_the_search_goes_on(server, experiment):
    done = search(
        *(experiment, "--region", "solve", "--server", server),
        *("--vary", "threads=1,none"),
    )

    assert done.exit_code == 0, done.stderr
    assert "threads=none: " in done.stderr
    assert len(re.findall(r"│ 1 +│", done.stdout)) == 1


def test_nothing_that_succeeds_is_an_error(experiment):
    done = search(
        *(experiment, "--region", "solve", "--server", "http://127.0.0.1:9"),
        *("--vary", "threads=1"),
    )

    assert done.exit_code == 1
    assert "No trial succeeded." in done.stderr


@pytest.mark.parametrize("levels", ["threads", "threads=", "=1"])
def test_setting_without_levels_is_wrong_usage(experiment, levels):
    done = search(experiment, "--region", "solve", "--vary", levels)

    assert done.exit_code == 2
    assert levels in done.stderr
